"""Truekeep: persistent memory for AI agents.

from truekeep import Memory

memory = Memory("support-bot")
memory.remember("Ana prefers TypeScript over JavaScript", kind="preference")
memory.recall("which language should I use for Ana?")[0].content
"""

from __future__ import annotations

from ._version import __version__

TYPE_CHECKING = False  # as `typing` has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from .aio import AsyncMemory
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
        Checkpoint,
        Diff,
        Draft,
        Edited,
        EditedValue,
        Event,
        Explanation,
        Extraction,
        ExtractionReport,
        Feed,
        FeedEvent,
        Imported,
        Job,
        Match,
        MemoryItem,
        Message,
        Page,
        Reader,
        Recall,
        Receipt,
        Remembered,
        Restoration,
        Review,
        Session,
        Source,
        Stats,
        Suspicion,
        Value,
    )

__all__ = [
    "AccessDenied",
    "Arm",
    "AsyncMemory",
    "BackendError",
    "Changes",
    "Checkpoint",
    "ConfigurationError",
    "Conflict",
    "DamagedStore",
    "Diff",
    "Draft",
    "Edited",
    "EditedValue",
    "EmbedderError",
    "Event",
    "Explanation",
    "Extraction",
    "ExtractionReport",
    "ExtractorError",
    "Feed",
    "FeedEvent",
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
    "Reader",
    "Recall",
    "Receipt",
    "Remembered",
    "Restoration",
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

_HOMES = ("errors", "model", "engine.admit", "memory", "aio")  # of the public names, the light ones first


def __getattr__(name: str) -> object:
    """On demand: a coding agent runs `truekeep` at every prompt, and waits for what it imports."""
    if name in __all__:
        from importlib import import_module

        for home in _HOMES:
            if (found := vars(import_module(f".{home}", __name__)).get(name)) is not None:
                return globals().setdefault(name, found)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
