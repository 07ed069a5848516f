"""No regular expression of the package takes more than linear time, whatever it is given."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial

from .growth import grows_too_fast, repeated
from .patterns import patterns, ways
from .units import FIXED

CHAOS = os.environ.get("TEST_TRUEKEEP_CHAOS") == "1"
FEW = (" ", "\n", "a", "a ", "1", "-", "<")
# Patterns that never see a long text, and why.
BOUNDED = {
    "truekeep.engine.belief.gist._CLAUSE": "4,000 characters, with single blanks",
    "truekeep.engine.belief.spans.": "the same",
    "truekeep.extractors.rules.": "sentences of at most 1,000 characters, with single blanks",
    "truekeep.cli.words._PART": "what _SPAN matches as a whole",
}


def test_every_pattern_of_the_package_is_found() -> None:
    found = patterns()

    assert len(found) > 400
    for name in ("language.sentences._GAP", "engine.hygiene.instructions.patterns()", "engine.hygiene.named._link()"):
        assert any(where.startswith(f"truekeep.{name}") for where in found)


def test_no_pattern_takes_more_than_linear_time() -> None:
    tried: set[tuple[str, int, str]] = set()
    slow = {}
    for where, pattern in patterns().items():
        for way in ways(where):
            key = (pattern.pattern, pattern.flags, way)
            if key in tried or where.startswith(tuple(BOUNDED)):
                continue
            tried.add(key)
            for unit in FIXED if CHAOS else FEW:
                if told := grows_too_fast(_tried(pattern, way), partial(repeated, unit)):
                    slow[where, way, unit] = told

    assert slow == {}


def _tried(pattern: re.Pattern[str], way: str) -> Callable[[str], object]:
    match way:
        case "finditer":
            return lambda text: list(pattern.finditer(text))
        case "sub":
            return lambda text: pattern.sub("", text)
        case _:
            found: Callable[[str], object] = getattr(pattern, way)
            return found
