"""Native code that must not be at work when the interpreter ends.

A thread that comes back from a model to an interpreter that has ended takes the process down with it: "terminate called
without an active exception". Whoever runs a model does so within `NATIVE`.
"""

from __future__ import annotations

import atexit
import os
import threading

_LIMIT = 10.0  # seconds for runs of some milliseconds, and for loading a model, on a machine that does too much


class Native:
    """Who is in native code. When the process ends, no other thread enters it, and those inside are waited for."""

    def __init__(self) -> None:
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        self._change = threading.Condition()
        self._inside = 0
        self._last: int | None = None  # the one thread that may enter: it ends the process

    def __enter__(self) -> None:
        with self._change:
            if self._last not in (None, threading.get_ident()):
                raise SystemExit  # of this thread alone, which nobody waits for: no failure is counted or logged
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._change:
            self._inside -= 1
            self._change.notify_all()

    def end(self) -> None:
        """From now on only the calling thread enters; all others have left when this returns."""
        with self._change:
            self._last = threading.get_ident()
            self._change.wait_for(lambda: not self._inside, _LIMIT)


NATIVE = Native()
atexit.register(lambda: NATIVE.end())  # whoever drains at exit imports this first, and so ends before
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=lambda: NATIVE.reset_after_fork())
