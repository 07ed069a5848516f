"""`feed`: what changes in all memories, for programs that follow."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Annotated

import typer

from truekeep import FeedEvent, InvalidInput, Memory

from . import options, output

_WAIT = timedelta(seconds=30)  # for a change, at a time


def feed(
    call: options.OfPlace,
    reader: Annotated[
        str | None, typer.Argument(help="The name under which it is kept how far you have come.", metavar="READER")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on, and wait for what changes.")] = False,
    limit: Annotated[int, typer.Option(help="At most so many at a time.")] = 100,
    skip: Annotated[bool, typer.Option("--skip", help="Print nothing; go on from what changes from now on.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Forget how far the reader has come.")] = False,
) -> None:
    """Print what changed in all memories since the last time, and note that; without READER, list those who follow.

    What was printed is noted afterwards: who is interrupted is told some of it again, and misses nothing.
    """
    with call.opened() as memory:
        if reader is None:
            if follow or skip or drop:
                raise InvalidInput("READER", "is missing; give the name under which it is kept how far you have come")
            head = ("spaces", "behind", "last read", "reader")
            call.table(memory.readers(), head, lambda one: (one.spaces, one.behind, one.updated, one.name))
        elif drop:
            memory.drop_reader(reader)
            call.answer({"dropped": reader}, f"dropped {reader}")
        elif skip:
            moved = memory.acknowledge(reader)
            call.answer(moved, f"{reader} goes on from here, in {moved.spaces:,} spaces")
        else:
            _tell(memory, reader, follow=follow, limit=limit, as_json=call.as_json)


def _tell(memory: Memory, reader: str, *, follow: bool, limit: int, as_json: bool) -> None:
    while True:
        found = memory.feed(reader, limit=limit, wait=_WAIT if follow else None)
        for event in found.events:
            if as_json:
                output.print_json(event)
            else:
                output.say(_line(event))
        sys.stdout.flush()  # first: what is noted was printed
        if found.positions:
            memory.acknowledge(reader, found.positions)
        if not found.more and not follow:
            return


def _line(event: FeedEvent) -> str:
    told = "" if event.item is None else f"  {event.item.content}"
    return output.one_line(f"{event.type:6}  {event.space}  {event.id}{told}")
