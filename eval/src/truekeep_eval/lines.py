"""Reading sets that hold one JSON object a line, gzipped or not, with errors that name the line and the field."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from truekeep.errors import InvalidInput


class Identified(Protocol):
    """An entry of a set."""

    @property
    def id(self) -> str: ...


Entry = TypeVar("Entry", bound=Identified)


class Fields:
    """The fields of a JSON object. Each method raises InvalidInput unless the field is what it asks for."""

    def __init__(self, found: object, where: str, place: str = "", *, line: int = 0) -> None:
        self.line = line  # its number
        self._where = where  # the line, in the user's words
        self._place = place  # inside the line: "steps[2]."
        if not isinstance(found, Mapping):
            raise self._wrong(place.rstrip("."), "is no JSON object")
        self._found = found

    def has(self, name: str) -> bool:
        return name in self._found

    def text(self, name: str) -> str:
        value = self._required(name)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(name, f"must be a text, not {value!r:.40}")
        return value

    def any_text(self, name: str) -> str:
        """A text that may be empty."""
        value = self._required(name)
        if not isinstance(value, str):
            raise self.wrong(name, f"must be a text, not {value!r:.40}")
        return value

    def name(self, *names: str) -> str | None:
        """The first of these fields that is there, as text; None without one."""
        return next((self.text(name) for name in names if self._found.get(name) is not None), None)

    def label(self, *names: str) -> str | None:
        """The first of these fields that is there and not empty, whatever it is, as text; None without one."""
        return next((str(found) for name in names if (found := self._found.get(name)) not in (None, "")), None)

    def labels(self, name: str) -> tuple[str, ...]:
        """A list of anything that may be a name, as texts, each once; empty where the field is missing."""
        return tuple(dict.fromkeys(map(str, self._list(name))))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, each once; empty where the field is missing."""
        found = self._list(name)
        for place, value in enumerate(found):
            if not isinstance(value, str) or not value.strip():
                raise self.wrong(f"{name}[{place}]", f"must be a text, not {value!r:.40}")
        return tuple(dict.fromkeys(found))

    def named_texts(self, name: str) -> Mapping[str, str]:
        """An object whose values are texts."""
        inner = Fields(self._required(name), self._where, f"{self._place}{name}.")
        return {each: inner.text(each) for each in inner._found}

    def number(self, name: str, *, below: int) -> int:
        return self._place_of(self._required(name), name, below)

    def numbers(self, name: str, *, below: int) -> tuple[int, ...]:
        """A list of places in another list that has `below` of them; empty where the field is missing."""
        return tuple(self._place_of(value, f"{name}[{place}]", below) for place, value in enumerate(self._list(name)))

    def groups(self, name: str, *, below: int) -> tuple[tuple[int, ...], ...]:
        """A list of lists of places; empty where the field is missing."""
        lists = {f"{name}[{place}]": value for place, value in enumerate(self._list(name))}
        return tuple(Fields(lists, self._where, self._place).numbers(inner, below=below) for inner in lists)

    def moment(self, name: str) -> datetime:
        """A time in ISO 8601, in UTC if it names no zone."""
        value = self.text(name)
        try:
            found = datetime.fromisoformat(value)
        except ValueError as error:
            raise self.wrong(name, f"{value!r:.40} is no time in ISO 8601") from error
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    def moment_if_given(self, name: str) -> datetime | None:
        return None if self._found.get(name) is None else self.moment(name)

    def objects(self, name: str) -> list[Fields]:
        """A list of objects; empty where the field is missing."""
        return [
            Fields(value, self._where, f"{self._place}{name}[{place}].") for place, value in enumerate(self._list(name))
        ]

    def rows(self, name: str, *columns: str) -> list[Fields]:
        """A list of lists, each with these columns; empty where the field is missing."""
        found = []
        for place, values in enumerate(self._list(name)):
            inner = f"{name}[{place}]"
            if not isinstance(values, list) or len(values) != len(columns):
                raise self.wrong(inner, f"must be a list of {', '.join(columns)}, not {values!r:.40}")
            found.append(Fields(dict(zip(columns, values, strict=True)), self._where, f"{self._place}{inner}."))
        return found

    def wrong(self, name: str, problem: str) -> InvalidInput:
        return self._wrong(f"{self._place}{name}", problem)

    def _wrong(self, field: str, problem: str) -> InvalidInput:
        return InvalidInput("data", f"{self._where}: {field} {problem}" if field else f"{self._where} {problem}")

    def _required(self, name: str) -> Any:
        if name not in self._found:
            raise self.wrong(name, "is missing")
        return self._found[name]

    def _list(self, name: str) -> Sequence[Any]:
        value = self._found.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(name, f"must be a list, not {value!r:.40}")
        return value

    def _place_of(self, value: object, name: str, below: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
            raise self.wrong(name, f"must be a whole number from 0 to {below - 1}, not {value!r:.40}")
        return value


def located(data: Path, name: str) -> Path:
    """The file of a set: the one that is given, or the one of this name in the folder that is given."""
    return data / name if data.is_dir() else data


def read(path: Path, entry: Callable[[Fields], Entry]) -> list[Entry]:
    """What `entry` makes of each line.

    Raises:
        InvalidInput: the file cannot be read, is empty, has an id twice, or a line is not what the format says.
    """
    found: dict[str, Entry] = {}
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            where = f"line {number} of {path}"
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InvalidInput("data", f"{where} is no JSON: {error}") from error
            one = entry(Fields(record, where, line=number))
            if one.id in found:
                raise InvalidInput("data", f"{where}: id {one.id!r} was there before")
            found[one.id] = one
    if not found:
        raise InvalidInput("data", f"{path} is empty")
    return list(found.values())


def _lines(path: Path) -> list[str]:
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return content.decode().split("\n")  # JSON may hold other characters that end lines
    except UnicodeDecodeError as error:
        raise InvalidInput("data", f"{path} is not UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("data", f"{path} cannot be read: {reason}") from error
