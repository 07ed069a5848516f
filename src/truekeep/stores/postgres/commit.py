"""Group commit: writers of one space share a transaction, and its one wait for the disk.

The row of the space serialises whoever writes into it, in all processes. So within a process they need not queue up at
the server: whoever finds nobody at work leads, takes all that is queued, runs it in one transaction and wakes the
others. Writers of different spaces do not meet.
"""

from __future__ import annotations

import copy
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import psycopg

from truekeep.errors import StoreError, TruekeepError
from truekeep.model import SpaceId
from truekeep.stores.tickets import Ticket, next_group

from .faults import COLLIDED, is_away, translated
from .spaces import Writing

if TYPE_CHECKING:
    from .connections import Database
    from .session import Session

T = TypeVar("T")


class Line:
    """Those who wait to write into one space."""

    __slots__ = ("leader", "queue")

    def __init__(self) -> None:
        self.queue: deque[Ticket[Writing]] = deque()
        self.leader: int | None = None  # thread id, while somebody leads


class GroupCommit:
    """Runs work on spaces; what `run` returned is durable."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._mutex = threading.Lock()
        self._lines: dict[SpaceId, Line] = {}

    def run(self, space: SpaceId, work: Callable[[Writing], T], size: int = 0) -> T:
        """The result of `work`, once it is committed. What it raises undoes its own changes and nobody else's.

        `work` may run more than once, and what it is given is its own only while it runs.
        """
        ticket, me = Ticket(work, size), threading.get_ident()
        with self._mutex:
            line = self._lines.setdefault(space, Line())
            if line.leader == me:
                raise StoreError("a write cannot be made from within another write; make it afterwards")
            line.queue.append(ticket)
            ticket.leads = line.leader is None
            if ticket.leads:
                line.leader = me
        if not ticket.leads:
            self._await(space, line, ticket)
        if ticket.leads:
            self._lead(space, line, ticket)
        if ticket.error is not None:
            raise ticket.error
        return cast(T, ticket.result)

    def _await(self, space: SpaceId, line: Line, ticket: Ticket[Writing]) -> None:
        try:
            ticket.turn.acquire()
        except BaseException:  # Ctrl-C: leave without leaving the others waiting for a leader that is gone
            with self._mutex:
                if ticket in line.queue:
                    line.queue.remove(ticket)
                if ticket.leads:
                    self._appoint(space, line)
            raise

    def _lead(self, space: SpaceId, line: Line, own: Ticket[Writing]) -> None:
        group: list[Ticket[Writing]] = []
        try:
            with self._mutex:
                line.leader = threading.get_ident()
                group = next_group(line.queue)
            has_moved = self._commit(space, group)
        finally:
            with self._mutex:
                if own in line.queue:  # interrupted before it began
                    line.queue.remove(own)
                self._appoint(space, line)
            for ticket in group:
                ticket.turn.release()
        if has_moved:
            self._database.tell(space)

    def _appoint(self, space: SpaceId, line: Line) -> None:
        """Pass the lead to the first in the line, or end the line. Called with the mutex held."""
        line.leader = None
        if line.queue:
            first = line.queue[0]
            first.leads, line.leader = True, -1  # it sets its own id when it wakes
            first.turn.release()
        else:
            self._lines.pop(space, None)

    def _commit(self, space: SpaceId, group: Sequence[Ticket[Writing]]) -> bool:
        """Whether anything was committed that others may wait for."""
        transact = self._database.transact
        try:
            try:
                return transact(space.tenant, "write", lambda session: _run_lightly(session, space, group))
            except _TooLate:
                return transact(space.tenant, "write", lambda session: _run_carefully(session, space, group))
        except Exception as error:
            self._fail(group, error)
            return False
        except BaseException:
            self._fail(group, StoreError("the write was interrupted; it may not have been kept", retryable=True))
            raise
        finally:
            for ticket in group:
                if isinstance(ticket.error, psycopg.Error):
                    ours = translated(ticket.error, self._database.location)
                    ours.__cause__ = ticket.error
                    ticket.error = ours

    def _fail(self, group: Sequence[Ticket[Writing]], error: Exception) -> None:
        for ticket in group:
            ticket.result, ticket.error = None, _copy(error)
            ticket.error.__cause__ = error


class _TooLate(Exception):
    """One of a group failed after it had written: the others must run again without it."""


def _run_lightly(session: Session, space: SpaceId, group: Sequence[Ticket[Writing]]) -> bool:
    """Run all without savepoints. Nearly all failures are refusals, and come before anything is written.

    Whether the head of the space has moved.
    """
    writing = Writing(session, space)
    for ticket in group:
        ticket.result = ticket.error = None
        before, changes = writing.copy(), session.changes
        try:
            ticket.result = ticket.work(writing)
        except Exception as error:
            _raise_if_lost(session, error)
            if session.changes != changes or not session.is_sound:
                raise _TooLate from error
            ticket.error, writing = error, before
    writing.save()
    if len(group) > 1:
        _flush_or_run_again(session)
    return writing.has_moved


def _flush_or_run_again(session: Session) -> None:
    """Whose write fails is not known when they are sent together."""
    try:
        session.flush()
    except psycopg.Error as error:
        _raise_if_lost(session, error)
        raise _TooLate from error


def _run_carefully(session: Session, space: SpaceId, group: Sequence[Ticket[Writing]]) -> bool:
    """Run all again, each in a savepoint; whether the head of the space has moved."""
    writing = Writing(session, space)
    for ticket in group:
        ticket.result = ticket.error = None
        writing.find()
        before = writing.copy()
        session.savepoint()
        try:
            ticket.result = ticket.work(writing)
            session.flush()
        except Exception as error:
            _raise_if_lost(session, error)
            session.undo()
            ticket.error, writing = error, before
    writing.save()
    return writing.has_moved


def _raise_if_lost(session: Session, error: Exception) -> None:
    """What ends the whole transaction is not one caller's failure."""
    if isinstance(error, psycopg.Error) and (isinstance(error, COLLIDED) or is_away(error, session.connection)):
        raise error


def _copy(error: Exception) -> Exception:
    """One for each caller: a traceback is written into the exception that is raised."""
    if isinstance(error, TruekeepError) or type(error).__module__.startswith("truekeep."):
        return copy.copy(error)
    return StoreError(f"the write failed: {type(error).__name__}; nothing was written")
