"""Group commit: writers that come while another one syncs share the next sync.

There is no writer thread. Whoever finds nobody at work leads: it takes all that is queued, runs it in one transaction
and wakes the others. So a lone writer hands nothing over, and a forked child has no thread to miss.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import apsw

from truekeep.errors import StoreError
from truekeep.stores.tickets import Line, Ticket

from .faults import FAULTS, translated

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
GATHER_SECONDS = 0.001  # without anybody new, and the group is complete


class Writer(Protocol):
    """Lends the one connection that writes, to whoever holds `writing`."""

    @property
    def location(self) -> str: ...
    @property
    def writing(self) -> AbstractContextManager[bool]: ...
    def writer(self) -> apsw.Connection: ...
    def roll_back(self) -> None: ...


class GroupCommit:
    """Runs work on the writing connection; what `run` returned is durable."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._mutex = threading.Lock()
        self._line: Line[apsw.Connection] = Line()
        self._working: int | None = None  # the thread that runs work just now
        self._around = 1  # how many wrote or waited when the last group was done
        self._awaited = 0  # how many the leader waits for; 0 when it does not
        self._gathered = threading.Lock()  # released when they are there
        self._gathered.acquire()

    def run(self, work: Callable[[apsw.Connection], T], size: int = 0) -> T:
        """The result of `work`, once it is committed. What it raises undoes its own changes and nobody else's.

        `work` may run twice, and its connection is its own only while it runs.
        """
        if self._working == threading.get_ident():
            raise StoreError("a write cannot be made from within another write; make it afterwards")
        ticket = Ticket(work, size)
        try:
            self._join(ticket)
            if not ticket.leads:
                ticket.turn.acquire()
            if ticket.leads:
                self._lead()
                self._leave(ticket)
        except BaseException:  # Ctrl-C, at any moment: nobody shall wait for a leader that is gone
            try:
                if ticket.leads:
                    self._writer.roll_back()
            finally:
                self._leave(ticket)
            raise
        if ticket.error is not None:
            raise ticket.error
        return cast(T, ticket.result)

    def _join(self, ticket: Ticket[apsw.Connection]) -> None:
        with self._mutex:
            self._line.join(ticket)
            if self._awaited and len(self._line.queue) >= self._awaited and not ticket.leads:
                self._awaited = 0
                self._gathered.release()

    def _lead(self) -> None:
        self._gather()
        with self._mutex:
            group = self._line.take_group()
        self._commit(group)

    def _leave(self, ticket: Ticket[apsw.Connection]) -> None:
        with self._mutex:
            around = len(self._line.group) + len(self._line.queue)
            if self._line.leader is ticket:
                self._working = None
            if self._line.leave(ticket):
                self._around = around
                self._awaited = 0
                self._gathered.acquire(blocking=False)  # nobody waits for the others any more

    def _gather(self) -> None:
        """Give those who have just been served a moment to come again.

        Without it the next leader starts with the first one back, fights all others for the interpreter lock, and
        the groups stay small. A lone writer waits for nobody.
        """
        with self._mutex:
            if len(self._line.queue) >= self._around:
                return
            self._awaited, seen = self._around, 0
        while not self._gathered.acquire(timeout=GATHER_SECONDS):
            with self._mutex:
                if not self._awaited:  # released after all
                    self._gathered.acquire()
                    return
                if len(self._line.queue) == seen:
                    self._awaited = 0
                    return
                seen = len(self._line.queue)

    def _commit(self, group: Sequence[Ticket[apsw.Connection]]) -> None:
        try:
            with self._writer.writing:
                connection = self._writer.writer()
                _roll_back(connection)
                self._working = threading.get_ident()
                self._run(connection, group)
        except Exception as error:
            self._fail(group, error)
        except BaseException:
            self._fail(group, StoreError("the write was interrupted; it may not have been kept", retryable=True))
            raise

    def _run(self, connection: apsw.Connection, group: Sequence[Ticket[apsw.Connection]]) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            if not self._run_lightly(connection, group):
                _roll_back(connection)
                connection.execute("BEGIN IMMEDIATE")
                self._run_carefully(connection, group)
            connection.execute("COMMIT")
        finally:
            _roll_back(connection)

    def _run_lightly(self, connection: apsw.Connection, group: Sequence[Ticket[apsw.Connection]]) -> bool:
        """Run all without savepoints, which cost as much as the work. False if one failed after it had written.

        Nearly all failures are refusals (`Moved`), and come before anything is written.
        """
        for ticket in group:
            before = connection.total_changes()
            try:
                ticket.result = ticket.work(connection)
            except Exception as error:
                if connection.total_changes() != before or not connection.in_transaction:
                    return False
                ticket.error = self._ours(error)
        return True

    def _run_carefully(self, connection: apsw.Connection, group: Sequence[Ticket[apsw.Connection]]) -> None:
        """Run all again, each in a savepoint, unless SQLite gives up the whole transaction."""
        for ticket in group:
            ticket.error = None
            connection.execute("SAVEPOINT ticket")
            try:
                ticket.result = ticket.work(connection)
            except Exception as error:
                ticket.error = self._ours(error)
                if not connection.in_transaction:
                    raise
                connection.execute("ROLLBACK TO ticket")
            connection.execute("RELEASE ticket")

    def _ours(self, error: Exception) -> Exception:
        if not isinstance(error, FAULTS):
            return error
        ours = translated(error, self._writer.location)
        ours.__cause__ = error
        return ours

    def _fail(self, group: Sequence[Ticket[apsw.Connection]], error: Exception) -> None:
        for ticket in group:
            if ticket.error is None:
                ticket.result = None
                ticket.error = self._ours(error) if isinstance(error, FAULTS) else _copy(error)
                ticket.error.__cause__ = error


def _roll_back(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _copy(error: Exception) -> Exception:
    """One for each caller: a traceback is written into the exception that is raised."""
    if isinstance(error, StoreError):
        return type(error)(str(error), retryable=error.retryable)
    return StoreError(f"the write failed: {type(error).__name__}; nothing was written")
