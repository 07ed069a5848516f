"""The store: everything in one schema of a PostgreSQL database."""

from __future__ import annotations

from datetime import timedelta

from .connections import Database
from .upkeep import DatabaseUpkeep


class PostgresStore(DatabaseUpkeep):
    """Implements `truekeep.ports.Store` on a database that many servers share.

    Args:
        url: "postgresql://user:password@host:port/database", with any parameter that libpq knows.
        schema: where the tables are, made if they are not there.
        connections: how many this process opens at most.
        patience: how long a call waits for a server that went away before it fails.

    Raises:
        ConfigurationError: the address is wrong, the server is too old, a role is missing, or the database belongs to
            a newer Truekeep.
        StoreError: the server cannot be reached.
    """

    def __init__(
        self,
        url: str,
        *,
        schema: str = "truekeep",
        connections: int = 16,
        patience: timedelta = timedelta(seconds=10),
    ) -> None:
        super().__init__(Database(url, schema=schema, connections=connections, patience=patience))
