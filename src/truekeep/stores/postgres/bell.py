"""Waking: whoever waits for changes hears of them at once. Nothing depends on it: who hears nothing looks anyway.

A NOTIFY within a write would make all commits of the server queue up for its one queue of messages, and wait for the
disk in it. So it is sent after the commit, in a transaction of its own that waits for no disk, and only while somebody
listens. Listeners hold a lock that says so.
"""

from __future__ import annotations

import logging
import threading
import time
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from truekeep.errors import StoreError
from truekeep.model import SpaceId
from truekeep.stores.tables import mark_of

from .schema import LOCK

if TYPE_CHECKING:
    from .connections import Database

log = logging.getLogger(__name__)

ASK = 1.0  # seconds between two looks whether anybody listens, while nobody does
PATIENCE = 0.5  # seconds after which a listener sees that it shall end
AGAIN = 1.0  # seconds until it tries again after it lost its connection
# The lock cannot be had while somebody listens; otherwise it is let go of at once.
TELL = """SELECT set_config('synchronous_commit', 'off', true), pg_notify(%s, %s)
    WHERE NOT pg_try_advisory_xact_lock(%s, %s)"""


class Teller:
    """Tells listeners, in this or another process, which space has changed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_heard = False
        self._asked = -ASK

    def tell(self, space: SpaceId) -> None:
        """After a commit. One way to the server and back; once a second while nobody listens."""
        now = time.monotonic()
        if not self._is_heard and now - self._asked < ASK:
            return
        self._asked = now
        schema = self._database.schema
        given = (channel_of(schema), mark_of(self._database.secret, space), LOCK, _number(schema))
        self._is_heard = bool(self._database.once(space.tenant, lambda session: session.query(TELL, given)))


class Listener:
    """Hears of changes, in a thread and through a connection of its own, until it is closed."""

    def __init__(self, connect: Callable[[], psycopg.Connection], schema: str, heard: Callable[[str], None]) -> None:
        self._connect = connect
        self._schema = schema
        self._heard = heard
        self._since: float | None = None  # when it began to listen
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="truekeep-listen", daemon=True)
        self._thread.start()

    @property
    def hears(self) -> bool:
        """Whether changes are told. Those who write find out only after a while that somebody listens."""
        return self._since is not None and time.monotonic() - self._since > 2 * ASK

    def close(self) -> None:
        self._closed.set()
        self._thread.join(5 * PATIENCE)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    if _is_pooled(connection):
                        return  # another one would be lent our connection, and what it hears
                    self._listen(connection)
            except (psycopg.Error, StoreError):
                log.debug("the connection that listens was lost", exc_info=True)
            self._since = None
            self._closed.wait(AGAIN)

    def _listen(self, connection: psycopg.Connection) -> None:
        connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel_of(self._schema))))
        connection.execute("SELECT pg_advisory_lock_shared(%s, %s)", (LOCK, _number(self._schema)))
        self._since = time.monotonic()
        while not self._closed.is_set():
            for message in connection.notifies(timeout=PATIENCE):
                self._heard(message.payload)


def channel_of(schema: str) -> str:
    return f"truekeep_{zlib.crc32(schema.encode()):08x}"


def _number(schema: str) -> int:
    return zlib.crc32(schema.encode()) >> 1


def _is_pooled(connection: psycopg.Connection) -> bool:
    """A pooler makes up the number of the process that serves us."""
    found = connection.execute("SELECT pg_backend_pid()").fetchone()
    return found is None or found[0] != connection.info.backend_pid
