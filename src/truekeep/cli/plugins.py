"""Commands that other packages bring: an entry point `truekeep.commands`, a Typer app under the name of the command."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from typer.main import get_command

GROUP = "truekeep.commands"
OURS = frozenset({"eval"})  # in a folder of that name in the repository


def names() -> list[str]:
    return sorted({entry.name for entry in entry_points(group=GROUP)})


def command(name: str) -> Any:
    """The command of that name, or None."""
    for entry in entry_points(group=GROUP, name=name):
        found = get_command(entry.load())
        found.name = name
        return found
    return None
