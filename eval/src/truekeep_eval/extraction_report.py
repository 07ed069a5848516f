"""What the verdicts on conversations come to: shares by kind and fold, and a record of every entry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .extraction import Judged
from .shares import Figures, Share, Shares, Target, by_fold, pooled, share_of

FORMAT = "truekeep-extraction"
TARGETS: Mapping[str, Target] = {
    "recall": Target(0.80, at_least=True),
    "precision": Target(0.85, at_least=True),
    "lessons": Target(0.85, at_least=True),
    "transient leak": Target(0.03, at_least=False),
    "secrets": Target(0, at_least=False),
    "forbidden": Target(0, at_least=False),
}


def figures(judged: Sequence[Judged], *, data: str, embedder: str, fold_of: Mapping[str, int] | None = None) -> Figures:
    """All figures of a run, by fold too if the folds are given."""
    parts = {one.id: shares(one) for one in judged}
    return Figures(
        format=FORMAT,
        data=data,
        embedder=embedder,
        entries=len(judged),
        overall=pooled(list(parts.values())),
        groups=_kinds(judged),
        folds=by_fold(parts, fold_of),
        targets=TARGETS,
    )


def shares(judged: Judged) -> dict[str, Share]:
    """What one conversation adds to each measure."""
    return {
        "recall": share_of(entry.is_found for entry in judged.durable),
        "precision": share_of(not one.is_false for one in judged.kept if one.is_scored),
        "kind": share_of(entry.has_kind for entry in judged.durable if entry.is_found),
        "lessons": share_of(entry.has_kind for entry in judged.lessons),
        "transient leak": share_of(judged.transient.values()),
        "secrets": share_of(judged.secrets.values()),
        "forbidden": share_of(judged.forbidden.values()),
        "conversations": share_of([judged.passed]),
    }


def _kinds(judged: Sequence[Judged]) -> dict[str, Shares]:
    """By the kind of what should be kept, or, for precision, of what was."""
    durable = [entry for one in judged for entry in one.durable]
    kept = [one for chat in judged for one in chat.kept if one.is_scored]
    kinds = dict.fromkeys([entry.kind for entry in durable] + [one.kind for one in kept])
    return {
        kind: {
            "recall": share_of(entry.is_found for entry in durable if entry.kind == kind),
            "precision": share_of(not one.is_false for one in kept if one.kind == kind),
            "kind": share_of(entry.has_kind for entry in durable if entry.kind == kind and entry.is_found),
        }
        for kind in sorted(kinds)
    }


def rows(judged: Sequence[Judged], *, fold_of: Mapping[str, int], hidden: Collection[int] = ()) -> list[dict[str, Any]]:
    """One record a durable entry, and one a conversation for what should not be; of hidden folds without any text."""
    found = []
    for one in judged:
        fold = fold_of[one.id]
        place = {"chat": one.id, "fold": fold}
        for number, entry in enumerate(one.durable):
            said = {"must_contain": list(entry.must_contain), "kept": _kept(one, entry.message)}
            verdict = {
                "kind": entry.kind,
                "message": entry.message,
                "found": entry.is_found,
                "has_kind": entry.has_kind,
            }
            found.append({**place, "entry": number, **verdict, **({} if fold in hidden else said)})
        said = {} if fold in hidden else _whole(one)
        found.append({**place, "entry": None, "passed": one.passed, **said})
    return found


def _kept(judged: Judged, message: int) -> list[dict[str, str]]:
    return [{"kind": one.kind, "content": one.content} for one in judged.kept if one.message == message]


def _whole(judged: Judged) -> dict[str, Any]:
    return {
        "false": [
            {"message": one.message, "kind": one.kind, "content": one.content} for one in judged.kept if one.is_false
        ],
        "secrets": [text for text, leaked in judged.secrets.items() if leaked],
        "forbidden": [text for text, leaked in judged.forbidden.items() if leaked],
    }


def failures(judged: Sequence[Judged]) -> Iterator[str]:
    """What went wrong, for a developer to read."""
    for one in judged:
        for entry in one.durable:
            if not entry.has_kind:
                what = "kept under another kind than" if entry.is_found else "not kept:"
                yield f"{one.id} message {entry.message}: {what} {entry.kind} {list(entry.must_contain)}"
                yield from (f"  kept ({kept['kind']}): {kept['content']!r}" for kept in _kept(one, entry.message))
        for kept in one.kept:
            if kept.is_false:
                yield f"{one.id} message {kept.message}: nothing should be kept ({kept.kind}): {kept.content!r}"
        for name, leaks in (("secret", one.secrets), ("forbidden", one.forbidden)):
            yield from (f"{one.id}: {name}, and stored: {text!r}" for text, leaked in leaks.items() if leaked)
