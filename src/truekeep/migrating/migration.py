"""The whole of a migration, top to bottom; each space is copied from where an interrupted copy left off."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from truekeep.errors import ConfigurationError, Conflict
from truekeep.model import SpaceId
from truekeep.ports import Cells, Movable, Table, View
from truekeep.stores.tables import TABLES, in_use

from .digest import Reading, Tally, of_space, of_store

Outcome = Literal["copied", "was there", "differs", "to copy", "to go on with"]
Tell: TypeAlias = Callable[[SpaceId, int, int], None]  # a space, how many of its rows are done, and of how many
AT_ONCE = 1000  # counts of usage in one transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceCopy:
    """What became of one space. A hash covers all rows and counters, in order; "" where there is nothing yet."""

    space: SpaceId
    rows: Mapping[Table, int]
    source_hash: str = ""
    target_hash: str = ""
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What became of all of it."""

    spaces: tuple[SpaceCopy, ...] = ()
    keys: int = 0
    usage: int = 0
    is_same: bool = True  # whether the target holds what the source holds
    rekeyed: bool = False  # the target recognises statements by a secret of its own
    left: int = 0  # tombstones that were not taken along


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


class Course(NamedTuple):
    """How far a copy has come, as its note says: of which store, and the rows of each table with their digest."""

    origin: str
    done: dict[Table, tuple[int, str]]

    def note(self) -> str:
        return json.dumps({"origin": self.origin, "done": self.done}, separators=(",", ":"))


def course_of(note: str) -> Course:
    read = json.loads(note)
    return Course(read["origin"], {table: (count, digest) for table, (count, digest) in read["done"].items()})


class Changed(Exception):
    """What was copied before is no longer what the source holds."""


def copy_space(reading: Reading, target: Movable, space: SpaceId, *, origin: str, tell: Tell) -> SpaceCopy:
    """Copy all rows, compare them, and only then declare the copy complete.

    A copy that was begun goes on; if the source has changed since, it is thrown away and begun again.
    """
    note = target.unfinished(space)
    try:
        return _Copy(reading, target, space, origin, tell).run(note)
    except Changed:
        target.erase_space(space)
        return _Copy(reading, target, space, origin, tell).run(None)


class _Copy:
    def __init__(self, reading: Reading, target: Movable, space: SpaceId, origin: str, tell: Tell) -> None:
        self._reading = reading
        self._target = target
        self._space = space
        self._origin = origin
        self._tell = tell
        self._counts = reading.counts(space)
        self._tallies = {table: Tally() for table in TABLES}

    def run(self, note: str | None) -> SpaceCopy:
        course = Course(self._origin, {}) if note is None else course_of(note)
        for table in TABLES:
            for rows in self._remaining(table, course):
                note = self._take_in(table, rows, course, note)
        if note is None:  # a space without rows: only its counters
            note = self._take_in("items", (), course, None)
        with self._target.viewed() as view:
            mine, theirs = self._hashes(Reading(view, view.secret))
        is_same = mine == theirs
        if is_same:
            self._target.finish(self._space, self._reading.view.counters(self._space), based_on=note)
        outcome: Outcome = "copied" if is_same else "differs"
        return SpaceCopy(space=self._space, rows=self._counts, source_hash=mine, target_hash=theirs, outcome=outcome)

    def _take_in(self, table: Table, rows: Sequence[Cells], course: Course, based_on: str | None) -> str:
        tally = self._tallies[table]
        course.done[table] = (tally.count, tally.digest)
        note = course.note()
        self._target.take_in(self._space, table, rows, based_on=based_on, note=note)
        self._tell(self._space, sum(count for count, _ in course.done.values()), sum(self._counts.values()))
        return note

    def _remaining(self, table: Table, course: Course) -> Iterator[Sequence[Cells]]:
        """Pages of rows that are not in the target yet; all are counted and hashed."""
        tally = self._tallies[table]
        done, digest = course.done.get(table, (0, tally.digest))
        for page in self._reading.rows(self._space, table):
            known = max(0, min(len(page), done - tally.count))
            tally.add(page[:known])
            if known and tally.count == done and tally.digest != digest:
                raise Changed
            if known < len(page):
                tally.add(page[known:])
                yield page[known:]
        if tally.count < done:
            raise Changed

    def _hashes(self, there: Reading) -> tuple[str, str]:
        """Of what was to be copied and of what is there, both with the counters that the space will have."""
        counters = self._reading.view.counters(self._space)
        return of_space(self._tallies, counters), of_space(there.tallied(self._space), counters)
