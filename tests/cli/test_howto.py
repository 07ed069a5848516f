"""The commands of the how-to pages do what they say."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.run_page import agrees
from truekeep.hooks import line

from .shell import PROGRAM, Shell

pytestmark = pytest.mark.long

PAGES = Path(__file__).parent.parent.parent / "docs" / "how-to"


def steps(page: str) -> Iterator[tuple[str, str]]:
    """Each command of the console blocks, with the output that the page claims."""
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        yield from re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


@pytest.mark.skipif(sys.platform == "win32", reason="the page speaks to a POSIX shell")
@pytest.mark.parametrize(
    "page", ["command-line.md", "evaluate.md", "import-from-elsewhere.md", "coding-agents.md", "undo.md"]
)
def test_the_commands_of_a_page_do_what_it_says(shell: Shell, tmp_path: Path, page: str) -> None:
    program = tmp_path / "bin" / "truekeep"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nexec "' + '" "'.join(PROGRAM) + '" "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environment = shell.surroundings | {"PATH": path, "HOME": str(tmp_path)}

    try:
        for command, claimed in steps((PAGES / page).read_text()):
            done = subprocess.run(
                ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
            )

            assert agrees(claimed, done.stdout), f"{command} printed\n{done.stdout}{done.stderr}"
    finally:
        if (helper := line.running(str(shell.file.parent))) is not None:
            os.kill(helper, signal.SIGKILL)
