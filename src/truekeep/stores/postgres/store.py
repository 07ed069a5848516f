"""The store: everything in one schema of a PostgreSQL database."""

from __future__ import annotations

from datetime import timedelta

from truekeep.stores.ledger.applying import Applying
from truekeep.stores.ledger.erasing import Erasing
from truekeep.stores.ledger.items import Items
from truekeep.stores.ledger.jobs import Jobs
from truekeep.stores.ledger.keys import Keys
from truekeep.stores.ledger.looking import Looking
from truekeep.stores.ledger.moving import Moving
from truekeep.stores.ledger.values import Values

from .connections import Database
from .upkeep import DatabaseUpkeep


class PostgresStore(DatabaseUpkeep, Items, Looking, Applying, Erasing, Values, Jobs, Keys, Moving):
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
