"""The border: what PostgreSQL and its driver report, in our words."""

from __future__ import annotations

import psycopg
from psycopg import errors

from truekeep.errors import ConfigurationError, DamagedStore, StoreError, TruekeepError

# The server went away, is starting or is stopping; nothing that was not committed is there.
AWAY = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
    errors.ConnectionException,
    errors.ConnectionFailure,
    errors.ConnectionDoesNotExist,
)
# Two transactions stood in each other's way: run again, it will pass.
COLLIDED = (errors.SerializationFailure, errors.DeadlockDetected)
# Why a server lets nobody in for the moment.
PASSING = (
    "starting up",
    "shutting down",
    "not yet accepting",
    "recovery mode",
    "too many",
    "remaining connection slots",
)


def is_away(error: psycopg.Error, connection: psycopg.Connection | None = None) -> bool:
    """Whether the connection is lost, so that another one may do.

    What the server says has a code. An operational error without one is the driver's, about a connection that broke
    under it, which it may not have noticed as such: "cannot exit pipeline mode while busy".
    """
    is_drivers = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
    is_broken = is_drivers and not isinstance(error, errors.PipelineAborted)
    return isinstance(error, AWAY) or is_broken or (connection is not None and bool(connection.closed))


def is_refused(error: psycopg.Error, *, for_now: bool = False) -> bool:
    """Whether a server answered that it does not let us in: at all, or `for_now`. Such an error has no code."""
    text = str(error)
    return "FATAL:" in text and for_now == any(reason in text for reason in PASSING)


def translated(error: psycopg.Error, location: str) -> TruekeepError:
    """The error to raise instead, `from error`. Tells no text of anybody, only where and what to do."""
    match error:
        case errors.InsufficientPrivilege():
            return ConfigurationError(f"{location}: {reason_of(error)}; see docs/how-to/scale-out.md for the roles")
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return DamagedStore(f"{location} is damaged: {reason_of(error)}; restore a backup")
        case errors.DiskFull():
            return StoreError(f"the disk is full: {location}; nothing was written, free some space and try again")
        case errors.ReadOnlySqlTransaction():
            return StoreError(f"{location} is read-only, a replica perhaps; nothing was written")
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return StoreError(f"{location} is in use by another process for too long; try again", retryable=True)
        case errors.SerializationFailure() | errors.DeadlockDetected() | errors.TooManyConnections():
            return StoreError(f"{location} is too busy: {reason_of(error)}; try again", retryable=True)
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return away(location, error)
        case _:
            return StoreError(f"{location}: {type(error).__name__}: {reason_of(error)}")


def away(location: str, error: Exception | None = None) -> StoreError:
    reason = f" ({reason_of(error)})" if error is not None and str(error) else ""
    return StoreError(f"{location} cannot be reached{reason}; nothing was written, try again", retryable=True)


def reason_of(error: Exception) -> str:
    """The server's message without its detail, which may quote a row."""
    primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return primary or str(error).strip().partition("\n")[0]
