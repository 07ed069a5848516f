"""Tickets: those who wait to write together, and what became of their work."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Place = TypeVar("Place")  # what work is given: a connection, a transaction
GROUP_TICKETS = 256
GROUP_BYTES = 8_000_000


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
        self.error: BaseException | None = None

    def wake(self) -> None:
        if self.turn.locked():
            self.turn.release()


class Line(Generic[Place]):
    """Those who wait to write, and the one who leads. Whoever leaves it, also by Ctrl-C, leaves nobody waiting."""

    __slots__ = ("group", "leader", "queue")

    def __init__(self) -> None:
        self.queue: deque[Ticket[Place]] = deque()
        self.leader: Ticket[Place] | None = None
        self.group: list[Ticket[Place]] = []  # what the leader runs just now

    def join(self, ticket: Ticket[Place]) -> None:
        self.queue.append(ticket)
        if self.leader is None:
            self.leader = ticket
            ticket.leads = True

    def take_group(self) -> list[Ticket[Place]]:
        self.group = next_group(self.queue)
        return self.group

    def leave(self, ticket: Ticket[Place]) -> bool:
        """Whether it led. Its group is told, and the first of those who wait leads. It may be called again."""
        if ticket in self.queue:  # interrupted before it began
            self.queue.remove(ticket)
        if self.leader is not ticket:
            return False
        for done in self.group:
            done.wake()
        self.group = []
        self.leader = self.queue[0] if self.queue else None
        if self.leader is not None:
            self.leader.leads = True
            self.leader.wake()
        return True


def next_group(queue: deque[Ticket[Place]]) -> list[Ticket[Place]]:
    """Take the first and as many more as make one transaction."""
    group = [queue.popleft()]
    size = group[0].size
    while queue and len(group) < GROUP_TICKETS and size < GROUP_BYTES:
        ticket = queue.popleft()
        size += ticket.size
        group.append(ticket)
    return group
