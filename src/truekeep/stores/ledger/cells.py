"""Cells: what rows consist of, as `stores.tables` names it.

Times are microseconds since 1970, JSON is the text that was kept, a flag is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Cells: TypeAlias = "tuple[Any, ...]"
Name: TypeAlias = "str | bytes"
Place: TypeAlias = "tuple[Any, ...]"  # of a row in the order of its table
Manifest: TypeAlias = "Mapping[str, Sequence[tuple[int, int]]]"  # by part: numbers of pieces, and their CRC-32
UsageKey: TypeAlias = "tuple[str, str, str, str]"
