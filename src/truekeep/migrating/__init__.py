"""Migrating: everything that one store holds, copied into another as it is, and compared afterwards."""

from __future__ import annotations

from .migration import migrate
from .report import Migration, SpaceCopy, Tell

__all__ = ["Migration", "SpaceCopy", "Tell", "migrate"]
