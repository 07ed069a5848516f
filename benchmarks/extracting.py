"""How long the rules take to read a megabyte: a usual transcript, and texts made to be slow."""

from __future__ import annotations

from collections.abc import Iterator

from truekeep.engine.messages import messages_of
from truekeep.extractors.rules import RulesExtractor

from .measure import Check, Result, timed
from .workbench import Workbench

_MEGABYTE = 1_000_000
_LIMIT = 2_000  # milliseconds
_CHAT = """\
Ana: morning! did the crates arrive?
Ben: yes, 40 of them. Two were broken, the carrier knows already.
Ana: ok. We decided to store the glass on the ground floor, because the lift is too small for pallets.
Ben: fine by me
Cleo: I prefer the blue labels, by the way. The white ones peel off when it's damp.
Ana: noted. Can you order some?
Ben: on it
Cleo: we tried stacking them five high in March and the bottom row cracked, so four at most.
"""
_NASTY = {
    "one letter": "a",
    "empty lines": "\n",
    "short words": "a a a ",
    "quotation marks": '"',
    "open fences": "```\nx\n",
    "attempts": "I tried ",
    "labels": "x y: ",
}


def extract(bench: Workbench) -> Iterator[Result]:
    """One megabyte of a transcript, and of each nasty text."""
    repeats = 2 if bench.quick else 5
    for name, unit in {"a chat": _CHAT, **_NASTY}.items():
        text = unit * (_MEGABYTE // len(unit))
        timing = timed(lambda said: RulesExtractor().extract(messages_of(said)), [text] * repeats)
        check = Check(timing.cpu_p50, _LIMIT, " ms")
        yield Result(case=f"extract 1 MB of {name}", items=1, timing=timing, checks=[check])
