"""The border: what SQLite reports, in our words."""

from __future__ import annotations

import apsw

from truekeep.errors import DamagedStore, StoreError

UNWRITABLE_FOLDER = (apsw.SQLITE_READONLY_DIRECTORY, apsw.SQLITE_READONLY_CANTINIT)
FAULTS = (apsw.Error, UnicodeDecodeError)  # a text that is no longer UTF-8 was damaged too


def translated(error: Exception, location: str) -> StoreError:
    """The error to raise instead, `from error`. Tells no text, only where and what to do."""
    match error:
        case apsw.FullError():
            return full(location)
        case apsw.ReadOnlyError() if getattr(error, "extendedresult", 0) in UNWRITABLE_FOLDER:
            return StoreError(
                f"{location} is read-only and so is its folder, where SQLite keeps a log even for those who only read; "
                "make the folder writable, or copy the file into one that is"
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return StoreError(f"{location} is read-only and nothing was written; make it writable, or choose another")
        case apsw.CantOpenError():
            return StoreError(f"cannot open {location}: check that the folder exists and that you may write there")
        case apsw.BusyError() | apsw.LockedError():
            return StoreError(f"{location} is in use by another process for too long; try again", retryable=True)
        case apsw.CorruptError() | apsw.NotADBError() | apsw.FormatError() | apsw.TooBigError() | UnicodeDecodeError():
            return DamagedStore(f"{location} is damaged ({type(error).__name__}); restore a backup")
        case _:
            return StoreError(f"{location}: {type(error).__name__}: {error}")


def full(location: str) -> StoreError:
    return StoreError(f"the disk is full: {location}; nothing was written, free some space and try again")


def is_full(error: BaseException | None) -> bool:
    """Whether a full disk is behind it."""
    return error is not None and (isinstance(error, apsw.FullError) or is_full(error.__cause__))
