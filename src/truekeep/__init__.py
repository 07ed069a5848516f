"""Truekeep: persistent memory for AI agents.

from truekeep import Memory

memory = Memory("support-bot")
memory.remember("Ana prefers TypeScript over JavaScript", kind="preference")
memory.recall("which language should I use for Ana?")[0].content
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__
from .engine.admit import Limits
from .errors import (
    AccessDenied,
    BackendError,
    ConfigurationError,
    Conflict,
    DamagedStore,
    EmbedderError,
    ExtractorError,
    InvalidInput,
    NotFound,
    QuotaExceeded,
    StoreError,
    TruekeepError,
)
from .memory import Memory
from .model import (
    Arm,
    Changes,
    Draft,
    Event,
    Explanation,
    Extraction,
    ExtractionReport,
    Imported,
    Job,
    Match,
    MemoryItem,
    Message,
    Page,
    Recall,
    Receipt,
    Remembered,
    Review,
    Session,
    Source,
    Stats,
    Suspicion,
    Value,
)

if TYPE_CHECKING:
    from .aio import AsyncMemory

__all__ = [
    "AccessDenied",
    "Arm",
    "AsyncMemory",
    "BackendError",
    "Changes",
    "ConfigurationError",
    "Conflict",
    "DamagedStore",
    "Draft",
    "EmbedderError",
    "Event",
    "Explanation",
    "Extraction",
    "ExtractionReport",
    "ExtractorError",
    "Imported",
    "InvalidInput",
    "Job",
    "Limits",
    "Match",
    "Memory",
    "MemoryItem",
    "Message",
    "NotFound",
    "Page",
    "QuotaExceeded",
    "Recall",
    "Receipt",
    "Remembered",
    "Review",
    "Session",
    "Source",
    "Stats",
    "StoreError",
    "Suspicion",
    "TruekeepError",
    "Value",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name == "AsyncMemory":  # on demand: it needs anyio, which the synchronous handle does not
        from .aio import AsyncMemory

        return AsyncMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
