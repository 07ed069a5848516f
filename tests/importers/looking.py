"""Short ways to look at what an importer found."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truekeep.importers import Entry, LeftOut, Record, Statement, read

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def all_of(format: str, path: Path, **options: Any) -> list[Record]:
    return list(read(format, path, **{"now": NOW, **options}))


def statements(format: str, path: Path, **options: Any) -> list[dict[str, Any]]:
    """The arguments of all statements; nothing else was found."""
    found = all_of(format, path, **options)
    assert [one for one in found if not isinstance(one, Statement)] == []
    return [dict(one.arguments) for one in found if isinstance(one, Statement)]


def contents(format: str, path: Path, **options: Any) -> list[str]:
    return [one["content"] for one in statements(format, path, **options)]


def left_out(format: str, path: Path, **options: Any) -> list[tuple[str, str, bool]]:
    return [(one.where, one.reason, one.is_bad) for one in all_of(format, path, **options) if isinstance(one, LeftOut)]


def entries(format: str, path: Path, **options: Any) -> list[Entry]:
    return [one for one in all_of(format, path, **options) if isinstance(one, Entry)]
