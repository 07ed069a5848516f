"""What the rules of the package, and plain figures, say of a newer statement and the older ones near it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from truekeep.engine.belief import Said, judge, lead_of
from truekeep.engine.belief.judging import Pair

if TYPE_CHECKING:
    from .scenarios import Statement

NEAREST = 3  # older statements that a new one is compared with
NEAR = 0.35  # the cosine below which the product does not compare
_REPEATS = ("reinforce", "restate")


def opinions(newer: Statement, older: Sequence[Statement], cosines: Sequence[float]) -> Iterator[dict[str, Any]]:
    """One record for each older statement, which come nearest first; the rules are asked about the nearest only."""
    for place, (statement, cosine) in enumerate(zip(older, cosines, strict=True)):
        others = [other for at, other in enumerate(cosines[:NEAREST]) if at != place and other >= NEAR]
        lead = lead_of(cosine, others)
        record = {
            "cosine": round(cosine, 4),
            "lead": round(lead, 4),
            "days": (newer.day - statement.day).days,
            "same speaker": newer.speaker == statement.speaker,
            "by assistant": newer.speaker == "assistant",
        }
        if place < NEAREST and cosine >= NEAR:
            record |= _opinion(newer, statement, cosine, lead)
        yield record


def _opinion(newer: Statement, older: Statement, cosine: float, lead: float) -> dict[str, Any]:
    new, old = _heard(newer), _heard(older)
    verdict = judge(new, old, cosine, lead)
    pair = Pair(new, old, cosine, lead)
    signs = pair.signs() if pair.mine.clauses and pair.theirs.clauses else None
    is_repeat = verdict is not None and verdict.rule in _REPEATS
    return {
        "repeats": is_repeat,
        "changes": verdict.certainty if verdict is not None and not is_repeat else 0.0,
        "retires": verdict is not None and verdict.retires and not is_repeat,
        "signs": {name: round(float(value), 3) for name, value in (signs or {}).items() if value},
    }


def _heard(statement: Statement) -> Said:
    noon = datetime.combine(statement.day, time(12), tzinfo=UTC)
    return Said(content=statement.text, speaker=statement.speaker, when=noon)
