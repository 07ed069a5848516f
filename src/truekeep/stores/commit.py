"""Group commit: writers that come while another one commits share the next commit, and its one wait for the disk.

There is no writer thread. Whoever finds nobody at work leads: it takes all that is queued, runs it in one transaction
and wakes the others. So a lone writer hands nothing over, and a forked child has no thread to miss.
"""

from __future__ import annotations

import copy
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar, cast

from truekeep.errors import StoreError, TruekeepError

T = TypeVar("T")
Place = TypeVar("Place", bound="Transaction")
GATHER_SECONDS = 0.001  # without anybody new, and the group is complete
GROUP_TICKETS = 256
GROUP_BYTES = 8_000_000


class Transaction(Protocol):
    """What a group is run in, one after the other."""

    def begin(self, *, firmly: bool) -> None:
        """The next one begins; `firmly`, and whatever it does can be undone."""

    def end(self) -> None:
        """It is done."""

    def undone(self, error: Exception) -> Exception | None:
        """Undo what one did that failed; the error to tell it. None if it had written, and did not begin firmly."""


class TooLate(Exception):
    """One of a group failed after it had written: the others must run again without it."""


class Ticket(Generic[Place]):
    """One caller's work, and what became of it."""

    __slots__ = ("error", "leads", "result", "size", "turn", "work")

    def __init__(self, work: Callable[[Place], Any], size: int) -> None:
        self.work = work
        self.size = size
        self.turn = threading.Lock()  # released when the work is done or when it is this caller's turn to lead
        self.turn.acquire()
        self.leads = False
        self.result: Any = None
        self.error: Exception | None = None

    def wake(self) -> None:
        if self.turn.locked():
            self.turn.release()


class GroupCommit(Generic[Place]):
    """Those who wait to write together, and the one who leads. Whoever leaves, also by Ctrl-C, leaves nobody waiting.

    `transact` runs a group (see `run_all`) in a transaction, and tells whether `afterwards` shall be called once the
    next one leads.
    """

    def __init__(
        self,
        transact: Callable[[Sequence[Ticket[Place]], bool], bool],
        afterwards: Callable[[], None] = lambda: None,
    ) -> None:
        self._transact = transact
        self._afterwards = afterwards
        self._mutex = threading.Lock()
        self._queue: deque[Ticket[Place]] = deque()
        self._leader: Ticket[Place] | None = None
        self._group: list[Ticket[Place]] = []  # what the leader runs just now
        self._working: int | None = None  # the thread that does
        self._around = 1  # how many wrote or waited when the last group was done
        self._awaited = 0  # how many the leader waits for; 0 when it does not
        self._gathered = threading.Lock()  # released when they are there
        self._gathered.acquire()

    def run(self, work: Callable[[Place], T], size: int = 0) -> T:
        """The result of `work`, once it is committed. What it raises undoes its own changes and nobody else's.

        `work` may run more than once, and what it is given is its own only while it runs.
        """
        if self._working == threading.get_ident():
            raise StoreError("a write cannot be made from within another write; make it afterwards")
        ticket = Ticket(work, size)
        try:
            self._join(ticket)
            if not ticket.leads:
                ticket.turn.acquire()
            if ticket.leads:
                self._gather()
                is_told = self._lead()
                self._leave(ticket)
                if is_told:
                    self._afterwards()
        except BaseException:  # Ctrl-C, at any moment: nobody shall wait for a leader that is gone
            self._leave(ticket)
            raise
        if ticket.error is not None:
            raise ticket.error
        return cast(T, ticket.result)

    def _join(self, ticket: Ticket[Place]) -> None:
        with self._mutex:
            self._queue.append(ticket)
            if self._leader is None:
                self._leader = ticket
                ticket.leads = True
            elif self._awaited and len(self._queue) >= self._awaited:
                self._awaited = 0
                self._gathered.release()

    def _gather(self) -> None:
        """Give those who have just been served a moment to come again.

        Without it the next leader starts with the first one back, fights all others for the interpreter lock, and
        the groups stay small. A lone writer waits for nobody.
        """
        with self._mutex:
            if len(self._queue) >= self._around:
                return
            self._awaited, seen = self._around, 0
        while not self._gathered.acquire(timeout=GATHER_SECONDS):
            with self._mutex:
                if not self._awaited:  # released after all
                    self._gathered.acquire()
                    return
                if len(self._queue) == seen:
                    self._awaited = 0
                    return
                seen = len(self._queue)

    def _lead(self) -> bool:
        try:
            with self._mutex:
                self._group = next_group(self._queue)
            self._working = threading.get_ident()
            try:
                return self._transact(self._group, False)
            except TooLate:
                return self._transact(self._group, True)
        except Exception as error:
            _fail(self._group, error)
            return False
        except BaseException:
            _fail(self._group, StoreError("the write was interrupted; it may not have been kept", retryable=True))
            raise

    def _leave(self, ticket: Ticket[Place]) -> None:
        """Its group is told, and the first of those who wait leads. It may be called again."""
        with self._mutex:
            if ticket in self._queue:  # interrupted before it began
                self._queue.remove(ticket)
            if self._leader is ticket:
                self._working = None
                self._around = len(self._group) + len(self._queue)
                self._awaited = 0
                self._gathered.acquire(blocking=False)  # nobody waits for the others any more
                for done in self._group:
                    done.wake()
                self._group = []
                self._leader = self._queue[0] if self._queue else None
            if self._leader is not None:
                self._leader.leads = True
                self._leader.wake()


def next_group(queue: deque[Ticket[Place]]) -> list[Ticket[Place]]:
    """Take the first and as many more as make one transaction."""
    group = [queue.popleft()]
    size = group[0].size
    while queue and len(group) < GROUP_TICKETS and size < GROUP_BYTES:
        ticket = queue.popleft()
        size += ticket.size
        group.append(ticket)
    return group


def run_all(place: Place, group: Sequence[Ticket[Place]], firmly: bool) -> None:
    """Run a group in a transaction. At first without savepoints, which cost as much as the work: nearly all failures
    are refusals (`Moved`), and come before anything is written. Raises TooLate where one did not."""
    for ticket in group:
        ticket.result = ticket.error = None
        place.begin(firmly=firmly)
        try:
            ticket.result = ticket.work(place)
            place.end()
        except Exception as error:
            ticket.result, ticket.error = None, place.undone(error)
            if ticket.error is None:
                raise TooLate from error


def _fail(group: Sequence[Ticket[Place]], error: Exception) -> None:
    """One error for each caller: a traceback is written into the exception that is raised."""
    for ticket in group:
        if ticket.error is None:
            ticket.result = None
            if isinstance(error, TruekeepError):
                ticket.error = copy.copy(error)
            else:
                ticket.error = StoreError(f"the write failed: {type(error).__name__}; nothing was written")
            ticket.error.__cause__ = error
