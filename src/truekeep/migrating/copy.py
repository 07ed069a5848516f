"""Copying one space, from where an interrupted copy left off, and what is told of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from truekeep.model import SpaceId
from truekeep.ports import Cells, Movable, Table
from truekeep.stores.tables import TABLES

from .digest import Reading, Tally, of_space

Outcome = Literal["copied", "was there", "differs", "to copy", "to go on with"]
Tell: TypeAlias = Callable[[SpaceId, int, int], None]  # a space, how many of its rows are done, and of how many


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
        if mine != theirs:
            return SpaceCopy(
                space=self._space, rows=self._counts, source_hash=mine, target_hash=theirs, outcome="differs"
            )
        self._target.finish(self._space, self._reading.view.counters(self._space), based_on=note)
        return SpaceCopy(space=self._space, rows=self._counts, source_hash=mine, target_hash=theirs, outcome="copied")

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
