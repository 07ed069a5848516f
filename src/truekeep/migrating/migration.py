"""The whole of a migration, top to bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truekeep.errors import ConfigurationError, Conflict
from truekeep.model import SpaceId
from truekeep.ports import Cells, Movable, View
from truekeep.stores.tables import in_use

from .copy import Migration, Outcome, SpaceCopy, Tell, copy_space, course_of
from .digest import Reading, of_store

AT_ONCE = 1000  # counts of usage in one transaction


def migrate(
    source: object, target: object, *, dry_run: bool = False, leave_tombstones: bool = False, tell: Tell | None = None
) -> Migration:
    """Copy everything that the source holds into the target, and compare.

    Nothing is written before all of it was found possible. It can be interrupted at any time and run again: what is
    complete stays, what was begun goes on. The source is only read, in the state in which it is now.

    Raises:
        Conflict: the target holds something else in one of the spaces, another key with the same id, or a secret of
            its own under which tombstones mean nothing (unless `leave_tombstones`).
        ConfigurationError: one of the stores cannot be copied from or to.
    """
    giving, taking = _movable(source), _movable(target)
    with giving.viewed() as view:
        reading, left = _reading(view, taking, dry_run=dry_run, leave_tombstones=leave_tombstones)
        origin = of_store(view.secret)
        plan = list(_plan(reading, taking, origin))
        _refuse_other_keys(view, taking)
        keys, usage = view.access_keys(), view.usage()
        copies, is_same = plan, True
        if not dry_run:
            copies = [
                copy_space(reading, taking, copy.space, origin=origin, tell=tell or _silent)
                if copy.outcome != "was there"
                else copy
                for copy in plan
            ]
            is_same = _take_in_rest(taking, keys, usage) and all(copy.outcome != "differs" for copy in copies)
        return Migration(
            spaces=tuple(copies),
            keys=len(keys),
            usage=len(usage),
            is_same=is_same,
            rekeyed=reading.is_rekeyed,
            left=left,
        )


def _movable(store: object) -> Movable:
    if not isinstance(store, Movable):
        raise ConfigurationError(f"a {type(store).__name__} cannot be migrated; use export and import")
    return store


def _silent(space: SpaceId, done: int, total: int) -> None:
    pass


def _reading(view: View, target: Movable, *, dry_run: bool, leave_tombstones: bool) -> tuple[Reading, int]:
    """The source as the target shall have it, and how many tombstones that leaves out."""
    with target.viewed() as there:
        is_new, secret = there.is_new, there.secret
    if is_new or secret == view.secret:
        if not dry_run and not target.adopt_secret(view.secret):
            raise Conflict(f"somebody else began to use {target.location} just now")
        return Reading(view, view.secret), 0
    forgotten = sum(view.counts(space)["tombstones"] for space in view.spaces())
    if forgotten and not leave_tombstones:
        raise Conflict(
            f"{target.location} is in use and recognises statements by a secret of its own: {forgotten} statements "
            "that were forgotten in the source would be free to be learned again. Migrate into an empty store, or "
            "leave these tombstones behind on purpose (--leave-tombstones)"
        )
    return Reading(view, secret), forgotten


def _plan(reading: Reading, target: Movable, origin: str) -> Iterator[SpaceCopy]:
    """What is to be done with each space; Conflict where the target holds something else."""
    for space in reading.view.spaces():
        rows = reading.counts(space)
        if not any(rows.values()) and not any(reading.view.counters(space)):
            continue
        with target.viewed() as view:
            there = Reading(view, view.secret)
            note, present = target.unfinished(space), there.counts(space)
            outcome: Outcome = "to copy"
            mine = theirs = ""
            if note is not None:
                if course_of(note).origin != origin:
                    raise in_use(space)
                outcome = "to go on with"
            elif any(present.values()):
                if present != rows or (mine := reading.hash(space)) != (theirs := there.hash(space)):
                    raise in_use(space)
                outcome = "was there"
        yield SpaceCopy(space=space, rows=rows, source_hash=mine, target_hash=theirs, outcome=outcome)


def _refuse_other_keys(view: View, target: Movable) -> None:
    with target.viewed() as there:
        present = {key[0]: key[:-1] for key in there.access_keys()}
    for key in view.access_keys():
        if present.get(key[0], key[:-1]) != key[:-1]:
            raise Conflict(f"the target has another access key {key[0]!r} already")


def _take_in_rest(target: Movable, keys: Sequence[Cells], usage: Sequence[Cells]) -> bool:
    """Access keys and usage; whether all of it is there afterwards."""
    target.take_in_keys(keys)
    for at in range(0, len(usage), AT_ONCE):
        target.take_in_usage(usage[at : at + AT_ONCE])
    with target.viewed() as there:
        kept = {key[:-1] for key in there.access_keys()}
        counted = {row[:-1]: row[-1] for row in there.usage()}
    return all(key[:-1] in kept for key in keys) and all(
        _whole(counted.get(row[:-1])) >= _whole(row[-1]) for row in usage
    )


def _whole(count: object) -> int:
    return count if isinstance(count, int) else 0
