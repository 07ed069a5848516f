"""Runs commands: many in this process, a few in one of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from truekeep.cli.program import app

PROGRAM = [sys.executable, "-W", "error", "-m", "truekeep"]

needs_a_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Shell:
    """A shell whose memories live in a folder of their own."""

    def __init__(self, home: Path) -> None:
        self.environment = {"TRUEKEEP_HOME": str(home)}
        self.file = home / "truekeep.db"

    @property
    def surroundings(self) -> dict[str, str]:
        """All variables of a process: ours, and those of the machine that do not change what commands do."""
        others = {name: value for name, value in os.environ.items() if not name.startswith(("TRUEKEEP_", "COLUMNS"))}
        return others | self.environment

    def __call__(self, *arguments: str, given: str | bytes | None = None) -> Said:
        """Run a command in this process."""
        dropped = dict.fromkeys(os.environ.keys() - self.surroundings.keys())
        done = CliRunner().invoke(
            app, arguments, input=given, env={**dropped, **self.environment}, catch_exceptions=False
        )
        return Said(code=done.exit_code, out=done.stdout, err=done.stderr)

    def ok(self, *arguments: str, given: str | bytes | None = None) -> Said:
        """Run a command that is expected to end well."""
        said = self(*arguments, given=given)
        assert (said.code, said.err) == (0, ""), said
        return said

    def process(self, *arguments: str, given: bytes = b"") -> Said:
        """Run a command in a process of its own."""
        done = subprocess.run(
            [*PROGRAM, *arguments], input=given, env=self.surroundings, capture_output=True, timeout=120
        )
        return Said(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    def on_a_terminal(self, *arguments: str, typed: bytes = b"", kind: str = "dumb") -> tuple[int, str]:
        """Run a command whose stdin and stderr are a terminal; its code, and what it printed there."""
        ours, theirs = os.openpty()
        with subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=theirs,
            stderr=theirs,
            stdout=subprocess.DEVNULL,
            env=self.surroundings | {"TERM": kind},
        ) as process:
            os.close(theirs)
            shown = b""
            os.write(ours, typed)
            while True:
                try:
                    read = os.read(ours, 4096)
                except OSError:  # the other end is closed
                    break
                if not read:
                    break
                shown += read
            code = process.wait(timeout=120)
        os.close(ours)
        return code, shown.decode()
