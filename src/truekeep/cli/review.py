"""`review`, `resolve`, `release`: what waits for somebody to look at it."""

from __future__ import annotations

from typing import Annotated

import typer

from truekeep import MemoryItem, wire
from truekeep.engine import requests

from . import options, output


def review(
    limit: Annotated[int, typer.Option(help="At most this many of each.")] = 100,
    space: options.Space = "default",
    at: options.At = None,
    key: options.Key = None,
    as_json: options.AsJson = False,
) -> None:
    """List doubts (a newer memory may have replaced an older one) and memories in quarantine, the latest first."""
    with options.open_memory(space, at, key) as memory:
        found = memory.review(limit=limit)
    if as_json:
        output.print_json(wire.record(found))
        return
    for suspicion in found.suspicions:
        output.say(f"doubt {suspicion.id}")
        output.say(f"  older, {_shown(suspicion.older)}")
        output.say(f"  newer, {_shown(suspicion.newer)}")
    for item in found.quarantined:
        output.say(f"quarantined {item.id}")
        output.say(f"  {_shown(item)}")
    if not found.suspicions and not found.quarantined:
        output.note("nothing waits for review")


def _shown(item: MemoryItem) -> str:
    who = item.speaker or item.source.name or item.source.role
    return f"{item.when:%Y-%m-%d}{f', {who}' if who else ''}: {item.content}"


def resolve(
    suspicion: Annotated[str, typer.Argument(help="The id of the doubt, as `review` lists it.")],
    keep: Annotated[str, typer.Option(help="Which is true: newer, older or both.")],
    space: options.Space = "default",
    at: options.At = None,
    key: options.Key = None,
    as_json: options.AsJson = False,
) -> None:
    """Settle a doubt: the newer memory supersedes the older one, or was wrong, or both are true."""
    with options.open_memory(space, at, key) as memory:
        settled = memory.resolve(suspicion, keep=requests.keep(keep))
    if as_json:
        output.print_json(wire.record(settled))
    else:
        output.say({"newer": "the newer one is kept", "older": "the older one is kept"}.get(keep, "both are kept"))


def release(
    id: Annotated[str, typer.Argument(help="The item.")],
    space: options.Space = "default",
    at: options.At = None,
    key: options.Key = None,
    as_json: options.AsJson = False,
) -> None:
    """Let a memory out of quarantine: from now on it is recalled like any other."""
    with options.open_memory(space, at, key) as memory:
        item = memory.release(id)
    if as_json:
        output.print_json(wire.record(item))
    else:
        output.say(f"released {item.id}")
