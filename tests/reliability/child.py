"""Processes that a test starts, talks to in lines of JSON, and kills."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds; whoever says nothing for so long hangs


class Child:
    """A Python process that runs one function of a scenario: `Child("kills.write", path)`."""

    def __init__(self, role: str, *arguments: object, fault: str | None = None, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._errors = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115  # closed in __exit__
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.children", role, fault or "", *map(str, arguments)],
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,  # so that its own children can be killed with it
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):  # the rest of a line that a kill cut short acknowledges nothing
                self._lines.put(line)
        self._lines.put(None)

    def tell(self, command: object) -> None:
        """Nothing happens when it has ended already: whoever listens for an answer learns of that."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()

    def hear(self) -> Any:
        """The next thing that it says; an error when it ends or hangs instead."""
        try:
            line = self._lines.get(timeout=self._patience)
        except queue.Empty:
            self._process.send_signal(signal.SIGABRT)  # it then writes where each of its threads is
            self._process.wait()
            raise AssertionError(f"the child hangs; its errors: {self.errors()}") from None
        if line is None:
            self._lines.put(None)
            raise EOFError(f"the child ended with {self.end()}; its errors: {self.errors()}")
        return json.loads(line)

    def ask(self, command: object) -> Any:
        self.tell(command)
        return self.hear()

    def rest(self) -> list[Any]:
        """All that it says until it ends."""
        heard = []
        while True:
            try:
                heard.append(self.hear())
            except EOFError:
                return heard

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def end(self) -> int:
        """Let it come to its end; its exit status."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        return self._process.wait(self._patience)

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-4000:]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None and not stream.closed:
                with suppress(BrokenPipeError):  # something unsent was left for a process that is gone
                    stream.close()
