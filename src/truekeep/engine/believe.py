"""What a new statement means for those that are kept already: the judge's verdicts, and who may retire what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from truekeep.model import TRUST_LEVELS, Draft, MemoryItem, Source

from .statement import statement

if TYPE_CHECKING:
    from .belief import Verdict

_NOT_JUDGED = frozenset({"interaction"})  # a record of what was said is true for good
REPETITIONS = ("reinforce", "restate")
_TRUSTED = frozenset({"agent", "user"})


# Each draft of a batch is compared with all before it, and a long text takes a while.
_stated = lru_cache(maxsize=128)(statement)


class Near(NamedTuple):
    """An item that speaks of something like the draft."""

    item: MemoryItem
    similarity: float | None  # of their vectors; None where one has none


class Belief(NamedTuple):
    """What a draft and an item do to each other."""

    item: MemoryItem
    verdict: Verdict
    is_late: bool  # the item became true later: it is the draft that is out of date


def is_judged(draft: Draft) -> bool:
    return draft.judged and draft.kind not in _NOT_JUDGED


def beliefs(draft: Draft, near: Iterable[Near], *, now: datetime) -> list[Belief]:
    """The verdicts on a draft and the items near it; those without one are left out."""
    near = list(near)
    if not near:
        return []
    # Here and not above: the judge's patterns take a tenth of a second to make, and who only recalls needs none.
    from .belief import Said, judge, lead_of, settle

    said = Said(content=draft.content, speaker=draft.source.speaker, kind=draft.kind or "fact", when=draft.when or now)
    words = _stated(draft.content)
    found: list[tuple[Belief, Verdict]] = []
    for item, similarity in near:
        if not _are_comparable(draft, item) or words == _stated(item.content):
            continue  # whether the same words are the same memory is decided elsewhere, by who said them
        other = Said(content=item.content, speaker=item.speaker, kind=item.kind, when=item.when)
        is_late = draft.when is not None and draft.when < item.when
        lead = lead_of(similarity, [one.similarity for one in near if one.item.id != item.id])
        newer, older = (other, said) if is_late else (said, other)
        verdict = judge(newer, older, similarity, lead)
        if verdict is not None:
            is_plan = newer.when > now  # the present stays until it begins
            verdict = _allowed(verdict, draft, item, is_late=is_late, is_plan=is_plan)
        if verdict is not None:
            found.append((Belief(item, verdict, is_late), verdict))
    return [belief for belief, _ in settle(found)]


def _are_comparable(draft: Draft, item: MemoryItem) -> bool:
    """Whether both may speak of the same thing, by what their callers said of them."""
    if item.kind in _NOT_JUDGED or not item.is_current or item.quarantined:
        return False
    if draft.key is not None and item.key is not None:
        return False  # the keys tell
    return not _are_scoped_apart(draft.tags, item.tags)


def _are_scoped_apart(tags: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether tags such as "user:ana" and "user:ben" put them into different worlds."""
    scopes, theirs = _scopes(tags), _scopes(others)
    return any(scopes[name].isdisjoint(theirs[name]) for name in scopes.keys() & theirs.keys())


def _scopes(tags: tuple[str, ...]) -> dict[str, set[str]]:
    scopes: dict[str, set[str]] = {}
    for tag in tags:
        name, colon, value = tag.partition(":")
        if colon:
            scopes.setdefault(name, set()).add(value)
    return scopes


def _allowed(verdict: Verdict, draft: Draft, item: MemoryItem, *, is_late: bool, is_plan: bool) -> Verdict | None:
    """A verdict that retires is no more than a suspicion where one of the two has a say in what replaces it."""
    older, newer = (draft.source, item.source) if is_late else (item.source, draft.source)
    is_free = draft.key is None and item.key is None and not (draft.pinned if is_late else item.pinned) and not is_plan
    is_repetition = verdict.rule in REPETITIONS
    if is_free and _may_retire(newer, older) and not (is_repetition and draft.source.name != item.source.name):
        return verdict
    return None if is_repetition else verdict._replace(retires=False)  # what is said again is no reason to doubt


def _may_retire(newer: Source, older: Source) -> bool:
    """A web page does not change what the user said, nor does one source change what another one imported."""
    if newer.trust in _TRUSTED:
        return True
    return TRUST_LEVELS.index(newer.trust) >= TRUST_LEVELS.index(older.trust) and newer.name == older.name


def suspected(item: MemoryItem, by: str, verdict: Verdict, now: datetime) -> MemoryItem:
    """The item with one more doubt about it."""
    if by in item.suspected_by:
        return item
    return replace(
        item,
        suspected_by=(*item.suspected_by, by),
        updated=max(now, item.updated),
        reason=f"perhaps outdated by {by}: {explained(verdict)}",
    )


def superseding(by: str, why: str) -> str:
    """The reason of an item that another one supersedes."""
    return f"superseded by {by}: {why}"


def is_repetition(item: MemoryItem) -> bool:
    """Whether the item was superseded by one that says the same, perhaps in more detail."""
    if item.superseded_by is None or item.reason is None:
        return False
    # The rule stands in one place: what a key or a value is called, further on, is the user's affair.
    return item.reason.startswith(tuple(superseding(item.superseded_by, f"{rule}, ") for rule in REPETITIONS))


def explained(verdict: Verdict) -> str:
    """The rule, the key and both values, for the history."""
    return f"{verdict.rule}, {verdict.key}: {verdict.old!r} → {verdict.new!r}"
