"""LangGraph and LangChain: a store for what lasts, a middleware that recalls and records, and a chat history."""

from __future__ import annotations

from truekeep.adapters.common import FailOpen, Recalling, Recording, Scopes, Spaces
from truekeep.adapters.common.adapter import MissingFramework

try:
    from .langchain import TruekeepChatMessageHistory, TruekeepMiddleware, memory_tools
    from .store import TruekeepStore
except ModuleNotFoundError as error:
    raise MissingFramework("langgraph", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "Recording",
    "Scopes",
    "Spaces",
    "TruekeepChatMessageHistory",
    "TruekeepMiddleware",
    "TruekeepStore",
    "memory_tools",
]
