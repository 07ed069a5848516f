"""Every exception that Truekeep raises, drawn as a tree.

TruekeepError
├── ConfigurationError    change a setting: unknown URL scheme, missing extra, wrong dimension
│   └── AccessDenied      a server asks for another access key
├── InvalidInput          change the call        (also a ValueError)
├── NotFound              no such item or space   (also a LookupError)
├── Conflict              somebody else changed it first; read again and retry
├── QuotaExceeded         a quota is used up; `.retry_after` says when there may be room again
└── BackendError          the outside world failed; `.retryable` says whether to try again
    ├── StoreError
    │   └── DamagedStore  the file is not what was written; nothing was changed
    ├── EmbedderError
    └── ExtractorError
"""

from __future__ import annotations

import traceback
from datetime import timedelta

__all__ = [
    "AccessDenied",
    "BackendError",
    "ConfigurationError",
    "Conflict",
    "DamagedStore",
    "EmbedderError",
    "ExtractorError",
    "InvalidInput",
    "NotFound",
    "QuotaExceeded",
    "StoreError",
    "TruekeepError",
]


class TruekeepError(Exception):
    """The root: catch this to catch everything that Truekeep raises."""


class ConfigurationError(TruekeepError):
    """A setting is wrong; the message names it and says what to change."""


class AccessDenied(ConfigurationError):
    """A server does not accept this access key, or not for that."""


class InvalidInput(TruekeepError, ValueError):
    """An argument cannot be accepted; nothing was written."""

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument}: {problem}")
        self.argument = argument
        self.problem = problem

    def __reduce__(self) -> tuple[type[InvalidInput], tuple[str, str]]:
        return type(self), (self.argument, self.problem)


class NotFound(TruekeepError, LookupError):
    """There is no such item, job or space here."""


class Conflict(TruekeepError):
    """Somebody else changed it first; read again and retry."""


class QuotaExceeded(TruekeepError):
    """A quota is used up; nothing was written."""

    def __init__(self, message: str, retry_after: timedelta, quota: str = "") -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.quota = quota  # its name, where that is known

    def __reduce__(self) -> tuple[type[QuotaExceeded], tuple[str, timedelta, str]]:
        return type(self), (str(self), self.retry_after, self.quota)


class BackendError(TruekeepError):
    """The outside world failed."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class StoreError(BackendError):
    """The store could not keep or read: disk full, read-only, out of reach."""


class DamagedStore(StoreError):
    """The file holds something that was not written by Truekeep; it is left as it is."""


class EmbedderError(BackendError):
    """The embedder failed; words still answer."""


class ExtractorError(BackendError):
    """The extractor failed; the messages are kept."""


def described(error: BaseException) -> str:
    """What failed and where, as it may be logged. Never the message: it may quote a memory or name a space."""
    chain = [error]
    while (before := chain[-1].__cause__ or chain[-1].__context__) is not None and before not in chain:
        chain.append(before)
    names = " from ".join(type(one).__name__ for one in chain)
    return f"{names}\n{''.join(traceback.format_tb(error.__traceback__))}".rstrip()
