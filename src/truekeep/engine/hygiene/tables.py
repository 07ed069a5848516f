"""Secrets in the column of a table that is headed by their name: "| user | password |"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from . import named
from .spans import Span

_CELL = re.compile(r"[^|\n]*")
_LONGEST = 256  # characters of a cell
_HEADED = 64  # characters of a heading


def find(text: str) -> Iterator[Span]:
    """Secrets in the tables of the text, row by row below a heading."""
    if "|" not in text:
        return
    start = 0
    headings: Mapping[int, str] | None = None  # of the table that we are in, by column
    for line in text.split("\n"):
        if line.lstrip().startswith("|"):
            cells = list(_cells(line))
            if headings is None:
                headings = {number: cell for number, (cell, _) in enumerate(cells) if _names_a_secret(cell)}
            else:
                yield from _in_row(cells, headings, start)
        else:
            headings = None
        start += len(line) + 1


def _cells(line: str) -> Iterator[tuple[str, int]]:
    """The text of each cell, and where in the line it begins."""
    for found in _CELL.finditer(line):
        cell = found[0]
        yield cell.strip(" `*\t"), found.start() + len(cell) - len(cell.lstrip(" `*\t"))


def _names_a_secret(cell: str) -> bool:
    return len(cell) <= _HEADED and named.kind_of(cell) is not None


def _in_row(cells: list[tuple[str, int]], headings: Mapping[int, str], start: int) -> Iterator[Span]:
    for number, heading in headings.items():
        if number < len(cells):
            value, place = cells[number]
            kind = named.under(heading, value) if len(value) <= _LONGEST else None
            if kind is not None and any(map(str.isdigit, value)):  # a word may as well tell whether there is one
                yield Span(start + place, start + place + len(value), kind)
