"""The driver: transactions on the database, each behind the wall of its tenant."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

import psycopg

from truekeep.model import SpaceId
from truekeep.ports import Head
from truekeep.steps import step
from truekeep.stores.commit import GroupCommit, Ticket, TooLate, run_all

from .connections import Database
from .faults import COLLIDED, is_away, translated
from .questions import Questions
from .session import Mode, Session
from .tables import COUNTERS, Numbers, sought

T = TypeVar("T")

SAVE = f"""UPDATE spaces SET ({", ".join(COUNTERS)}) = ({", ".join(["%s"] * len(COUNTERS))})
    WHERE tenant = %s AND id = %s"""
HEAD = "SELECT head, floor FROM spaces WHERE tenant = %s AND name = ANY(%s)"


class DatabaseRows(Questions):
    """Implements `ledger.Rows`, and for those who write together `commit.Transaction`."""

    def begin(self, *, firmly: bool) -> None:
        self._is_firm = firmly
        if firmly:
            self.session.savepoint()
        self._before = {space: (row.copy(), came_with) for space, (row, came_with) in self._held.items()}
        self._changes = self.session.changes

    def end(self) -> None:
        if self._is_firm:
            self.session.flush()

    def undone(self, error: Exception) -> Exception | None:
        raise_if_lost(self.session, error)
        if self._is_firm:
            self.session.undo()
        elif self.session.changes != self._changes or not self.session.is_sound:
            return None
        self._held = self._before
        return error

    def save(self) -> bool:
        """Keep the counters of spaces as they are now; whether one has come further."""
        changed = [(row, before) for row, before in self._held.values() if row.counters() != before]
        for row, _ in changed:
            self.session.change_later(SAVE, (*row.counters(), row.tenant, row.id))
        return any(row.head != before[0] for row, before in changed)


def raise_if_lost(session: Session, error: Exception) -> None:
    """What ends the whole transaction is not one caller's failure."""
    if isinstance(error, psycopg.Error) and (isinstance(error, COLLIDED) or is_away(error, session.connection)):
        raise error


class DatabaseDriver(Database):
    """Implements `ledger.Driver`.

    The row of a space serialises whoever writes into it, in all processes. So within a process they need not queue up
    at the server: they share a transaction. Writers of different spaces do not meet.
    """

    def __init__(self, url: str, *, schema: str, connections: int, patience: timedelta) -> None:
        self.numbers = Numbers()
        super().__init__(url, schema=schema, connections=connections, patience=patience)

    def restart(self) -> None:
        super().restart()
        self._mutex = threading.Lock()
        self._commits: WeakValueDictionary[SpaceId, GroupCommit[DatabaseRows]] = WeakValueDictionary()

    def head(self, space: SpaceId) -> Head:
        rows = self.transact(space.tenant, "single", lambda session: session.query(HEAD, sought(session, space)))
        return Head(*rows[0]) if rows else Head(0, 0)

    @step("store.read")
    def read(self, tenant: str | None, work: Callable[[DatabaseRows], T], *, together: bool = False) -> T:
        mode: Mode = "together" if together else "single"
        return self.transact(tenant, mode, lambda session: work(DatabaseRows(session, self.numbers)))

    @step("store.change")
    def change(self, tenant: str | None, work: Callable[[DatabaseRows], T]) -> T:
        return self.transact(tenant, "write", lambda session: work(DatabaseRows(session, self.numbers)))

    def erase(self, space: SpaceId, work: Callable[[DatabaseRows], T]) -> T:
        """The disk is the database server's, and so is any reserve on it."""
        return self.write(space, work)

    @step("store.write")
    def write(self, space: SpaceId, work: Callable[[DatabaseRows], T], size: int = 0) -> T:
        with self._mutex:
            commits = self._commits.get(space)
            if commits is None:
                tell = partial(self.teller.tell, space)
                commits = self._commits[space] = GroupCommit(partial(self._write_together, space), tell)
        try:
            return commits.run(work, size)
        except psycopg.Error as error:
            raise translated(error, self.location) from error

    def _write_together(self, space: SpaceId, group: Sequence[Ticket[DatabaseRows]], firmly: bool) -> bool:
        """Whether anything was committed that others may wait for."""

        def work(session: Session) -> bool:
            rows = DatabaseRows(session, self.numbers)
            rows.find(space)  # held by all of them
            run_all(rows, group, firmly)
            has_moved = rows.save()
            if len(group) > 1:
                _flush_or_run_again(session)
            return has_moved

        return self.transact(space.tenant, "write", work)

    def write_each(self, spaces: Sequence[SpaceId], work: Callable[[DatabaseRows, SpaceId], T]) -> list[T]:
        """One after the other: whoever writes into one of them waits for no other."""

        def within(space: SpaceId) -> T:
            return self.write(space, lambda rows: work(rows, space))

        return [within(space) for space in spaces]

    @contextmanager
    def viewed(self) -> Iterator[DatabaseRows]:
        with self.view() as session:
            yield DatabaseRows(session, self.numbers)

    def tidy(self) -> None:
        """The server does that."""

    def clean(self) -> bool:
        """The bytes of what was dropped are the server's to clean up; see the page about scaling out."""
        return True


def _flush_or_run_again(session: Session) -> None:
    """Whose write fails is not known when they are sent together."""
    try:
        session.flush()
    except psycopg.Error as error:
        raise_if_lost(session, error)
        raise TooLate from error
