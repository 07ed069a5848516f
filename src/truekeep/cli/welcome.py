"""What `serve` says when it starts: a screen for whoever sits at a terminal, the address for a program."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from truekeep import __version__

from . import output

if TYPE_CHECKING:
    from truekeep.server.run import Start
    from truekeep.server.settings import ServerSettings

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # addresses that nobody can open, and what opens them here


def announce(start: Start, settings: ServerSettings) -> None:
    if sys.stdout.isatty():
        show(start, settings)
    else:
        typer.echo(start.address)


def show(start: Start, settings: ServerSettings) -> None:
    """The screen. Programs that read it would have to be told of every change: they get the address alone."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, said in _rows(start, settings):
        rows.add_row(name, Text(output.printable(said), style="bold" if name == "Console" else ""))
    console = output.console()
    console.print(f"\nTruekeep {__version__}", style="bold")
    console.print(Padding(rows, (1, 2)))
    console.print("Ctrl-C stops it. Requests are logged below.\n", style="dim")


def _rows(start: Start, settings: ServerSettings) -> Iterator[tuple[str, str]]:
    here = start.address
    for everywhere, name in _EVERYWHERE.items():
        here = here.replace(f"//{everywhere}:", f"//{name}:")
    yield "Listening", f"{start.address} ({'this machine only' if settings.is_loopback else 'whoever reaches it'})"
    yield "Console", f"{here}/console"
    yield "REST", f"{here}/v1"
    yield "Docs", f"{here}/docs"
    yield "MCP", f"{here}/mcp"
    yield "Data", f"{start.location} ({_held(start)})"
    yield "Key", _key(start, settings)


def _held(start: Start) -> str:
    from truekeep.server.run import COUNTED

    if not start.spaces:
        return "nothing remembered yet"
    if start.spaces > COUNTED:
        return f"more than {COUNTED:,} spaces"
    return f"{_counted(start.spaces, 'space')} with {_counted(start.items, 'item')}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _key(start: Start, settings: ServerSettings) -> str:
    place = [] if settings.at is None else ["--at", start.location]  # that one tells no password
    makes = f"'{shlex.join([*_program(), 'keys', 'create', *place])}' makes one"
    if not start.has_keys:
        return f"none needed; {makes}, and from then on everybody needs one"
    return f"needed; {makes}" if settings.admin_key is None else f"needed: that of TRUEKEEP_ADMIN_KEY, or {makes}"


def _program() -> list[str]:
    """As it can be typed here: `make run` has it in a folder that no shell looks into."""
    if shutil.which("truekeep"):
        return ["truekeep"]
    return [sys.executable, "-m", "truekeep.cli.main"] if sys.argv[0].endswith(".py") else [sys.argv[0]]
