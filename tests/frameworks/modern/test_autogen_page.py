"""The page and the example of the AutoGen adapter do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frameworks.guides import ROOT, run_guide, wrong_blocks

EXAMPLE = ROOT / "examples" / "autogen" / "remember_across_processes.py"


@pytest.mark.timeout(240)
def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    run_guide("autogen.md", tmp_path)


def test_what_the_page_only_shows_is_python() -> None:
    assert wrong_blocks("autogen.md") == []


@pytest.mark.timeout(240)
def test_the_second_process_of_the_example_gets_what_the_first_one_was_told(tmp_path: Path) -> None:
    environment = {**os.environ, "TRUEKEEP_HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}

    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], env=environment, capture_output=True, text=True, timeout=200, check=True
    )

    first, second = done.stdout.split("The model received:")[1:]
    assert "recalled-memory" not in first
    assert "My dog is called Rex" in second.partition("UserMessage")[2]
    assert done.stderr == ""
