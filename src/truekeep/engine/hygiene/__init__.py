"""Hygiene of what is said: secrets are taken out before anything is kept, and suspect text waits for somebody's eye."""

from __future__ import annotations

from .gateway import Cleaned, cleaned, cleaned_edits, cleaned_messages, is_suspect, listed, redacted, vetted
from .instructions import poses_as_instruction

__all__ = [
    "Cleaned",
    "cleaned",
    "cleaned_edits",
    "cleaned_messages",
    "is_suspect",
    "listed",
    "poses_as_instruction",
    "redacted",
    "vetted",
]
