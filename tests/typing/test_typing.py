"""The types of the public API accept what is right and refuse what is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def errors_of(file: Path) -> set[tuple[int, str]]:
    """Line and code of each error that mypy finds."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-incremental", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(rf"^[^:]*{file.name}:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)
    assert bool(found) == (done.returncode == 1), done.stdout
    return {(int(line), code) for line, code in found}


def marked_in(file: Path) -> set[tuple[int, str]]:
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
    return {(number, match[1]) for number, line in lines if (match := re.search(r"# error: ([a-z-]+)$", line))}


def test_ordinary_use_is_accepted() -> None:
    assert errors_of(HERE / "accepted.py") == set()


def test_mistakes_are_refused_on_the_marked_lines(tmp_path: Path) -> None:
    unhushed = tmp_path / "refused.py"
    text = (HERE / "refused.py").read_text(encoding="utf-8")
    unhushed.write_text(text.replace("# mypy: ignore-errors", "#"), encoding="utf-8")
    marked = marked_in(unhushed)

    errors = errors_of(unhushed)

    assert len(marked) > 20
    assert errors == marked
