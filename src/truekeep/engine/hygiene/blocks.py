"""Private keys in their frames: a whole block, also one that was cut off at either end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .spans import Span

_BREAK = r"(?:[\s>|\"'+,]|\\[rnt])"  # a line break, also as code and mails write it
_FRAME = re.compile(
    r"-----(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?P<putty>Private-Lines: \d{1,4})"
)
_HEADER = re.compile(
    rf"{_BREAK}{{0,16}}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Private-MAC): ?[^\n\\]{{0,200}}"
)
_LINE = re.compile(rf"{_BREAK}{{0,16}}(?P<line>[A-Za-z0-9+/=]{{1,4096}})")
_SHORT = 16  # a shorter line is one of the key only after a longer one
_LAST_LINE = re.compile(rf"[A-Za-z0-9+/=]{{{_SHORT},}}\s{{1,2}}")
_LONGEST = 32 * 1024  # of a block; an RSA key of 16,384 bits has 13 KB


def find(text: str) -> Iterator[Span]:
    """Private keys in the text."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    begun: re.Match[str] | None = None
    for frame in _FRAME.finditer(text):
        if frame["edge"] != "END":
            if begun is not None:
                yield from _cut_off(text, begun)
            begun = frame
        elif begun is not None and frame.start() - begun.end() <= _LONGEST:
            yield Span(begun.start(), frame.end(), "private-key")
            begun = None
        elif (start := _start_of_lines(text, frame.start())) < frame.start():
            yield Span(start, frame.end(), "private-key")
    if begun is not None:
        yield from _cut_off(text, begun)


def _cut_off(text: str, begun: re.Match[str]) -> Iterator[Span]:
    """A key without its end; a frame with nothing in it is no secret."""
    end = _end_of_lines(text, begun.end())
    if end > begun.end():
        yield Span(begun.start(), end, "private-key")


def _end_of_lines(text: str, place: int) -> int:
    """Where the lines of a key end that has no end of its own."""
    longest = 0
    while (header := _HEADER.match(text, place)) and not longest:
        place = header.end()
    while line := _LINE.match(text, place):
        size = len(line["line"])
        if size < _SHORT:
            return line.end() if longest >= 2 * _SHORT and _is_last(text, line) else place
        longest = max(longest, size)
        place = line.end()
    return place


def _is_last(text: str, line: re.Match[str]) -> bool:
    """Whether a short line is the last of a key, rather than a word that follows it."""
    broken = text[line.start() : line.start("line")]
    return broken in ("\n", "\r\n", "\\n", "\\r\\n") and bool(re.search(r"[0-9+/=]|[a-z][A-Z]", line["line"]))


def _start_of_lines(text: str, end: int) -> int:
    """Where the lines of a key begin that has no beginning of its own."""
    start = end
    while start > 0:
        before = text.rfind("\n", max(0, start - _LONGEST), start - 1) + 1
        if not _LAST_LINE.fullmatch(text, before, start):
            break
        start = before
    return start
