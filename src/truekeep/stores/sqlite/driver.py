"""The driver: transactions on the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from truekeep.errors import DamagedStore, StoreError
from truekeep.model import SpaceId
from truekeep.ports import Head
from truekeep.steps import step
from truekeep.stores.commit import GroupCommit, Ticket, run_all

from .connections import Database, Durability, ended
from .faults import FAULTS, is_full, translated
from .questions import Questions
from .reserve import spend_reserve
from .rows import query
from .tables import Known
from .wipe import wipe, wipe_if_small

T = TypeVar("T")
# Up to this size the whole structure is looked through at opening (about 5 ms a megabyte): a damaged index would
# otherwise tell that something is not there. A larger file is for `check`.
LOOKED_THROUGH = 16_000_000


class FileRows(Questions):
    """Implements `ledger.Rows`, and for those who write together `commit.Transaction`."""

    def begin(self, *, firmly: bool) -> None:
        self._held.clear()
        self._seals.clear()
        self._is_firm = firmly
        if firmly:
            self.connection.execute("SAVEPOINT ticket")
        self._changes = self.connection.total_changes()

    def end(self) -> None:
        """Keep the counters of spaces as they are now."""
        for row, before in self._held.values():
            if row.counters() != before:
                self.save(row)

    def undone(self, error: Exception) -> Exception | None:
        if not self._is_firm:
            is_untouched = self.connection.in_transaction and self.connection.total_changes() == self._changes
            return error if is_untouched else None
        if not self.connection.in_transaction:
            raise error  # SQLite gave up all of it
        self.connection.execute("ROLLBACK TO ticket")
        return error


class FileDriver(Database):
    """Implements `ledger.Driver`. One file knows no walls between tenants: every statement names the space."""

    def __init__(self, path: Path | None, *, busy_timeout: timedelta, durable: Durability, vfs: str | None) -> None:
        self._secret: bytes | None = None
        self._known = Known(lambda: self.secret)
        super().__init__(path, busy_timeout=busy_timeout, durable=durable, vfs=vfs)
        try:
            self.read(None, self._look_through)  # refuse a wrong or damaged file now rather than at the first use
        except BaseException:
            self.close()
            raise

    def restart(self) -> None:
        super().restart()
        self._commits = GroupCommit(self._transact)

    @property
    def secret(self) -> bytes:
        if self._secret is None:
            self._secret = self.read(None, lambda rows: rows.secret())
        return self._secret

    @secret.setter
    def secret(self, secret: bytes) -> None:
        self._secret = secret

    def head(self, space: SpaceId) -> Head:
        row = self.read(space.tenant, lambda rows: rows.row(space))
        return Head(0, 0) if row is None else Head(row[4], row[5])

    @step("store.read")
    def read(self, tenant: str | None, work: Callable[[FileRows], T], *, together: bool = False) -> T:
        connection = None
        try:
            with self.alone:
                connection = self.take_reader()
                if together and self.path is not None:  # in memory the lock does it
                    connection.execute("BEGIN")
                return work(FileRows(connection, self._known))
        except FAULTS as error:
            raise translated(error, self.location) from error
        finally:
            self.give_reader(connection)

    @step("store.write")
    def write(self, space: SpaceId | None, work: Callable[[FileRows], T], size: int = 0) -> T:
        try:
            return self._commits.run(work, size)
        except FAULTS as error:
            raise translated(error, self.location) from error

    def erase(self, space: SpaceId, work: Callable[[FileRows], T]) -> T:
        try:
            return self.write(space, work)
        except StoreError as error:
            if not is_full(error) or self.path is None or not spend_reserve(self.path):
                raise
        return self.write(space, work)

    @step("store.change")
    def change(self, tenant: str | None, work: Callable[[FileRows], T]) -> T:
        return self.write(None, work)

    def write_each(self, spaces: Sequence[SpaceId], work: Callable[[FileRows, SpaceId], T]) -> list[T]:
        return self.write(None, lambda rows: [work(rows, space) for space in spaces])

    def _transact(self, group: Sequence[Ticket[FileRows]], firmly: bool) -> bool:
        try:
            with self.writing, ended(self.writer()) as connection:
                self.begin(connection)
                run_all(FileRows(connection, self._known), group, firmly)
                connection.execute("COMMIT")
            return False
        except FAULTS as error:
            raise translated(error, self.location) from error
        except BaseException:  # Ctrl-C, perhaps before all was undone
            self.roll_back()
            raise

    @contextmanager
    def viewed(self) -> Iterator[FileRows]:
        with self.own() as connection:
            connection.execute("BEGIN")
            yield FileRows(connection, self._known)

    def tidy(self) -> None:
        """Clear what was erased, and let the log not grow for ever."""
        wipe(self)
        with self.own() as connection:
            query(connection, "PRAGMA wal_checkpoint(PASSIVE)")

    def clean(self) -> bool:
        return wipe_if_small(self)

    def _look_through(self, rows: FileRows) -> None:
        if self.path is None or self.path.stat().st_size > LOOKED_THROUGH:
            return
        if query(rows.connection, "PRAGMA integrity_check(1)") != [("ok",)]:
            raise DamagedStore(f"{self.location} is damaged: its pages do not fit together; restore a backup")
