"""Commands that may take long show a bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.tests.sets import FACTS, written

from .shell import Shell, needs_a_terminal

pytestmark = pytest.mark.long

LONG = {
    "checking the machine": ("doctor",),
    "restoring": ("import", "EXPORT"),
    "bringing in": ("import", "--from", "markdown", "NOTES"),
    "exporting": ("export", "NEW"),
    "copying": ("backup", "NEW"),
    "local/default": ("migrate", "--from", "STORE", "--to", "NEW"),
    "evaluating": ("eval", "recall", "--data", "SET"),
}


@pytest.fixture
def places(shell: Shell, tmp_path: Path) -> dict[str, str]:
    """A name for each file that the commands take."""
    shell.ok("remember", "Ana drinks tea")
    shell.ok("export", str(tmp_path / "export.jsonl"))
    (tmp_path / "notes.md").write_text("- Bob lives in Porto\n")
    written(tmp_path / "set.jsonl.gz", FACTS)
    names = {"EXPORT": "export.jsonl", "NOTES": "notes.md", "SET": "set.jsonl.gz", "NEW": "new"}
    return {name: str(tmp_path / file) for name, file in names.items()} | {"STORE": str(shell.file)}


@needs_a_terminal
@pytest.mark.parametrize("told", LONG)
def test_a_long_command_shows_a_bar_on_a_terminal(shell: Shell, places: dict[str, str], told: str) -> None:
    command = [places.get(word, word) for word in LONG[told]]

    code, shown = shell.on_a_terminal(*command, kind="xterm")

    assert code == 0
    assert told in shown


@pytest.mark.parametrize("told", LONG)
def test_without_a_terminal_it_shows_nothing(shell: Shell, places: dict[str, str], told: str) -> None:
    shell.ok(*(places.get(word, word) for word in LONG[told]))  # which refuses any word on stderr
