"""`forget`: erase for good, after asking."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

import typer

from truekeep import InvalidInput, Memory, Receipt
from truekeep.model.shown import counted

from . import options, output, words

_COUNTED = 1_000  # items that are counted before somebody is asked
_WIPED_WITHIN = 10.0  # seconds that the bytes of what was forgotten are waited for


def forget(
    call: options.Call,
    id: Annotated[str | None, typer.Argument(help="This item.", metavar="ID")] = None,
    kind: options.Kinds = None,
    tag: options.AllTags = None,
    session: options.InSession = None,
    speaker: options.BySpeaker = None,
    source: Annotated[str | None, typer.Option(help="From the source of this name: rolls it back as a whole.")] = None,
    before: Annotated[
        datetime | None,
        typer.Option(parser=words.moment, metavar="TIME", help="Learned before this time: 2026-01-31, or 30d."),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="The whole space, values included.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be erased, and what believed again.")
    ] = False,
    yes: options.Yes = False,
) -> None:
    """Erase one item, or all that the filters match, for good: from every answer and from the store's files.

    The same statement does not come back by extraction or import; an explicit `remember` may bring it back.
    """
    filters = options.given(kinds=kind, tags=tag, session=session, speaker=speaker, source=source, before=before)
    ways = (id is not None) + bool(filters) + everything
    if ways != 1:
        raise InvalidInput("ID", "say what to forget: either an ID, or filters, or --everything")
    with call.memory() as memory:
        if dry_run:
            _preview(memory.forget(id, **filters, everything=everything, dry_run=True), as_json=call.as_json)
            return
        if not yes:
            confirm(f"Forget {_meant(memory, id, filters)} for good?")
        receipt = memory.forget(id, **filters, everything=everything)
        if receipt.pending and memory.flush(limit=_WIPED_WITHIN):
            receipt = replace(receipt, pending=False)
    if call.as_json:
        output.print_json(receipt)
    else:
        output.say(f"forgot {counted(len(receipt.erased), 'item')}; {receipt.remaining} can still be found")
        if receipt.pending:
            output.note("bytes of it may lie in the files until another process lets go of them, or for a minute")
    if id is not None and not receipt.erased:
        output.note("no item here has this id; `truekeep items` lists those that there are")
        raise typer.Exit(output.NOT_FOUND)
    if receipt.remaining:
        raise typer.Exit(output.FAILED)


def _preview(shown: Receipt, *, as_json: bool) -> None:
    if as_json:
        output.print_json(shown)
        return
    for item in shown.going:
        output.say(f"- {output.one_line(item.content)} ({item.id})", style="red")
    for item in shown.revived:
        output.say(f"+ {output.one_line(item.content)} ({item.id}), believed again", style="green")
    output.note(f"this would forget {counted(len(shown.going), 'item')} for good; nothing was changed")


def confirm(question: str) -> None:
    """Ask on the terminal; without one, refuse rather than wait for an answer that cannot come."""
    if not sys.stdin.isatty():
        raise InvalidInput("--yes", "is needed where no terminal can be asked: this erases for good")
    if not typer.confirm(output.printable(question), err=True):
        output.note("nothing was changed")
        raise typer.Exit(output.FAILED)


def _meant(memory: Memory, id: str | None, filters: dict[str, Any]) -> str:
    if id is not None:
        return f"the item {id}"
    if not filters:
        return f"everything in the space {memory.space!r}"
    found = len(memory.items(limit=_COUNTED, include_superseded=True, **filters))
    return f"{counted(found, 'item')}{' or more' if found == _COUNTED else ''} in the space {memory.space!r}"
