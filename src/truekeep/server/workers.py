"""Several processes that share one address: uvicorn's supervisor, which tells them at once when to stop."""

from __future__ import annotations

import logging
import os
import signal
from contextlib import suppress
from socket import socket
from types import FrameType

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.supervisors import Multiprocess

log = logging.getLogger(__name__)


class Workers(Multiprocess):
    """Its workers begin to drain when the signal comes, not when the supervisor looks next."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        signal.signal(signal.SIGTERM, self._pass_on)

    def _pass_on(self, number: int, _: FrameType | None) -> None:
        self.signal_queue.append(number)
        for process in self.processes:
            if process.pid is not None and process.exitcode is None:
                with suppress(ProcessLookupError):
                    os.kill(process.pid, number)

    def keep_subprocess_alive(self) -> None:
        if self.signal_queue:  # those that end now were told to
            return
        before = list(self.processes)
        super().keep_subprocess_alive()
        for old, new in zip(before, self.processes, strict=True):
            if new is not old:
                # What it holds no longer counts; what it counted does.
                mark_process_dead(old.pid)  # type: ignore[no-untyped-call]  # as it comes
                log.warning("worker %d ended with %s; worker %d takes its place", old.pid, old.exitcode, new.pid)

    def terminate_all(self) -> None:
        for listening in self.sockets:
            listening.close()  # before the workers close theirs: nobody shall connect to whom no one answers
        super().terminate_all()
