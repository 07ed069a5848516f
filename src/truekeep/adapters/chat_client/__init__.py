"""A plain chat client with a memory: it recalls before each call and records after it, whoever makes the calls."""

from __future__ import annotations

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces

from .client import with_memory

__all__ = ["FailOpen", "Recalling", "Recording", "Remembering", "Scopes", "Spaces", "with_memory"]
