"""What the rules of the package, and plain figures, say of a newer statement and the older ones near it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from truekeep.engine.belief import Pair, Said, lead_of, signs_of

if TYPE_CHECKING:
    from .scenarios import Statement

NEAREST = 3  # older statements that a new one is compared with
NEAR = 0.2  # the cosine below which the product does not compare


def opinions(newer: Statement, older: Sequence[Statement], cosines: Sequence[float]) -> Iterator[dict[str, Any]]:
    """One record for each older statement, which come nearest first; the rules are asked about the nearest only."""
    for place, (statement, cosine) in enumerate(zip(older, cosines, strict=True)):
        others = [other for at, other in enumerate(cosines[:NEAREST]) if at != place and other >= NEAR]
        record: dict[str, Any] = {"cosine": round(cosine, 4)}
        if place < NEAREST:
            pair = Pair(_heard(newer), _heard(statement), cosine, lead_of(cosine, others))
            record["signs"] = {name: round(float(value), 3) for name, value in signs_of(pair).items() if value}
        yield record


def _heard(statement: Statement) -> Said:
    noon = datetime.combine(statement.day, time(12), tzinfo=UTC)
    return Said(content=statement.text, speaker=statement.speaker, when=noon)
