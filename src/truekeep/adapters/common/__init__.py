"""The one piece that all adapters share: scopes, failing open, recording, recalled blocks and tools."""

from __future__ import annotations

from .adapter import AsyncRemembering, Remembering, memory_tools
from .block import HEADING, announcement, is_recalled, recall_block, strip_recalled
from .failopen import FailOpen
from .plans import Plan, Recalling
from .recorder import Recorder, Recording
from .spaces import AnyScopes, Scopes, Spaces
from .speech import SILENT, heard, last_said, text_of
from .tools import Tools

__all__ = [
    "HEADING",
    "SILENT",
    "AnyScopes",
    "AsyncRemembering",
    "FailOpen",
    "Plan",
    "Recalling",
    "Recorder",
    "Recording",
    "Remembering",
    "Scopes",
    "Spaces",
    "Tools",
    "announcement",
    "heard",
    "is_recalled",
    "last_said",
    "memory_tools",
    "recall_block",
    "strip_recalled",
    "text_of",
]
