"""`review`, `resolve`, `release`: what waits for somebody to look at it."""

from __future__ import annotations

from typing import Annotated

import typer

from truekeep import MemoryItem
from truekeep.engine import requests

from . import options, output


def review(call: options.Call, limit: Annotated[int, typer.Option(help="At most this many of each.")] = 100) -> None:
    """List doubts (a newer memory may have replaced an older one), memories in quarantine, and those that mention
    somebody who was erased, the latest first."""
    with call.memory() as memory:
        found = memory.review(limit=limit)
    if call.as_json:
        output.print_json(found)
        return
    for suspicion in found.suspicions:
        output.say(f"doubt {suspicion.id}")
        output.say(f"  older, {_shown(suspicion.older)}")
        output.say(f"  newer, {_shown(suspicion.newer)}")
    for what, items in (("quarantined", found.quarantined), ("mentions somebody erased", found.mentions)):
        for item in items:
            output.say(f"{what} {item.id}")
            output.say(f"  {_shown(item)}")
    if not (found.suspicions or found.quarantined or found.mentions):
        output.note("nothing waits for review")


def _shown(item: MemoryItem) -> str:
    who = item.speaker or item.source.name or item.source.role
    return f"{item.when:%Y-%m-%d}{f', {who}' if who else ''}: {item.content}"


def resolve(
    call: options.Call,
    suspicion: Annotated[str, typer.Argument(help="The id of the doubt, as `review` lists it.")],
    keep: Annotated[str, typer.Option(help="Which is true: newer, older or both.")],
) -> None:
    """Settle a doubt: the newer memory supersedes the older one, or was wrong, or both are true."""
    with call.memory() as memory:
        settled = memory.resolve(suspicion, keep=requests.keep(keep))
    kept = "both are kept" if keep == "both" else f"the {keep} one is kept"
    call.answer(settled, kept)


def release(call: options.Call, id: Annotated[str, typer.Argument(help="The item.")]) -> None:
    """Let a memory out of quarantine, or keep one that mentions somebody who was erased: somebody looked at it."""
    with call.memory() as memory:
        item = memory.release(id)
    call.answer(item, f"released {item.id}")
