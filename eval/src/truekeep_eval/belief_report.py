"""What the verdicts on scenarios come to: shares by category and fold, and a record of every ask."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .belief import Asked, Judged
from .shares import Figures, Share, Shares, Target, by_fold, mean, pooled, share_of

FORMAT = "truekeep-belief"
TARGETS: Mapping[str, Target] = {
    "current": Target(0.95, at_least=True),
    "stale": Target(0.15, at_least=False),
    "false retirement": Target(0, at_least=False),
    "false suspicion": Target(0.08, at_least=False),
    "same": Target(0.80, at_least=True),
}


def figures(judged: Sequence[Judged], *, data: str, embedder: str, fold_of: Mapping[str, int] | None = None) -> Figures:
    """All figures of a run, by fold too if the folds are given; the mean over categories is the headline."""
    parts = {one.id: shares(one) for one in judged}
    categories: dict[str, list[Shares]] = {}
    for one in judged:
        categories.setdefault(one.category, []).append(parts[one.id])
    groups = {category: pooled(found) for category, found in categories.items()}
    overall = pooled(list(parts.values()))
    means = {name: mean(groups.values(), name) for name in overall}
    return Figures(
        format=FORMAT,
        data=data,
        embedder=embedder,
        entries=len(judged),
        overall=overall,
        groups=groups,
        means={name: value for name, value in means.items() if value is not None},
        folds=by_fold(parts, fold_of),
        targets=TARGETS,
    )


def shares(judged: Judged) -> dict[str, Share]:
    """What one scenario adds to each measure."""
    fates = [fate for ask in judged.asks for fate in ask.stale.values()]
    return {
        "current": share_of(found for ask in judged.asks for found in ask.current.values()),
        "stale": share_of(fate == "fault" for fate in fates),
        "suspected": share_of(fate == "suspected" for fate in fates),
        "retired": share_of(fate == "retired" for fate in fates),
        "history": share_of(found for ask in judged.asks for found in ask.history.values()),
        "false retirement": share_of(stay.state != "current" for stay in judged.stays),
        "false suspicion": share_of(stay.suspected for stay in judged.stays),
        "other retirement": share_of(stay.state != "current" for stay in judged.others),
        "same": share_of(group.right for group in judged.groups),
        "asks": share_of(ask.passed for ask in judged.asks),
        "scenarios": share_of([judged.passed]),
    }


def rows(judged: Sequence[Judged], *, fold_of: Mapping[str, int], hidden: Collection[int] = ()) -> list[dict[str, Any]]:
    """One record an ask, and one a scenario for what is judged as a whole; of hidden folds without any text."""
    found = []
    for one in judged:
        fold = fold_of[one.id]
        place = {"scenario": one.id, "category": one.category, "fold": fold}
        for ask in one.asks:
            said = {} if fold in hidden else _ask(ask)
            found.append({**place, "ask": ask.number, "passed": ask.passed, **said})
        said = {} if fold in hidden else _whole(one)
        found.append({**place, "ask": None, "passed": one.passed, **said})
    return found


def _ask(ask: Asked) -> dict[str, Any]:
    returned = [
        {"content": one.content, "when": one.when.isoformat(), "speaker": one.speaker, "marked": one.marked}
        for one in ask.returned
    ]
    return {
        "query": ask.query,
        "current": dict(ask.current),
        "stale": dict(ask.stale),
        "history": dict(ask.history),
        "returned": returned,
    }


def _whole(judged: Judged) -> dict[str, Any]:
    return {
        "must_stay": [{"text": stay.text, "state": stay.state, "suspected": stay.suspected} for stay in judged.stays],
        "others": [{"text": stay.text, "state": stay.state, "suspected": stay.suspected} for stay in judged.others],
        "same": [{"steps": list(group.steps), "right": group.right} for group in judged.groups],
    }


def failures(judged: Sequence[Judged]) -> Iterator[str]:
    """What went wrong, for a developer to read."""
    for one in judged:
        for ask in one.asks:
            if not ask.passed:
                yield from _failed(f"{one.id} {one.category}", ask)
        for stay in one.stays:
            if stay.state != "current" or stay.suspected:
                what = "falsely suspected" if stay.state == "current" else f"had to stay, is {stay.state}"
                yield f"{one.id} {one.category}: {what}: {stay.text!r}"
        for group in one.groups:
            if not group.right:
                yield f"{one.id} {one.category}: steps {list(group.steps)} did not leave one memory"
        for other in one.others:
            if other.state != "current":
                yield f"{one.id} {one.category}: nothing took its place, is {other.state}: {other.text!r}"


def _failed(where: str, ask: Asked) -> Iterator[str]:
    yield f"{where}, ask {ask.number}: {ask.query!r}"
    yield from (f"  current, not found: {text!r}" for text, found in ask.current.items() if not found)
    yield from (f"  stale, returned without a mark: {text!r}" for text, fate in ask.stale.items() if fate == "fault")
    yield from (f"  history, not found: {text!r}" for text, found in ask.history.items() if not found)
    yield from (f"  came back{' (marked)' if one.marked else ''}: {one.content!r}" for one in ask.returned)
