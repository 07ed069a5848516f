"""`serve` and `console`: the server, and a look into its memories in a browser."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truekeep import ConfigurationError
from truekeep.errors import BackendError
from truekeep.extras import to_install

from . import options, output, welcome

if TYPE_CHECKING:
    from pydantic import BaseModel


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
    from truekeep.server import settings

    chosen = settings.load(config, host=host, port=port, at=at, workers=workers, redact=redact, logs=logs)
    if not print_settings:
        from truekeep.server import run

        with suppress(KeyboardInterrupt):  # the usual end, and an orderly one
            run.serve(chosen, lambda start: welcome.announce(start, chosen))
    elif as_json:
        output.print_json(settings.as_record(settings.shown(chosen)))
    else:
        output.print_text("\n".join(_toml(settings.shown(chosen))))


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
        from truekeep.server import settings

        chosen = settings.load()
        server = f"http://{chosen.host if chosen.is_loopback else '127.0.0.1'}:{chosen.port}"
    import httpx  # on demand: no other command needs it to show its help

    try:
        httpx.get(f"{server}/health", timeout=5).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise BackendError(f"no server answers at {server}; start one with 'truekeep serve'") from error
    return server
