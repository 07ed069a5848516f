"""The first minutes: what one sees without a command, what `serve` says when it starts, and `demo`."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from truekeep import StoreError, __version__, settings
from truekeep.model.shown import counted

from . import options, output

if TYPE_CHECKING:
    from truekeep.server.run import Start
    from truekeep.server.settings import ServerSettings

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # addresses that nobody can open, and what opens them here
# What is asked shares no word with what was said.
_SAID, _ASKED = "The release train leaves on Thursdays at 14:00 UTC", "when do we ship?"
_PATIENCE = 120.0  # seconds for one process


def welcome() -> str:
    """The first commands, where memories live, and where help is."""
    file = settings.read().file
    made = "" if file.exists() else " (the first `remember` makes it)"
    return f"""\
Truekeep is a memory for AI agents that outlives the process. Begin with:

  truekeep remember "Ana prefers TypeScript over JavaScript"
  truekeep recall "which language should I use for Ana?"
  truekeep demo       one process remembers, another one recalls
  truekeep serve      the same memory over HTTP, with a console in the browser

Your memories live in {file}{made}; --at or TRUEKEEP_AT names another place.
All commands: truekeep --help. Is everything in order? truekeep doctor"""


def demo(call: options.Answering) -> None:
    """Show one process remembering and another one recalling by meaning, in a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="truekeep-demo-") as folder:
        file = str(Path(folder) / "memory.db")
        for command in (["remember", _SAID], ["recall", _ASKED, "--limit", "1"]):
            pid, printed = _run([*command, "--at", file])
            if call.as_json:
                output.print_json({"process": pid, "command": ["truekeep", *command], "printed": printed})
            else:
                output.say(f"$ truekeep {shlex.join(command)}", style="bold")
                output.say(printed)
                output.say(f"  (process {pid}, which has ended)\n", style="dim")
    if not call.as_json:
        output.say("The second process found by its meaning what the first one had left in the file.")


def _run(arguments: list[str]) -> tuple[int, str]:
    """Run a command in a process of its own; its id, and what it printed."""
    program = [sys.executable, "-m", "truekeep.cli.main", *arguments]
    with subprocess.Popen(program, stdout=subprocess.PIPE, encoding="utf-8") as process:
        printed, _ = process.communicate(timeout=_PATIENCE)
    if process.returncode:
        raise StoreError(f"a process of the demo ended with code {process.returncode}; `truekeep doctor` looks for why")
    return process.pid, printed.rstrip("\n")


def announce(start: Start, chosen: ServerSettings) -> None:
    """A screen for whoever sits at a terminal, the address for a program."""
    if sys.stdout.isatty():
        show(start, chosen)
    else:
        typer.echo(start.address)


def show(start: Start, chosen: ServerSettings) -> None:
    """The screen. Programs that read it would have to be told of every change: they get the address alone."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, said in _rows(start, chosen):
        rows.add_row(name, Text(output.printable(said), style="bold" if name == "Console" else ""))
    console = output.console()
    console.print(f"\nTruekeep {__version__}", style="bold")
    console.print(Padding(rows, (1, 2)))
    console.print("Ctrl-C stops it. Requests are logged below.\n", style="dim")


def _rows(start: Start, chosen: ServerSettings) -> Iterator[tuple[str, str]]:
    here = start.address
    for everywhere, name in _EVERYWHERE.items():
        here = here.replace(f"//{everywhere}:", f"//{name}:")
    yield "Listening", f"{start.address} ({'this machine only' if chosen.is_loopback else 'whoever reaches it'})"
    yield "Console", f"{here}/console"
    yield "REST", f"{here}/v1"
    yield "Docs", f"{here}/docs"
    yield "MCP", f"{here}/mcp"
    yield "Data", f"{start.location} ({_held(start)})"
    yield "Key", _key(start, chosen)


def _held(start: Start) -> str:
    from truekeep.server.run import COUNTED

    if not start.spaces:
        return "nothing remembered yet"
    if start.spaces > COUNTED:
        return f"more than {COUNTED:,} spaces"
    return f"{counted(start.spaces, 'space')} with {counted(start.items, 'item')}"


def _key(start: Start, chosen: ServerSettings) -> str:
    place = [] if chosen.at is None else ["--at", start.location]  # that one tells no password
    makes = f"'{shlex.join([*_program(), 'keys', 'create', *place])}' makes one"
    if not start.has_keys:
        return f"none needed; {makes}, and from then on everybody needs one"
    return (
        f"needed: that of TRUEKEEP_ADMIN_KEY or its file, or {makes}"
        if chosen.has_operators_key
        else f"needed; {makes}"
    )


def _program() -> list[str]:
    """As it can be typed here: `make run` has it in a folder that no shell looks into."""
    if shutil.which("truekeep"):
        return ["truekeep"]
    return [sys.executable, "-m", "truekeep.cli.main"] if sys.argv[0].endswith(".py") else [sys.argv[0]]
