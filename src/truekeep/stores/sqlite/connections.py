"""Connections: how the file is opened, lent to threads, and let go of around a fork."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Literal
from weakref import WeakSet

import apsw

from truekeep.errors import StoreError
from truekeep.stores.files import identity, make_private

from .faults import FAULTS, translated
from .forks import survive_forks
from .schema import inspect_file, migrate, seen

Durability = Literal["full", "normal"]

KEPT_READERS = 32
PATIENCE = 10.0  # seconds that a fork or a close waits for calls in flight


class Database:
    """The file behind a store, or the memory behind ":memory:"."""

    def __init__(self, path: Path | None, *, busy_timeout: timedelta, durable: Durability, vfs: str | None) -> None:
        self.path = path
        self.vfs = vfs
        self.location = ":memory:" if path is None else str(path)
        self._busy_seconds = busy_timeout.total_seconds()
        self._synchronous = durable.upper()
        self._closed = False
        self._version: int | None = None  # once it was migrated
        self._identity: tuple[int, int] | None = None
        self.is_read_only = False  # as SQLite found it when it was opened
        self._memory: apsw.Connection | None = None
        self.restart()
        survive_forks(self)

    # Lending connections

    def take_reader(self) -> apsw.Connection:
        if self.path is None:
            return self._in_memory()
        try:
            return self._readers.pop()
        except IndexError:
            return self._open("PRAGMA query_only = ON")

    def give_reader(self, connection: apsw.Connection | None) -> None:
        if connection is None or self.path is None:
            return
        roll_back(connection)  # nothing was written; it only ends the view
        if len(self._readers) < KEPT_READERS:
            self._readers.append(connection)
        else:
            self.drop(connection)

    def writer(self) -> apsw.Connection:
        """The one connection that writes, for whoever holds `writing`. It stays where it is: Ctrl-C cannot lose it."""
        if self.path is None:
            return self._in_memory()
        if not self._writers:
            self._writers.append(self._open("PRAGMA wal_autocheckpoint = 1000"))
        return self._writers[0]

    def begin(self, connection: apsw.Connection) -> None:
        """Begin to write, unless a newer program has migrated the file meanwhile and ours may write no more."""
        self._refuse_another_file()
        connection.execute("BEGIN IMMEDIATE")
        self._version = seen(connection, self.location, self._version)

    def roll_back(self) -> None:
        """Undo what somebody who was interrupted has left undone."""
        with self.writing:
            for connection in self._writers if self.path is not None else [self._memory]:
                if connection is not None:
                    roll_back(connection)

    @contextmanager
    def own(self) -> Iterator[apsw.Connection]:
        """A connection of one's own, for a while; in memory it is the only one, and others wait."""
        with self.alone:
            connection = self._in_memory() if self.path is None else self._open()
            try:
                yield connection
            except FAULTS as error:
                raise translated(error, self.location) from error
            finally:
                roll_back(connection)
                if self.path is not None:
                    self.drop(connection)

    def drop(self, connection: apsw.Connection) -> None:
        """Close a connection that was taken, instead of giving it back."""
        self._open_ones.discard(connection)
        connection.close()

    def wait_less(self, connection: apsw.Connection, seconds: float | None) -> None:
        """How long the connection waits for other processes; None for the usual."""
        connection.set_busy_handler(patient(self._busy_seconds if seconds is None else seconds))

    def _in_memory(self) -> apsw.Connection:
        """For whoever holds its lock."""
        if self._closed:
            raise StoreError("the store is closed")
        if self._memory is None:
            self._memory = apsw.Connection(":memory:")
            self._prepare(self._memory)
        return self._memory

    def _open(self, *pragmas: str) -> apsw.Connection:
        if self.path is None:
            raise StoreError("the store is closed")
        with self._opening:
            if self._closed:
                raise StoreError("the store is closed")
            try:
                return self._open_file(self.path, pragmas)
            except FAULTS as error:
                raise translated(error, self.location) from error
            except OSError as error:
                raise StoreError(
                    f"cannot open {self.location}: {error.strerror}; choose a folder that you may write to"
                ) from error

    def _open_file(self, path: Path, pragmas: tuple[str, ...]) -> apsw.Connection:
        self._refuse_another_file()
        if self._version is None:
            if not path.exists():
                make_private(path)
            inspect_file(path, self.vfs)
        connection = apsw.Connection(os.fspath(path), vfs=self.vfs)
        try:
            self._prepare(connection)
            for pragma in pragmas:
                connection.execute(pragma).fetchall()
        except BaseException:
            connection.close()
            raise
        self._identity = self._identity or identity(path)
        self._open_ones.add(connection)
        return connection

    def _refuse_another_file(self) -> None:
        """A file that was removed takes what is written all the same, and it is gone with the last who has it open."""
        if self.path is not None and self._identity is not None and identity(self.path) != self._identity:
            raise StoreError(
                f"{self.location} was removed or replaced while it was open; nothing was written. "
                "Open what is there now as a new memory, and restart a server"
            )

    def _prepare(self, connection: apsw.Connection) -> None:
        self.wait_less(connection, None)
        for pragma in (
            f"synchronous = {self._synchronous}",
            "secure_delete = ON",
            "temp_store = MEMORY",
            "mmap_size = 0",  # a page that cannot be read shall be an error, not a SIGBUS
            "trusted_schema = OFF",
            "cell_size_check = ON",
            "cache_size = -4000",
            "journal_size_limit = 16000000",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        if self._version is None or self.path is None:
            self._version = migrate(connection, self.location)
        self.is_read_only = connection.readonly("main")
        if self.path is not None and not self.is_read_only:
            use_wal(connection, self._busy_seconds)

    # Forking and closing

    def restart(self) -> None:
        """After a fork, in the child: nobody else is here, so all locks are new. Also the state to begin with."""
        self._paused = False
        self._opening = threading.Lock()
        self._memory_lock = threading.RLock()
        self._file_lock = threading.Lock()
        self._readers: list[apsw.Connection] = []  # the last one given back is lent first: its cache is warm
        self._writers: list[apsw.Connection] = []  # at most one
        self.writing: AbstractContextManager[bool] = self._memory_lock if self.path is None else self._file_lock
        self.alone: AbstractContextManager[object] = self._memory_lock if self.path is None else nullcontext()
        self._open_ones: WeakSet[apsw.Connection] = WeakSet()  # one that Ctrl-C made somebody lose is closed

    def pause(self) -> None:
        """Before a fork: close every connection, because SQLite's own notes about locks must not be inherited.

        Calls in flight are waited for, new ones wait until the fork is over.
        """
        if self.path is None:
            self._paused = self._memory_lock.acquire(timeout=PATIENCE)
        else:
            self._paused = self._opening.acquire(timeout=PATIENCE)
            self._drain(PATIENCE)

    def resume(self) -> None:
        """After a fork, in the parent."""
        if not self._paused:
            return
        if self.path is None:
            self._memory_lock.release()
        else:
            self._opening.release()

    @property
    def inherited(self) -> set[apsw.Connection]:
        """What `pause` could not close in time."""
        return set(self._open_ones)

    def close(self) -> None:
        """Close all connections; calls in flight end first."""
        if self.path is None:
            with self._memory_lock:
                self._closed = True
                if self._memory is not None:
                    self._memory.close()
                    self._memory = None
            return
        with self._opening:
            self._closed = True
            self._drain(PATIENCE)

    def _drain(self, patience: float) -> None:
        deadline = time.monotonic() + patience
        while self._open_ones:
            while self._readers:
                self.drop(self._readers.pop())
            if self._file_lock.acquire(blocking=False):
                while self._writers:
                    self.drop(self._writers.pop())
                self._file_lock.release()
            if self._open_ones and time.monotonic() > deadline:
                return
            time.sleep(0.0005 if self._open_ones else 0)


def roll_back(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@contextmanager
def ended(connection: apsw.Connection) -> Iterator[apsw.Connection]:
    """No transaction is left open on it, before and after."""
    roll_back(connection)
    try:
        yield connection
    finally:
        roll_back(connection)


def patient(seconds: float) -> Callable[[int], bool]:
    """A busy handler. Short, uneven sleeps let many writing processes take turns; SQLite's own grow to 100 ms."""
    started = 0.0

    def wait(tries: int) -> bool:
        nonlocal started
        now = time.monotonic()
        if tries == 0:
            started = now
        if now - started >= seconds:
            return False
        time.sleep(random.uniform(0.0002, min(0.008, 0.0005 * (tries + 1))))
        return True

    return wait


def use_wal(connection: apsw.Connection, seconds: float) -> None:
    """Switching a new file over is refused at once, without waiting, while another process does the same."""
    wait, tries = patient(seconds), 0
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            return
        except apsw.BusyError:
            if not wait(tries):
                raise
            tries += 1
