"""The guide for AG2 does what it says, and its example shows a memory that outlives the process."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.guides import run_guide

from .run_example import run_example


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("ag2.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("ag2/remember_across_processes.py", tmp_path)

    assert "peanuts" not in first.partition("the model was shown")[2]
    assert "I am allergic to peanuts" in second.partition("the model was shown")[2]
    assert "peanuts" not in stranger
