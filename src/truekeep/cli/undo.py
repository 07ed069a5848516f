"""`checkpoint`, `checkpoints`, `diff`, `restore`, `fork`: moments with a name, backups, and going back to them."""

from __future__ import annotations

import shlex
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from truekeep import Diff, Edited, InvalidInput, MemoryItem, Value
from truekeep.model.shown import counted

from . import options, output

# What every change of an item changes.
_LATER = frozenset({"updated", "reason", "version", "unjudged", "written_by", "seq"})
_MOMENT = "A checkpoint, as `checkpoints` lists it."


def checkpoint(
    call: options.Call,
    name: Annotated[str, typer.Argument(help="What to call the present moment.")],
    drop: Annotated[bool, typer.Option("--drop", help="Let go of the checkpoint of this name instead.")] = False,
) -> None:
    """Give the present moment a name, to compare with it or to go back to it."""
    with call.memory() as memory:
        if drop:
            memory.drop_checkpoint(name)
            call.answer({"name": name, "dropped": True}, f"dropped the checkpoint {name!r}")
            return
        made = memory.checkpoint(name)
    told = f"checkpoint {name!r}; `truekeep diff {shlex.quote(name)}` tells what changes"
    call.answer(made, told)


def checkpoints(call: options.Call) -> None:
    """List the moments that have a name, the oldest first."""
    with call.memory() as memory:
        found = memory.checkpoints()
    if found or call.as_json:
        call.table(found, ("at", "seq", "name"), lambda one: (one.at, one.seq, one.name))
    else:
        output.note("no moment has a name yet; begin with: truekeep checkpoint NAME")


def diff(
    call: options.Call,
    since: Annotated[str, typer.Argument(help=_MOMENT)],
    until: Annotated[str | None, typer.Argument(help="A later one; without it, now.", metavar="UNTIL")] = None,
) -> None:
    """Tell what is believed otherwise since a checkpoint, or between two; what was forgotten is only counted."""
    with call.memory() as memory:
        call.tell(memory.diff(since, until), _show)


def restore(
    call: options.Call,
    checkpoint: Annotated[str, typer.Argument(help=f"{_MOMENT} With --to: the file of a backup.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing: show what would be taken back.")] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="PLACE", help="Where no store is yet, or an empty database (postgresql://...)."),
    ] = None,
) -> None:
    """Believe again what was believed at a checkpoint; or, with --to, put a whole backup somewhere.

    What came since a checkpoint is withdrawn and stays in the history; what was forgotten stays forgotten. The moment
    before gets a checkpoint, so it can be undone. An interrupted restore is finished by the same command.

    A backup is read through before it is a store, and nothing is ever overwritten. The code is 1 if it is damaged.
    """
    if to is not None:
        if dry_run:
            raise InvalidInput("--dry-run", "is for checkpoints; `truekeep check --at BACKUP` looks through a backup")
        _put_back(call, Path(checkpoint), to)
        return
    with call.memory() as memory:
        restored = memory.restore(checkpoint, dry_run=dry_run)
    if call.as_json:
        output.print_json(restored)
        return
    _show(restored.undone)
    if restored.refused:
        output.note(f"{restored.refused:,} of the items stay as they are: forgotten since, or expired")
    if restored.made is not None:
        output.say(f"restored {checkpoint!r}; back again with: truekeep restore {restored.made.name!r}")
    elif dry_run:
        output.note("this is what a restore takes back; nothing was changed")


def _put_back(call: options.Answering, backup: Path, to: str) -> None:
    from truekeep.assembly import open_store, restore_backup
    from truekeep.engine.tenants import overview

    options.refuse_served(to, "stores")
    with output.progress() as bars:
        bars.add_task("restoring", total=None)
        restore_backup(backup, to)
    with open_store(to) as store:
        spaces = [space for tenant in store.tenants() for space in overview(store, tenant)]
        items, place = sum(space.items for space in spaces), store.location
    counts = f"{counted(len(spaces), 'space')} with {counted(items, 'item')}"
    record = {"to": place, "spaces": len(spaces), "items": items}
    call.answer(record, f"restored {counts} to {place}; all of it was read and is sound")


def fork(
    call: options.Call,
    name: Annotated[str, typer.Argument(help="The name of the new space.")],
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="CHECKPOINT", help="As it was then; without it, as it is now.")
    ] = None,
) -> None:
    """Copy the space into a new one, with history, values and what must stay forgotten."""
    with call.memory() as memory:
        made = memory.fork(name, at=as_of)
    told = f"forked {call.space!r} into {name!r}; `truekeep diff forked --space {name}` tells what changes there"
    call.answer(made, told)


def _show(found: Diff) -> None:
    """A line for each difference, coloured on a terminal."""
    for item in found.added:
        output.say(f"+ {_told(item)}", style="green")
    for item in found.revived:
        output.say(f"+ {_told(item)}, believed again", style="green")
    for item in found.superseded:
        by = f" by {item.superseded_by}" if item.superseded_by else ""
        output.say(f"- {_told(item)}, superseded{by}", style="red")
    for one in found.changed:
        output.say(f"~ {_changed(one)}", style="yellow")
    for item in found.reinforced:
        output.say(f"= {_told(item)}, said again")
    for value in found.values:
        told = f"value {value.key}: {_json(value.before)} -> {_json(value.after)}"
        output.say(f"~ {told}", style="yellow")
    if found.forgotten:
        output.say(f"{found.forgotten:,} forgotten or expired", style="dim")
    if found.is_empty:
        output.note(f"nothing is believed otherwise than at {found.since!r}")


def _told(item: MemoryItem) -> str:
    return f"{output.one_line(item.content)} ({item.id})"


def _changed(one: Edited) -> str:
    before, after = one.before, one.after
    if before.content != after.content:
        return f"{output.one_line(before.content)} -> {_told(after)}"
    names = [field.name for field in fields(before) if getattr(before, field.name) != getattr(after, field.name)]
    return f"{_told(after)}: {', '.join(name for name in names if name not in _LATER)}"


def _json(value: Value | None) -> str:
    return "nothing" if value is None else output.json_line(value.value)
