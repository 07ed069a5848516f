"""What other memories hold, brought in: `bring_in(memory, read("mem0", "export.json"))`."""

from __future__ import annotations

from .drafts import FORMATS, read
from .intake import BroughtIn, bring_in
from .records import Entry, LeftOut, Record, Statement

__all__ = ["FORMATS", "BroughtIn", "Entry", "LeftOut", "Record", "Statement", "bring_in", "read"]
