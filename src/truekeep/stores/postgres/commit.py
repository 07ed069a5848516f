"""Group commit: writers of one space share a transaction, and its one wait for the disk.

The row of the space serialises whoever writes into it, in all processes. So within a process they need not queue up at
the server: whoever finds nobody at work leads, takes all that is queued, runs it in one transaction and wakes the
others. Writers of different spaces do not meet.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

import psycopg

from truekeep.errors import StoreError, TruekeepError
from truekeep.model import SpaceId
from truekeep.stores.tickets import Line, Ticket

from .faults import COLLIDED, is_away, translated
from .spaces import Writing

if TYPE_CHECKING:
    from .connections import Database
    from .session import Session

T = TypeVar("T")


class GroupCommit:
    """Runs work on spaces; what `run` returned is durable."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._mutex = threading.Lock()
        self._lines: dict[SpaceId, Line[Writing]] = {}
        self._working: dict[SpaceId, int] = {}  # the thread that runs work on a space just now

    def run(self, space: SpaceId, work: Callable[[Writing], T], size: int = 0) -> T:
        """The result of `work`, once it is committed. What it raises undoes its own changes and nobody else's.

        `work` may run more than once, and what it is given is its own only while it runs.
        """
        if self._working.get(space) == threading.get_ident():
            raise StoreError("a write cannot be made from within another write; make it afterwards")
        ticket = Ticket(work, size)
        try:
            self._join(space, ticket)
            if not ticket.leads:
                ticket.turn.acquire()
            if ticket.leads:
                has_moved = self._lead(space)
                self._leave(space, ticket)
                if has_moved:
                    self._database.tell(space)
        except BaseException:  # Ctrl-C, at any moment: nobody shall wait for a leader that is gone
            self._leave(space, ticket)
            raise
        if ticket.error is not None:
            raise ticket.error
        return cast(T, ticket.result)

    def _join(self, space: SpaceId, ticket: Ticket[Writing]) -> None:
        with self._mutex:
            self._lines.setdefault(space, Line()).join(ticket)

    def _lead(self, space: SpaceId) -> bool:
        with self._mutex:
            group = self._lines[space].take_group()
        self._working[space] = threading.get_ident()
        return self._commit(space, group)

    def _leave(self, space: SpaceId, ticket: Ticket[Writing]) -> None:
        with self._mutex:
            line = self._lines.get(space)
            if line is not None:
                if line.leader is ticket:
                    self._working.pop(space, None)
                line.leave(ticket)
                if line.leader is None:
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
