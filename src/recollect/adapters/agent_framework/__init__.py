"""Microsoft Agent Framework: a context provider for what lasts, and a history provider for the transcript."""

from __future__ import annotations

from recollect.adapters.common import FailOpen, Recalling, Recording, Scopes, Spaces
from recollect.adapters.common.missing import MissingFramework

try:
    from .context import RecollectContextProvider
    from .history import RecollectHistoryProvider
    from .sessions import current_session
except ModuleNotFoundError as error:
    raise MissingFramework("agent-framework", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "RecollectContextProvider",
    "RecollectHistoryProvider",
    "Recording",
    "Scopes",
    "Spaces",
    "current_session",
]
