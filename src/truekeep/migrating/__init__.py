"""Migrating: everything that one store holds, copied into another as it is, and compared afterwards."""

from __future__ import annotations

from .migration import Migration, SpaceCopy, Tell, migrate

__all__ = ["Migration", "SpaceCopy", "Tell", "migrate"]
