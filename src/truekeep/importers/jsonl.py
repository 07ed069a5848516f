"""Lines of JSON: an object or a text a line; a file that is one JSON list is read, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truekeep.errors import InvalidInput

from .fields import Fields
from .files import json_of, opened
from .records import LeftOut, Raw


def read(path: Path, fields: Fields) -> Iterator[Raw]:
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
