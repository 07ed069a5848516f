"""What people type, as the types that the handle takes: times, lengths of time, JSON, text from files and stdin."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import typer

from truekeep.errors import InvalidInput

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"(?:\d+[smhdw])+")
_PART = re.compile(r"(\d+)([smhdw])")


def span(text: str) -> timedelta:
    """A length of time: `45s`, `30m`, `12h`, `7d`, `2w`, several of them together, or a number of seconds."""
    try:
        if text.isdecimal():
            return timedelta(seconds=int(text))
        if _SPAN.fullmatch(text):
            return sum((timedelta(**{_UNITS[unit]: int(n)}) for n, unit in _PART.findall(text)), timedelta())
    except OverflowError as error:
        raise typer.BadParameter(f"{text!r} is too long; leave it out for no end") from error
    raise typer.BadParameter(f"{text!r} is no length of time; write 45s, 30m, 12h, 7d, 2w or 1d12h")


def moment(text: str) -> datetime:
    """A time: ISO 8601 (in the local time zone if it names none), or an age such as `7d`."""
    try:
        if _SPAN.fullmatch(text):
            return datetime.now(UTC) - span(text)
        return datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError as error:
        raise typer.BadParameter(f"{text!r} is out of range") from error
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no time; write 2026-01-31, 2026-01-31T09:00+01:00 or 7d") from error


def json_value(text: str) -> Any:
    """Any JSON, but NaN and the like, which are none."""
    try:
        return json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter("is not JSON; a string needs its quotes: '\"tea\"'") from error


def json_object(text: str) -> dict[str, Any]:
    value = json_value(text)
    if not isinstance(value, dict):
        raise typer.BadParameter("must be a JSON object, such as '{\"ticket\": 7}'")
    return value


def _refused(constant: str) -> None:
    raise ValueError(constant)


def stdin_text(argument: str) -> str:
    """All of stdin."""
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(argument, "stdin is not UTF-8") from error


def file_text(path: Path, argument: str) -> str:
    """The text of a file; `-` is stdin."""
    if str(path) == "-":
        return stdin_text(argument)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(argument, f"{path} is not UTF-8") from error
    except OSError as error:
        raise InvalidInput(argument, f"{path} cannot be read: {error.strerror}") from error
