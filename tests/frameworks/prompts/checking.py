"""What holds for the prompts of every adapter, whichever framework makes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, block_lines, known, measured
from truekeep import Memory
from truekeep.fence import RECALL_OPEN

STEADY = 0.31  # of the lines of a block; twice as many as where each turn begins anew


def check_prompts(play: Callable[[Memory], list[Request]], folder: Path) -> None:
    """Over the scripted chat all that comes before the block of a request begins the next one, byte for byte."""
    with known(folder) as memory:
        requests = play(memory)
        recorded = [item.content for item in memory.items(limit=1000)]

    figures = measured(requests)
    assert len(requests) == len(TURNS)
    assert all(str(request[0]["content"]).startswith(SYSTEM) for request in requests)
    assert all(len(block_lines(request)) > 5 for request in requests)
    assert figures.prefix == 1.0
    assert figures.lines > STEADY
    assert [str(request).count(RECALL_OPEN) for request in requests] == [1] * len(TURNS)
    assert not any(RECALL_OPEN in content for content in recorded)
