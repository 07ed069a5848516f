"""What a statement means for those that are kept beside it: the judge's verdicts, and who may retire what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truekeep.model import TRUST_LEVELS, MemoryItem, Outcome, Source
from truekeep.ports.texts import RELATIONS, said

from .decide import RECORD
from .guarded_judge import GuardedJudge
from .reconcile import Decision, reinforced, retired
from .statement import statement

if TYPE_CHECKING:
    from .belief import Pair, Said, Verdict

_TRUSTED = frozenset({"agent", "user"})
_REPETITIONS = frozenset({"reinforce", "restate"})


# Each statement of a burst is compared with those before it, and a long text takes a while.
_stated = lru_cache(maxsize=128)(statement)


class Near(NamedTuple):
    """An item that speaks of something like another one."""

    item: MemoryItem
    similarity: float | None  # of their vectors; None where one has none


class Belief(NamedTuple):
    """What an item and another one do to each other."""

    item: MemoryItem  # the other one
    verdict: Verdict
    is_late: bool  # it became true later: the item that is judged is the one that is out of date


def judged(item: MemoryItem, near: Iterable[Near], *, judge: GuardedJudge, now: datetime) -> Decision:
    """What is to be done about an item and those near it."""
    item = replace(item, unjudged=False)
    found = beliefs(item, near, judge=judge, now=now) if item.is_current else []
    again = _said_before(found)
    if again is None:
        return _believed(item, found, now)
    kept = reinforced(again.item, item, expires=again.item.expires, now=now)
    wording = replace(_retired(item, kept, again.verdict, now), expires=kept.expires)
    return Decision(outcome="reinforced", item=kept, wording=wording)


def beliefs(item: MemoryItem, near: Iterable[Near], *, judge: GuardedJudge, now: datetime) -> list[Belief]:
    """The verdicts on an item and those near it; those without one are left out."""
    near = [one for one in near if _are_comparable(item, one.item)]
    words = _stated(item.content)
    # Whether the same words are the same memory is decided elsewhere, by who said them.
    others = [one for one in near if words != _stated(one.item.content)]
    if not others:
        return []
    # Here and not above: the judge's patterns take a tenth of a second to make, and who only recalls needs none.
    from .belief import Pair, Said, lead_of, settle, verdicts

    pairs: list[Pair] = []
    for other, similarity in others:
        lead = lead_of(similarity, [one.similarity for one in near if one.item.id != other.id])
        newer, older = (other, item) if _is_late(item, other) else (item, other)
        pairs.append(Pair(_said(newer, Said), _said(older, Said), similarity, lead))
    found: list[tuple[Belief, Verdict]] = []
    for (other, _), pair, verdict in zip(others, pairs, verdicts(pairs, _heard(pairs, judge)), strict=True):
        is_late = _is_late(item, other)
        is_plan = pair.newer.when > now  # the present stays until it begins
        allowed = verdict and _allowed(verdict, item, other, is_late=is_late, is_plan=is_plan)
        if allowed is not None:
            found.append((Belief(other, allowed, is_late), allowed))
    return [belief for belief, _ in settle(found)]


def _heard(pairs: Sequence[Pair], judge: GuardedJudge) -> NDArray[np.float32] | None:
    """What the learned judge says: it sees the older ones of one newer statement beside each other, nearest first."""
    places = sorted(range(len(pairs)), key=lambda place: -(pairs[place].similarity or 0.0))
    rows = np.zeros((len(pairs), len(RELATIONS)), np.float32)
    for newer in dict.fromkeys(pairs[place].newer for place in places):
        beside = [place for place in places if pairs[place].newer == newer]
        older = (pairs[place].older for place in beside)
        found = judge.relations(said(newer.speaker, newer.content), [said(one.speaker, one.content) for one in older])
        if found is None:
            return None
        rows[beside] = found
    return rows


def _said(item: MemoryItem, kind: type[Said]) -> Said:
    return kind(content=item.content, speaker=item.speaker, kind=item.kind, when=item.when)


def _is_late(item: MemoryItem, other: MemoryItem) -> bool:
    """Whether the other one became true later. What is said of the present replaces plans that were known before."""
    is_of_the_present = item.when == item.created and other.created <= item.created
    return item.when < other.when and not is_of_the_present


def _are_comparable(item: MemoryItem, other: MemoryItem) -> bool:
    """Whether both may speak of the same thing, by what their callers said of them."""
    if other.id == item.id or other.kind == RECORD or not other.is_current or other.quarantined:
        return False
    if item.key is not None and other.key is not None:
        return False  # the keys tell
    return not _are_scoped_apart(item.tags, other.tags)


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


def _allowed(verdict: Verdict, item: MemoryItem, other: MemoryItem, *, is_late: bool, is_plan: bool) -> Verdict | None:
    """A verdict that retires is no more than a suspicion where one of the two has a say in what replaces it."""
    older, newer = (item, other) if is_late else (other, item)
    is_free = item.key is None and other.key is None and not older.pinned and not is_plan
    if verdict.rule in _REPETITIONS:  # what is said again is no reason to doubt
        stays, goes = (newer, older) if verdict.rule == "restate" else (older, newer)
        is_free &= newer.source.name == older.source.name
        is_free &= stays.expires is None or stays.expires == goes.expires  # what ends does not stand for what stays
        is_free &= not verdict.is_guessed or _is_filed_alike(stays, goes)
        return verdict if is_free and _may_retire(newer.source, older.source) else None
    is_free &= {*newer.tags} >= {*older.tags} and not _ends_sooner(newer, older)
    return verdict if is_free and _may_retire(newer.source, older.source) else verdict._replace(retires=False)


def _ends_sooner(newer: MemoryItem, older: MemoryItem) -> bool:
    """Whether the newer one is gone while the older one would still hold: nothing would be left."""
    if newer.expires is None:
        return False
    return older.expires is None or newer.expires < older.expires


def _is_filed_alike(stays: MemoryItem, goes: MemoryItem) -> bool:
    """Whether a filter finds both or none: what is forgotten takes its other wordings along."""
    return (
        stays.kind == goes.kind
        and stays.speaker == goes.speaker
        and stays.session == goes.session
        and {*stays.tags} == {*goes.tags}
        and (not goes.metadata or stays.metadata == goes.metadata)
        and TRUST_LEVELS.index(stays.source.trust) >= TRUST_LEVELS.index(goes.source.trust)
    )


def _may_retire(newer: Source, older: Source) -> bool:
    """A web page does not change what the user said, nor does one source change what another one imported."""
    if newer.trust in _TRUSTED:
        return True
    return TRUST_LEVELS.index(newer.trust) >= TRUST_LEVELS.index(older.trust) and newer.name == older.name


def _said_before(beliefs: Sequence[Belief]) -> Belief | None:
    """The one that is merely said again, in other words; None where anything else follows from what was said."""
    certain = [belief for belief in beliefs if belief.verdict.retires and not belief.is_late]
    again = [belief for belief in certain if belief.verdict.rule == "reinforce"]
    return again[-1] if again and all(belief.verdict.rule in _REPETITIONS for belief in certain) else None


def _believed(item: MemoryItem, beliefs: Sequence[Belief], now: datetime) -> Decision:
    """What follows from all verdicts together."""
    superseded, doubted = [], []
    for other, verdict, is_late in beliefs:
        if verdict.rule == "reinforce" and verdict.is_guessed:
            continue  # the one that says more would go
        if is_late:
            if item.is_current:
                item = (
                    _retired(item, other, verdict, now) if verdict.retires else _suspected(item, other.id, verdict, now)
                )
        elif verdict.retires:
            superseded.append(_retired(other, item, verdict, now))
        else:
            doubted.append(_suspected(other, item.id, verdict, now))
    said = sum(1 + old.reinforced for old in superseded if old.restated)
    item = replace(item, reinforced=item.reinforced + said) if said else item
    outcome: Outcome = "superseded" if superseded and item.is_current else "added"
    return Decision(outcome=outcome, item=item, superseded=tuple(superseded), suspected=tuple(doubted))


def _retired(item: MemoryItem, by: MemoryItem, verdict: Verdict, now: datetime) -> MemoryItem:
    is_repetition = verdict.rule in _REPETITIONS
    return replace(retired(item, by=by, now=now, why=_explained(verdict)), restated=is_repetition)


def _suspected(item: MemoryItem, by: str, verdict: Verdict, now: datetime) -> MemoryItem:
    """The item with one more doubt about it."""
    if by in item.suspected_by:
        return item
    return replace(
        item,
        suspected_by=(*item.suspected_by, by),
        updated=max(now, item.updated),
        reason=f"perhaps outdated by {by}: {_explained(verdict)}",
    )


def _explained(verdict: Verdict) -> str:
    """The rule, the key and both values, for the history."""
    return f"{verdict.rule}, {verdict.key}: {verdict.old!r} → {verdict.new!r}"
