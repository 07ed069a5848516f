"""Migrating: everything that one store holds, copied into another as it is, and compared afterwards."""

from __future__ import annotations

from .copy import Migration, SpaceCopy, Tell
from .migration import migrate

__all__ = ["Migration", "SpaceCopy", "Tell", "migrate"]
