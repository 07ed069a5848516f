"""LangGraph and LangChain: a store for what lasts, a middleware that recalls and records, and a chat history."""

from __future__ import annotations

from recollect.adapters.common import FailOpen, Recalling, Recording, Scopes, Spaces
from recollect.adapters.common.missing import MissingFramework

try:
    from .chat_history import RecollectChatMessageHistory
    from .middleware import RecollectMiddleware, memory_tools
    from .store import RecollectStore
except ModuleNotFoundError as error:
    raise MissingFramework("langgraph", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "RecollectChatMessageHistory",
    "RecollectMiddleware",
    "RecollectStore",
    "Recording",
    "Scopes",
    "Spaces",
    "memory_tools",
]
