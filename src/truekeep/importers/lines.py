"""A record a line: JSON (a file that is one JSON list is read, too), and CSV, whose first row names the columns."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from truekeep.errors import InvalidInput

from .fields import Fields
from .files import json_of, opened, opened_text
from .records import LeftOut, Raw

_SEPARATORS = ",;\t"
_LONGEST = 16 * 1024 * 1024  # characters of a field; what is too long for an item is refused later, with its size


def read_json(path: Path, fields: Fields) -> Iterator[Raw]:
    """Each record, in the order of the file."""
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            where = f"line {number}"
            if not line.strip():
                continue
            if number == 1 and line.lstrip().startswith(b"["):
                yield from _listed(line + file.read(), path, fields)
                return
            try:
                record = json_of(line.decode())
            except (ValueError, RecursionError):
                yield LeftOut(where=where, reason="is not JSON")
                continue
            if number == 1:
                _refuse_own(record)
            yield _found(where, record, fields)


def _listed(data: bytes, path: Path, fields: Fields) -> Iterator[Raw]:
    try:
        records = json_of(data.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidInput("path", f"{path} begins like a JSON list, but is none") from error
    for number, record in enumerate(records, start=1):
        yield _found(f"entry {number}", record, fields)


def _found(where: str, record: Any, fields: Fields) -> Raw:
    if isinstance(record, str):
        return fields.read(where, {}, content=record)
    if not isinstance(record, Mapping):
        return LeftOut(where=where, reason="is neither a JSON object nor a text")
    return fields.read(where, record)


def _refuse_own(record: Any) -> None:
    from truekeep.engine.verbs.transfer import is_header  # on demand: it brings the engine, and help needs none

    if is_header(record):
        raise InvalidInput("path", "is an export of Truekeep: import it without --from, and nothing is lost")


def read_csv(path: Path, fields: Fields) -> Iterator[Raw]:
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
