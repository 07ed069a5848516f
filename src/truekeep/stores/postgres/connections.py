"""Connections: lent to transactions, lost and found again, made anew after a fork."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar
from weakref import WeakSet

import psycopg
import psycopg_pool
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.string import TextBinaryLoader, TextLoader

from truekeep.errors import ConfigurationError, StoreError
from truekeep.patience import TooLate, within
from truekeep.stores.versions import refuse_newer

from .bell import Listener, Teller
from .faults import COLLIDED, away, is_away, is_refused, reason_of, translated
from .schema import migrate, migrations, roles_of
from .session import Connection, Mode, Session, Who

T = TypeVar("T")

LIFELINE = {  # a server that vanished without a word is noticed in about 20 seconds
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,
    "application_name": "truekeep",
}
ASK_AGAIN = 0.25  # seconds, while the server is away
AT_ONCE = 0.01  # seconds that something waits for a connection which need not be done
ANSWERS = 1.0  # seconds within which a server that is there lets somebody in
COLLISIONS = 10
LOCKED = 60.0  # seconds that a write waits for another one of the same space


class Database:
    """The database behind a store."""

    def __init__(self, url: str, *, schema: str, connections: int, patience: timedelta) -> None:
        self.schema = schema
        self.patience = patience.total_seconds()
        self._given = _checked(url)
        self.location = _without_password(self._given)
        self._connections = connections
        self._closed = False
        self.restart()
        try:
            with self._connected() as connection:
                self.roles = roles_of(connection.info.dbname)
                self.secret = migrate(connection, schema, self.location)
        except psycopg.Error as error:
            raise translated(error, self.location) from error
        _alive.add(self)

    def restart(self) -> None:
        """After a fork, in the child: nobody else is here. Also the state to begin with."""
        self._opening = threading.Lock()
        self._pool: psycopg_pool.ConnectionPool[Connection] | None = None
        self._lent_out: set[Connection] = set()
        self._is_given_up = False
        self.is_away = False  # no connection could be made, and nothing was done on another one since
        self.teller = Teller(self)

    # Using it

    def once(self, tenant: str, work: Callable[[Session], T]) -> T | None:
        """Run one statement if a connection is free; None if not, or if it fails. Nobody waits for it."""
        try:
            pool = self._opened_pool()
            connection = pool.getconn(timeout=AT_ONCE)
        except (StoreError, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed):
            return None
        try:
            return work(Session(connection, self._who(tenant), "single"))
        except psycopg.Error:
            return None
        finally:
            pool.putconn(connection)

    def listen(self, heard: Callable[[str], None]) -> Listener:
        return Listener(self._connected, self.schema, heard)

    @contextmanager
    def view(self) -> Iterator[Session]:
        """All rows, as the keeper, in one state of the database for as long as it takes. Not begun again."""
        with self._lent(time.monotonic() + self.patience) as connection:
            session = Session(connection, self._who(None), "together")
            try:
                session.query("SELECT set_config('idle_in_transaction_session_timeout', '0', true)")
                yield session
            except psycopg.Error as error:
                raise translated(error, self.location) from error
            finally:
                session.roll_back()

    def transact(self, tenant: str | None, mode: Mode, work: Callable[[Session], T]) -> T:
        """Run `work` as a transaction; again, on a new connection, where the old one broke before the commit."""
        deadline, collisions = time.monotonic() + self.patience, 0
        while True:
            with self._lent(deadline) as connection:
                session = Session(connection, self._who(tenant), mode)
                try:
                    result = work(session)
                    session.commit()
                    self.is_away = False
                    return result
                except psycopg.Error as error:
                    collisions += isinstance(error, COLLIDED)
                    is_lost = is_away(error, connection)
                    in_time = time.monotonic() < deadline and not self._is_given_up
                    is_in_doubt = is_lost and session.is_committing
                    has_collided = isinstance(error, COLLIDED) and collisions < COLLISIONS
                    if is_lost:
                        connection.close()  # it may not know yet
                    if not (is_in_doubt or (in_time and (is_lost or has_collided))):
                        raise translated(error, self.location) from error
                finally:
                    session.roll_back()
            if is_in_doubt and self._is_committed(session.xid):
                return result

    def _who(self, tenant: str | None) -> Who:
        role = self.roles.keeper if tenant is None else self.roles.tenant
        return Who(tenant, role, self.schema, LOCKED, self.secret, self._admit)

    def _admit(self, version: int) -> None:
        refuse_newer(version, len(migrations()), self.location)

    def _is_committed(self, xid: str | None) -> bool:
        """What became of a transaction whose connection broke while it was being committed."""
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline and not self._is_given_up:
            try:
                with self._lent(deadline) as connection:
                    found = connection.execute("SELECT pg_xact_status(%s::text::xid8)", (xid,)).fetchone()
            except (psycopg.OperationalError, StoreError):
                continue
            except psycopg.Error:
                break  # another server, which never heard of it
            if found and found[0] in ("committed", "aborted"):
                return bool(found[0] == "committed")
            time.sleep(ASK_AGAIN)  # in progress: its process has not noticed yet that nobody listens
        raise StoreError(
            f"the connection to {self.location} broke during a commit; it may or may not have been kept", retryable=True
        )

    # Lending connections

    @contextmanager
    def _lent(self, deadline: float) -> Iterator[Connection]:
        connection, pool = self._take(deadline)
        self._lent_out.add(connection)
        try:
            yield connection
        finally:
            self._lent_out.discard(connection)
            pool.putconn(connection)  # a broken one is dropped there

    def _take(self, deadline: float) -> tuple[Connection, psycopg_pool.ConnectionPool[Connection]]:
        """A connection; while the server is away, the pool is asked again and again, and tries again each time."""
        while True:
            pool = self._opened_pool()
            try:
                return pool.getconn(timeout=ASK_AGAIN), pool
            except psycopg_pool.PoolTimeout:
                if self._is_given_up:
                    raise away(self.location) from None
                if time.monotonic() > deadline:
                    raise away(self.location, self._reason()) from None
            except psycopg_pool.PoolClosed:
                raise StoreError("the store is closed") from None

    def _opened_pool(self) -> psycopg_pool.ConnectionPool[Connection]:
        if self._pool is None:
            with self._opening:
                if self._closed:
                    raise StoreError("the store is closed")
                if self._pool is None:
                    self._pool = psycopg_pool.ConnectionPool(
                        kwargs={**LIFELINE, **self._given, "autocommit": True, "prepare_threshold": None},
                        min_size=0,
                        max_size=self._connections,
                        max_idle=300,
                        reconnect_timeout=0.01,  # its own waits grow; `_take` asks at a steady pace
                        configure=_configure,
                        reconnect_failed=self._note_failure,
                        num_workers=2,
                        open=True,
                    )
        return self._pool

    def _note_failure(self, _: object) -> None:
        self.is_away = True

    def lent(self) -> dict[str, int]:
        """How many connections are used and idle, and how many calls wait for one."""
        found = {} if self._pool is None else self._pool.get_stats()
        open, idle = found.get("pool_size", 0), found.get("pool_available", 0)
        return {"used": open - idle, "idle": idle, "waiting": found.get("requests_waiting", 0)}

    def _connected(self) -> Connection:
        """A connection of one's own."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                return psycopg.connect(**{**LIFELINE, **self._given}, autocommit=True, prepare_threshold=None)
            except psycopg.OperationalError as error:
                if is_refused(error):
                    raise ConfigurationError(f"cannot open {self.location}: {reason_of(error)}") from error
                if not is_refused(error, for_now=True) or time.monotonic() > deadline:
                    raise
                time.sleep(ASK_AGAIN)

    def _reason(self) -> psycopg.Error | None:
        """Why no connection can be made; None when one can, so that all of the pool are in use."""
        try:
            psycopg.connect(**{**LIFELINE, **self._given, "connect_timeout": 2}).close()
        except psycopg.Error as error:
            return error
        return None

    def give_up(self) -> None:
        """If the server is away, end whatever waits for it. One that answers is waited for, however long it takes."""
        try:
            reason = within(ANSWERS, self._reason, thread="truekeep-give-up")
        except TooLate:
            pass
        else:
            if reason is None or is_refused(reason) or is_refused(reason, for_now=True):
                return
        self._is_given_up = True
        for connection in list(self._lent_out):
            _cut(connection)

    def close(self) -> None:
        """Close all connections; calls in flight end first, but for those to a server that was given up."""
        with self._opening:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close(0 if self._is_given_up else 5)


def _checked(url: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(url))
    except psycopg.ProgrammingError as error:
        raise ConfigurationError(f"at: not an address of PostgreSQL: {str(error).strip()}") from error


def _without_password(given: dict[str, Any]) -> str:
    user = f"{given['user']}@" if given.get("user") else ""
    port = f":{given['port']}" if given.get("port") else ""
    return f"postgresql://{user}{given.get('host') or ''}{port}/{given.get('dbname') or ''}"


def _cut(connection: Connection) -> None:
    """Whoever reads from it, in another thread, reads its end."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as ours:
        ours.shutdown(socket.SHUT_RDWR)


def _configure(connection: Connection) -> None:
    for loader in (TextLoader, TextBinaryLoader):  # JSON as it was written; whoever needs it reads it
        connection.adapters.register_loader("json", loader)


_alive: WeakSet[Database] = WeakSet()
_never_closed: list[object] = []  # pools of the parent: their sockets are not ours to say goodbye on


def _in_child() -> None:
    for database in _alive:
        _never_closed.append(database._pool)
        database.restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
