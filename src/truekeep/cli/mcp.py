"""`mcp`: a memory for hosts that speak the Model Context Protocol, over standard input and output."""

from __future__ import annotations

import logging
import shlex
import shutil
import sys
from contextlib import suppress
from typing import Annotated, Any

import typer

from . import options, output


def mcp(
    space: options.Space = "default",
    read: Annotated[
        list[str] | None, typer.Option("--read", help="A further space that is read, not written (repeat it).")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer no tools that write.")] = False,
    print_settings: Annotated[
        bool, typer.Option("--print-settings", help="Print the command that a host has to start, and end.")
    ] = False,
    at: options.At = None,
    key: options.Key = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as most hosts want them.")] = False,
) -> None:
    """Give an MCP host a memory, over standard input and output. Hosts start this themselves.

    On a server of your own, hosts find the same tools at /mcp.
    """
    if print_settings:
        command = _command(space, read or [], read_only=read_only, at=at)
        if as_json:
            output.print_json({"mcpServers": {"memory": _entry(command, with_key=key is not None)}})
        else:
            output.print_text(shlex.join(command))
        return
    from truekeep.adapters.common import Scopes, Spaces
    from truekeep.adapters.mcp import OwnDoor, serve_stdio

    _log_to_stderr()
    scopes = Scopes([space, *(read or [])], None if read_only else space)
    spaces = Spaces(scopes, at=at, key=key if options.is_served(at) else None)
    with suppress(KeyboardInterrupt):  # the usual end at a terminal
        serve_stdio(OwnDoor(spaces), writable=not read_only)
    spaces.close()


def _log_to_stderr() -> None:
    """Hosts keep what they find there, so it had better be nobody's text."""
    from truekeep.adapters.common.discretion import Discreet

    handler = logging.StreamHandler()
    handler.addFilter(Discreet())
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", handlers=[handler])


def program() -> list[str]:
    """How a host starts us: with the whole path, since hosts do not have the shell's, and no module of the folder."""
    found = shutil.which("truekeep")
    return [sys.executable, "-P", "-m", "truekeep.cli.main"] if found is None else [found]


def _command(space: str, read: list[str], *, read_only: bool, at: str | None) -> list[str]:
    further = [word for name in read for word in ("--read", name)]
    place = [] if at is None else ["--at", at]
    return [*program(), "mcp", "--space", space, *further, *(["--read-only"] if read_only else []), *place]


def _entry(command: list[str], *, with_key: bool) -> dict[str, Any]:
    """The key itself is not printed: terminals and logs keep what they see."""
    entry: dict[str, Any] = {"command": command[0], "args": command[1:]}
    return {**entry, "env": {"TRUEKEEP_KEY": "tk_..."}} if with_key else entry
