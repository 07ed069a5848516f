"""The store: everything in one SQLite file, or in memory."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from truekeep.stores.ledger.applying import Applying
from truekeep.stores.ledger.erasing import Erasing
from truekeep.stores.ledger.items import Items
from truekeep.stores.ledger.jobs import Jobs
from truekeep.stores.ledger.keys import Keys
from truekeep.stores.ledger.looking import Looking
from truekeep.stores.ledger.moving import Moving
from truekeep.stores.ledger.values import Values

from .connections import Database, Durability
from .upkeep import FileUpkeep


class SqliteStore(FileUpkeep, Items, Looking, Applying, Erasing, Values, Jobs, Keys, Moving):
    """Implements `truekeep.ports.Store` on one file that many threads and processes share.

    Args:
        path: the file, made if it is not there; None or ":memory:" keeps everything in memory, for one process.
        busy_timeout: how long a write waits for other processes before it fails.
        durable: "full" survives a power cut; "normal" only a crash of the process (for tests that show the difference).
        vfs: name of an SQLite file layer other than the usual (for tests).

    Raises:
        ConfigurationError: the file belongs to another application or to a newer Truekeep.
        DamagedStore: the file is not what was written.
        StoreError: the file cannot be opened.
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        busy_timeout: timedelta = timedelta(seconds=60),
        durable: Durability = "full",
        vfs: str | None = None,
    ) -> None:
        file = None if path is None or str(path) == ":memory:" else Path(path).absolute()
        super().__init__(Database(file, busy_timeout=busy_timeout, durable=durable, vfs=vfs))
