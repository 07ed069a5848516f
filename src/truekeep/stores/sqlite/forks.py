"""What a fork must not break.

SQLite keeps notes about file locks for the whole process, but the kernel does not hand those locks to a child: a
child that goes on with inherited notes believes in locks that nobody holds, and the parent then deletes the log under
it. So connections are closed before a fork and opened again on both sides at the next use.
"""

from __future__ import annotations

import os
import threading
from typing import Any, Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """Something with connections and locks."""

    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def restart(self) -> None: ...
    @property
    def inherited(self) -> set[Any]: ...


_alive: WeakSet[Forkable] = WeakSet()
_paused: list[Forkable] = []
_one_at_a_time = threading.RLock()
_never_closed: list[Any] = []  # closing an inherited connection in a child would wreck the parent's log


def survive_forks(database: Forkable) -> None:
    """Pause it before every fork and restart it in the child, for as long as it lives."""
    _alive.add(database)


def _before() -> None:
    _one_at_a_time.acquire()
    for database in list(_alive):
        _paused.append(database)
        database.pause()


def _in_parent() -> None:
    while _paused:
        _paused.pop().resume()
    _one_at_a_time.release()


def _in_child() -> None:
    global _one_at_a_time
    _one_at_a_time = threading.RLock()
    while _paused:
        database = _paused.pop()
        _never_closed.extend(database.inherited)
        database.restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
