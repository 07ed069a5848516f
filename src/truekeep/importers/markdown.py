"""Markdown: every paragraph and every entry of a list is a statement; headings above it are its tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from .fields import Fields
from .files import whole_text
from .records import Found, LeftOut, Raw, moment

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_ENTRY = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_COMMENT, _COMMENT_ENDS = "<!--", "-->"
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"([\w -]+):[ \t]*(.*)$")


def read(path: Path, fields: Fields) -> Iterator[Raw]:
    """Each statement, in the order of the page. What front matter says holds for all of them."""
    text = whole_text(path).replace("\r\n", "\n")
    front = _FRONT.match(text)
    common = {} if front is None else _pairs(front[1])
    skipped = 0 if front is None else front[0].count("\n")
    page = text[front.end() if front else 0 :]
    for block in _blocks(_without_comments(page).split("\n")):
        where = f"line {block.line + skipped}"
        found = fields.read(where, common, is_lenient=True, content=block.text)
        yield found if isinstance(found, LeftOut) else _placed(found, block)


def _without_comments(page: str) -> str:
    """The page without comments, line for line; one that nobody closes is text."""
    kept: list[str] = []
    place = 0
    while (start := page.find(_COMMENT, place)) >= 0 and (end := page.find(_COMMENT_ENDS, start)) >= 0:
        kept += (page[place:start], "\n" * page.count("\n", start, end))
        place = end + len(_COMMENT_ENDS)
    return "".join((*kept, page[place:]))


@dataclass(frozen=True, slots=True)
class _Block:
    line: int
    text: str
    headings: tuple[str, ...]


@dataclass(slots=True)
class _Reader:
    """Where we are on the page: under which headings, and in the middle of which statement."""

    headings: dict[int, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    begun: int = 0
    indent: int = 0  # of what still belongs to the entry of a list
    fence: str | None = None
    is_apart: bool = False  # an empty line came before

    def add(self, number: int, line: str) -> None:
        if not self.lines:
            self.begun = number
        elif self.is_apart:
            self.lines.append("")
        self.lines.append(line[min(self.indent, len(line) - len(line.lstrip())) :] if self.indent else line)
        self.is_apart = False

    def go_under(self, level: int, heading: str) -> None:
        self.headings = {above: text for above, text in self.headings.items() if above < level} | {level: heading}

    def ended(self) -> Iterator[_Block]:
        text = "\n".join(self.lines).strip("\n")
        if text.strip():
            yield _Block(self.begun, text.rstrip(), tuple(self.headings.values()))
        self.lines, self.indent, self.fence, self.is_apart = [], 0, None, False


def _blocks(lines: list[str]) -> Iterator[_Block]:
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        if reader.fence is not None:  # code is taken as it is, empty lines and all
            reader.add(number, line)
            if line.strip().startswith(reader.fence) and set(line.strip()) == set(reader.fence):
                reader.fence = None
        elif not line.strip():
            reader.is_apart = bool(reader.lines)
        else:
            yield from _line(reader, number, line)
    yield from reader.ended()


def _line(reader: _Reader, number: int, line: str) -> Iterator[_Block]:
    belongs = reader.indent > 0 and line.startswith(" " * reader.indent)
    if belongs:
        reader.add(number, line)
    elif heading := _HEADING.match(line):
        yield from reader.ended()
        text = heading[2].rstrip(" \t").rstrip("#").rstrip(" \t")  # signs may stand behind it, too
        reader.go_under(len(heading[1]), text)
        return
    elif _UNDERLINE.match(line) and reader.lines and not reader.is_apart and not reader.indent:
        reader.go_under(1 if "=" in line else 2, " ".join(reader.lines))
        reader.lines = []
        return
    elif _RULE.match(line):
        yield from reader.ended()
        return
    elif entry := _ENTRY.match(line):
        yield from reader.ended()
        reader.add(number, line[entry.end() :])
        reader.indent = 2
    else:
        if reader.is_apart:
            yield from reader.ended()
        reader.add(number, line)
    if fence := _FENCE.match(line.strip()):
        reader.fence = fence[1]


def _placed(found: Found, block: _Block) -> Found:
    """With the headings as tags; one that is a date says since when it is true."""
    when, tags = found.when, list(found.tags)
    for heading in block.headings:
        day = _day(heading)
        when = day or when
        if day is None and heading:
            tags.append(heading)
    return replace(found, when=when, tags=tuple(dict.fromkeys(tags)))


def _day(heading: str) -> datetime | None:
    try:
        return moment(heading) if heading[:4].isdecimal() and "-" in heading else None
    except ValueError:
        return None


def _pairs(front: str) -> Mapping[str, Any]:
    """`name: value` lines; lists in brackets. Anything deeper is left alone."""
    pairs: dict[str, Any] = {}
    for line in front.split("\n"):
        if (pair := _PAIR.fullmatch(line)) and pair[2]:
            value = pair[2].strip()
            is_list = value.startswith("[") and value.endswith("]")
            parts = [_unquoted(part) for part in value[1:-1].split(",")] if is_list else _unquoted(value)
            pairs[pair[1].strip()] = parts
    pairs.pop("id", None)  # that of the page, not of what is on it
    return pairs


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
