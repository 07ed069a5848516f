"""Runs a guide of docs/how-to as its reader would: its last part in a process of its own, in the same folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.run_page import FENCE, blocks

ROOT = Path(__file__).parent.parent.parent
HOW_TO = ROOT / "docs" / "how-to"
RUN_PAGE = ROOT / "tests" / "docs" / "run_page.py"
ANOTHER_PROCESS = "\n## In another process\n"


def parts(page: str) -> tuple[str, str]:
    """What two processes run, each with the line numbers of the whole page."""
    first, heading, second = page.partition(ANOTHER_PROCESS)
    assert heading, f"the page has no heading {ANOTHER_PROCESS.strip()!r}"
    return first + "\n", "\n" * first.count("\n") + heading + second


def run_guide(name: str, folder: Path) -> None:
    for number, part in enumerate(parts((HOW_TO / name).read_text())):
        assert list(blocks(part)), "there is nothing to run"
        copied = folder / str(number) / name
        copied.parent.mkdir()
        copied.write_text(part)
        _run(copied, folder)


def wrong_blocks(name: str) -> list[str]:
    """The blocks that are only shown, because they need a key or a server: they shall at least be Python."""
    wrong = []
    for fence in FENCE.finditer((HOW_TO / name).read_text()):
        try:
            compile(fence[2] if fence[1] == "py" else "", name, "exec")
        except SyntaxError as error:
            wrong.append(f"{error}: {fence[2]}")
    return wrong


def _run(page: Path, folder: Path) -> None:
    environment = {**os.environ, "TRUEKEEP_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, str(RUN_PAGE), str(page)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr  # nor in the log of what was done in the background
