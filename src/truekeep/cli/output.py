"""What commands print, and the codes that they end with. Remembered text is data and never speaks to a terminal."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import typer

from truekeep import InvalidInput, wire

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from truekeep import Memory, MemoryItem

# Codes that commands end with, beside 0.
FAILED, USAGE, NOT_FOUND, CONFLICT, REFUSED = 1, 2, 3, 4, 5
INTERRUPTED = 130  # as shells have it for SIGINT

_WIDE = 200  # columns of a table that goes into a pipe, where nobody folds lines
_WONDERING = 1.0  # seconds until somebody at a terminal does

# What could move the cursor, recolour or reorder the text around it: control characters and those of bidirectional
# writing. A newline and a tab may stay.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with unsafe characters made visible."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def plain(value: Any) -> Any:
    """A result as what JSON has: things of the model as everywhere, other dataclasses as objects, times ISO 8601."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if type(value).__module__.startswith("truekeep.model."):
            return wire.record(value)
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(inner) for inner in value]
    return value


def json_line(value: Any) -> str:
    """One line of JSON. What is unsafe is escaped: the same data, and nothing happens if it meets a terminal."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(*values: Any) -> None:
    for value in values:
        print(json_line(value))


def console(*, stderr: bool = False) -> Console:
    """Where people read. Nothing in the text is taken for markup, and a pipe gets no colours."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, markup=False, highlight=False, emoji=False, width=None if stream.isatty() else _WIDE)


def say(text: str, *, style: str | None = None) -> None:
    console().print(printable(text), style=style, soft_wrap=True)


def note(text: str) -> None:
    """Something that a person may want to know and a program does not."""
    console(stderr=True).print(f"note: {one_line(text)}", style="dim", soft_wrap=True)


def confirm(question: str) -> None:
    """Ask on the terminal; without one, refuse rather than wait for an answer that cannot come."""
    if not sys.stdin.isatty():
        raise InvalidInput("--yes", "is needed where no terminal can be asked: this erases for good")
    if not typer.confirm(printable(question), err=True):
        note("nothing was changed")
        raise typer.Exit(FAILED)


@contextmanager
def noted_when_slow(text: str) -> Iterator[None]:
    """What somebody at a terminal waits for, once that takes long enough to wonder."""
    timer = threading.Timer(_WONDERING, note, [text])
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def say_why_nothing(memory: Memory) -> None:
    """Beside an empty answer: whether anything is there at all, and what to do."""
    held = memory.stats()
    if held.current:
        note(f"nothing found; the space {memory.space!r} holds {held.current:,}, and `truekeep items` lists them")
    elif held.items:
        note(f"the space {memory.space!r} holds only what is over: `truekeep items --superseded`")
    else:
        note(f'the space {memory.space!r} holds nothing; begin with: truekeep remember "..."')


def print_text(text: str) -> None:
    """A text that is the whole answer: a pipe gets it as it is, a terminal gets it harmless."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
    if text and not text.endswith("\n"):
        sys.stdout.write("\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table whose last column takes the room that is left."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(columns[-1], overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell_text(cell))) for cell in row))
    console().print(table)


def cell_text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.2f}"
        case datetime():
            return day(value)
        case list() | tuple():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def day(moment: datetime) -> str:
    """To the minute, in the reader's time zone."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def print_items(items: Sequence[MemoryItem]) -> None:
    rows = [(item.id, item.when, item.kind, item.speaker, item.tags, _state(item) + item.content) for item in items]
    print_table(("id", "when", "kind", "speaker", "tags", "content"), rows)


def _state(item: MemoryItem) -> str:
    if item.superseded_by is not None:
        return "(superseded) "
    return "(pinned) " if item.pinned else ""


@contextmanager
def progress() -> Iterator[Progress]:
    """Bars on the terminal behind stderr; nothing at all where there is none."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bars:
        yield bars
