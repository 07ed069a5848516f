"""Microsoft Agent Framework: a context provider for what lasts, and a history provider for the transcript."""

from __future__ import annotations

from truekeep.adapters.common import FailOpen, Recalling, Recording, Scopes, Spaces
from truekeep.adapters.common.adapter import MissingFramework

try:
    from .providers import TruekeepContextProvider, TruekeepHistoryProvider, current_session
except ModuleNotFoundError as error:
    raise MissingFramework("agent-framework", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "Recording",
    "Scopes",
    "Spaces",
    "TruekeepContextProvider",
    "TruekeepHistoryProvider",
    "current_session",
]
