"""Every code block of the guides for classic AutoGen runs, and comes out as the page says, in two processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frameworks.guides import run_guide, wrong_blocks

GUIDES = [
    "remember-and-recall-tools.md",
    "persistent-agents.md",
    "hooks-tools-and-expiry.md",
    "group-chat-that-learns.md",
]


@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_does_what_it_says(guide: str, tmp_path: Path) -> None:
    run_guide(guide, tmp_path)


@pytest.mark.parametrize("guide", GUIDES)
def test_what_a_guide_only_shows_is_python(guide: str) -> None:
    assert wrong_blocks(guide) == []
