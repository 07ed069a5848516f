"""Fuzz the judge of beliefs and its reader of periods with atheris: no input may raise, and none may take long.

    python -m tests.chaos.fuzz_belief -max_total_time=60 -timeout=5

All arguments go to libFuzzer; see fuzzing.py.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.chaos.fuzzing import fuzz
from truekeep.engine.belief import Pair, Said, holds_until, settle, verdicts

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
KINDS = ("fact", "lesson", "preference")


def check_pair(new: str, old: str, likeness: float | None, lead: float) -> None:
    """Two statements: the judgement is certain to a degree, and what is only doubted is not retired."""
    later = Said(content=new, speaker="Ana", kind=KINDS[len(new) % 3], when=NOW + timedelta(days=1))
    before = Said(content=old, speaker="user", kind=KINDS[len(old) % 3], when=NOW)
    (verdict,) = verdicts([Pair(later, before, likeness, lead)])
    if verdict is not None:
        assert 0 <= verdict.certainty <= 1
        assert verdict.rule != "partial" or not verdict.retires
        assert settle([(0, verdict)]) == [(0, verdict)]


def check_period(text: str) -> None:
    """A statement: what it says of its end is a time with a time zone."""
    found = holds_until(text, NOW)
    assert found is None or found.tzinfo is not None


def one_input(provider: Any) -> None:
    likeness, lead = provider.ConsumeFloatInRange(-1.0, 1.0), provider.ConsumeFloatInRange(-0.3, 0.3)
    new, old = provider.ConsumeUnicode(1_024), provider.ConsumeUnicode(1_024)
    check_pair(new, old, None if lead == 0 else likeness, lead)
    check_pair(f"{old} {new}", old, 0.8, 0.1)
    check_period(new)


if __name__ == "__main__":
    fuzz(one_input)
