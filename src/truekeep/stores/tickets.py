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


def next_group(queue: deque[Ticket[Place]]) -> list[Ticket[Place]]:
    """Take the first and as many more as make one transaction."""
    group = [queue.popleft()]
    size = group[0].size
    while queue and len(group) < GROUP_TICKETS and size < GROUP_BYTES:
        ticket = queue.popleft()
        size += ticket.size
        group.append(ticket)
    return group
