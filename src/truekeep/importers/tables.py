"""CSV: the first row names the columns; commas, semicolons or tabs between them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO

from truekeep.errors import InvalidInput

from .fields import Fields
from .files import opened_text
from .records import LeftOut, Raw

_SEPARATORS = ",;\t"
_LONGEST = 16 * 1024 * 1024  # characters of a field; what is too long for an item is refused later, with its size


def read(path: Path, fields: Fields) -> Iterator[Raw]:
    """Each row, in the order of the file."""
    with opened_text(path) as text:
        yield from _rows(text, fields)


def _rows(text: TextIO, fields: Fields) -> Iterator[Raw]:
    before = csv.field_size_limit(_LONGEST)
    try:
        header = text.readline()
        if not header.strip():
            raise InvalidInput("path", "is empty; the first row names the columns")
        reader = csv.reader(chain([header], text), delimiter=max(_SEPARATORS, key=header.count))
        columns = _columns(_next(reader))
        while (row := _next(reader)) is not None:
            where = f"line {reader.line_num}"
            if isinstance(row, str):
                yield LeftOut(where=where, reason=row)
            elif len(row) != len(columns) and row:
                yield LeftOut(where=where, reason=f"has {len(row)} columns; the first row names {len(columns)}")
            elif row:
                yield fields.read(where, dict(zip(columns, row, strict=True)))
    finally:
        csv.field_size_limit(before)


def _columns(row: list[str] | str | None) -> list[str]:
    if not isinstance(row, list):
        raise InvalidInput("path", "is not CSV: the first row does not name the columns")
    if twice := [name for name, count in Counter(row).items() if count > 1 and name.strip()]:
        raise InvalidInput("path", f"has two columns of the name {twice[0][:60]!r}")
    return row


def _next(reader: Iterator[list[str]]) -> list[str] | str | None:
    """A row, what is wrong with it, or None at the end."""
    try:
        return next(reader, None)
    except csv.Error as error:
        return f"is not CSV: {error}"
