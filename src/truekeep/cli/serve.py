"""The first minutes: what one sees without a command, `demo`, `serve` with what it says when it starts, `console`."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truekeep import ConfigurationError, StoreError, __version__, settings
from truekeep.errors import BackendError
from truekeep.extras import to_install
from truekeep.model.shown import counted

from . import options, output

if TYPE_CHECKING:
    from pydantic import BaseModel

    from truekeep.server.run import Start
    from truekeep.server.settings import ServerSettings

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # addresses that nobody can open, and what opens them here
# What is asked shares no word with what was said.
_SAID, _ASKED = "The release train leaves on Thursdays at 14:00 UTC", "when do we ship?"
_PATIENCE = 120.0  # seconds for one process


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on; any but loopback asks for a key.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on; 0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(help="How many processes serve; they share the store.")] = None,
    redact: Annotated[
        str | None, typer.Option(help="What is done about secrets: on, flag, refuse or off.", metavar="MODE")
    ] = None,
    logs: Annotated[
        str | None,
        typer.Option(help="How it is logged: plain or json; else plain on a terminal, json elsewhere.", metavar="FORM"),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with settings.", metavar="FILE")] = None,
    print_settings: Annotated[bool, typer.Option("--print-settings", help="Print the settings and end.")] = False,
    at: options.At = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False,
) -> None:
    """Serve memories over HTTP, until interrupted.

    Options win over TRUEKEEP_* variables, and those over the file. What --print-settings prints is such a file.
    """
    if missing := [name for name in ("fastapi", "jinja2", "pydantic_settings", "uvicorn") if find_spec(name) is None]:
        raise ConfigurationError(f"the server needs {missing[0]}: {to_install('server')}")
    from truekeep.server.settings import as_record, load, shown

    chosen = load(config, host=host, port=port, at=at, workers=workers, redact=redact, logs=logs)
    if not print_settings:
        from truekeep.server import run

        with suppress(KeyboardInterrupt):  # the usual end, and an orderly one
            run.serve(chosen, lambda start: announce(start, chosen))
    elif as_json:
        output.print_json(as_record(shown(chosen)))
    else:
        output.print_text("\n".join(_toml(shown(chosen))))


def _toml(settings: BaseModel, heading: str = "") -> Iterator[str]:
    """The settings as a file; those that are unset stand there as comments. Tables come last, as TOML asks."""
    if heading:
        yield f"\n[{heading}]"
    tables: list[tuple[str, Any]] = []
    dumped = settings.model_dump(mode="json")
    for name, field in type(settings).model_fields.items():
        if isinstance(dumped[name], dict):
            tables.append((name, getattr(settings, name)))
            continue
        about = f"  # {field.description}" if field.description else ""
        if dumped[name] is None:
            yield f"# {name} ={about}"
        elif hasattr(getattr(settings, name), "get_secret_value"):  # asterisks in a file would become the secret
            yield f"# {name} = is set, and not shown{about}"
        else:
            yield f"{name} = {json.dumps(dumped[name])}{about}"
    for name, table in tables:
        yield from _toml(table, name)


def console(
    call: options.OfStore,
    browser: Annotated[bool, typer.Option(help="Open a browser, or only print the address.")] = True,
) -> None:
    """Open the console of a running server in a browser, and print its address.

    Without --at http://..., the server is the one that `truekeep serve` would start here.
    """
    address = f"{_server(call.at)}/console"
    opened = browser and webbrowser.open(address)
    call.answer({"address": address, "opened": opened}, address)
    if browser and not opened and not call.as_json:
        output.note("there is no browser here; open this address in one")


def _server(at: str | None) -> str:
    """The address of a server that answers."""
    if at is not None and options.is_served(at):
        server = at.rstrip("/")
    else:
        from truekeep.server.settings import load

        chosen = load()
        server = f"http://{chosen.host if chosen.is_loopback else '127.0.0.1'}:{chosen.port}"
    import httpx  # on demand: no other command needs it to show its help

    try:
        httpx.get(f"{server}/health", timeout=5).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise BackendError(f"no server answers at {server}; start one with 'truekeep serve'") from error
    return server


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
