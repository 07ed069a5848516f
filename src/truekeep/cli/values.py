"""`values`: JSON under keys."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from truekeep import NotFound

from . import options, output, words

app = typer.Typer(help="JSON under keys: get, set, delete, list.")

Name = Annotated[str, typer.Argument(help="The key of the value.", metavar="KEY")]


@options.command(app)
def get(call: options.Call, name: Name) -> None:
    """Print the JSON under a key; with --json also its version and times."""
    with call.memory() as memory:
        found = memory.value(name)
    if found is None:
        raise NotFound(f"no value under {name!r} in the space {call.space!r}")
    output.print_json(found if call.as_json else found.value)


@options.command(app)
def set_(
    call: options.Call,
    name: Name,
    value: Annotated[str, typer.Argument(help="JSON, or - to read it from stdin; null deletes.", metavar="JSON")],
    ttl: options.Ttl = None,
    if_version: Annotated[
        int | None, typer.Option(help="Only if this is the present version (0: only if there is none).")
    ] = None,
) -> None:
    """Keep JSON under a key."""
    parsed: Any = words.json_value(words.stdin_text("JSON") if value == "-" else value)
    with call.memory() as memory:
        kept = memory.set(name, parsed, ttl=ttl, if_version=if_version)
    if kept is None:
        call.answer({"deleted": name}, f"deleted {name}")
    else:
        call.answer(kept, f"set {name}, version {kept.version}")


@options.command(app)
def delete(call: options.Call, name: Name) -> None:
    """Delete the value under a key."""
    with call.memory() as memory:
        if not memory.delete(name):
            raise NotFound(f"no value under {name!r} in the space {call.space!r}")
    call.answer({"deleted": name}, f"deleted {name}")


@options.command(app)
def list_(call: options.Call) -> None:
    """List the keys that have a value; with --json one a line."""
    with call.memory() as memory:
        keys = memory.keys()
    if call.as_json:
        output.print_json(*keys)
    else:
        for name in keys:
            output.say(name)
