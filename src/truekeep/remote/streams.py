"""What is too large for one request or answer: it goes out, and is taken in, as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import httpx

from truekeep.errors import InvalidInput, StoreError
from truekeep.stores.files import new_backup

from .line import Call, Line

_PIECE = 256 * 1024  # characters of an import that travel together


def export(line: Line, path: str) -> Iterator[str]:
    """The lines of an answer, each with its end. Asks when the first one is wanted."""
    with closing(_opened(line, path)) as response:
        rest = bytearray()
        try:
            for piece in response.iter_bytes():
                rest += piece
                if b"\n" in piece:  # at this character only: texts hold all the others
                    *lines, rest = rest.split(b"\n")
                    yield from (f"{one.decode()}\n" for one in lines)
        except httpx.HTTPError as error:
            raise line.lost(error) from error
        if rest:
            raise StoreError(f"the export of {line.address.url} ends in the middle of a line", retryable=True)


def backup(line: Line, path: str, target: Path) -> None:
    """A complete copy in one new file, which is there as a whole or not at all."""
    with new_backup(target) as unfinished, closing(_opened(line, path)) as response, unfinished.open("wb") as copy:
        try:
            for piece in response.iter_bytes():
                copy.write(piece)
        except httpx.HTTPError as error:
            raise line.lost(error) from error


def _opened(line: Line, path: str) -> httpx.Response:
    call = Call(method="GET", path=path, answer=line.patience.long_answer)
    return line.exchange(call, lambda response: response)


def ndjson(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines of an export, in pieces; a line break inside a line is white space between two JSON tokens."""
    piece: list[str] = []
    size = number = 0
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            raise InvalidInput(f"line {number}", f"is not a string but {type(line).__name__}")
        piece.append(line.strip("\r\n").replace("\n", " "))
        size += len(line)
        if size > _PIECE:
            yield _encoded(piece, number)
            piece, size = [], 0
    if piece:
        yield _encoded(piece, number)


def _encoded(piece: Sequence[str], last: int) -> bytes:
    try:
        return "".join(f"{line}\n" for line in piece).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"lines up to {last}", "contain a lone surrogate, which is not valid Unicode") from error
