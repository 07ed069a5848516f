"""`console`: a look into the memories of a server, in a browser."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from truekeep.errors import BackendError

from . import options, output


def console(
    browser: Annotated[bool, typer.Option(help="Open a browser, or only print the address.")] = True,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """Open the console of a running server in a browser, and print its address.

    Without --at http://..., the server is the one that `truekeep serve` would start here.
    """
    address = f"{_server(at)}/console"
    opened = browser and webbrowser.open(address)
    if as_json:
        output.print_json({"address": address, "opened": opened})
        return
    output.say(address)
    if browser and not opened:
        output.note("there is no browser here; open this address in one")


def _server(at: str | None) -> str:
    """The address of a server that answers."""
    if at is not None and options.is_served(at):
        server = at.rstrip("/")
    else:
        from truekeep.server import settings

        chosen = settings.load()
        server = f"http://{chosen.host if chosen.is_loopback else '127.0.0.1'}:{chosen.port}"
    import httpx  # on demand: no other command needs it to show its help

    try:
        httpx.get(f"{server}/health", timeout=5).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise BackendError(f"no server answers at {server}; start one with 'truekeep serve'") from error
    return server
