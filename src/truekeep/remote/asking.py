"""Asking a server: a request as it wants it, sent on the line to it, and its answer read.

What is too large for one request or answer goes out, and is taken in, as it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import httpx

from truekeep.errors import InvalidInput, StoreError
from truekeep.stores.files import new_backup

from . import bodies
from .line import CLOSED, Call, Line, Patience, join, leave
from .server import addresses_of

_T = TypeVar("_T")
_PIECE = 256 * 1024  # characters of an import that travel together


class Asking:
    """Whoever has a line to a server."""

    def __init__(self, *, at: str, key: str | None, patience: Patience | None = None) -> None:
        addresses = addresses_of(at, key)
        self.place = ",".join(address.url for address in addresses)
        self._held: Line | None = join(addresses, patience or Patience(), self)

    @property
    def _line(self) -> Line:
        if self._held is None:
            raise StoreError(CLOSED)
        return self._held

    def _get(self, path: str, decode: Callable[[Any], _T], *parameters: tuple[str, str], **options: Any) -> _T:
        return self._call(Call(method="GET", path=path, parameters=parameters, **options), decode)

    def _delete(self, path: str, decode: Callable[[Any], _T], **options: Any) -> _T:
        return self._call(Call(method="DELETE", path=path, **options), decode)

    def _send(self, method: str, path: str, body: object, decode: Callable[[Any], _T], **options: Any) -> _T:
        headers = {"Content-Type": "application/json", **options.pop("headers", {})}
        call = Call(method=method, path=path, body=bodies.json_bytes(body), headers=headers, **options)
        return self._call(call, decode)

    def _call(self, call: Call, decode: Callable[[Any], _T]) -> _T:
        line = self._line
        answer = line.ask(call)
        try:
            return decode(answer)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            problem = f"the answer of {line.address.url} is not understood; is the server of another version?"
            raise StoreError(problem) from error

    def close(self) -> None:
        line, self._held = self._held, None
        if line is not None:
            leave(line, self)


def each(name: str, decode: Callable[[Any], _T]) -> Callable[[Any], list[_T]]:
    return lambda answer: [decode(one) for one in answer[name]]


def export(line: Line, path: str) -> Iterator[str]:
    """The lines of an answer, each with its end. Asks when the first one is wanted."""
    rest = bytearray()
    with closing(_pieces(line, path)) as pieces:
        for piece in pieces:
            rest += piece
            if b"\n" in piece:  # at this character only: texts hold all the others
                *lines, rest = rest.split(b"\n")
                yield from (f"{one.decode()}\n" for one in lines)
    if rest:
        raise StoreError(f"the export of {line.address.url} ends in the middle of a line", retryable=True)


def backup(line: Line, path: str, target: Path) -> None:
    """A complete copy in one new file, which is there as a whole or not at all."""
    with new_backup(target) as unfinished, unfinished.open("wb") as copy, closing(_pieces(line, path)) as pieces:
        copy.writelines(pieces)


def _pieces(line: Line, path: str) -> Generator[bytes, None, None]:
    call = Call(method="GET", path=path, answer=line.patience.long_answer)
    with closing(line.exchange(call, lambda response: response)) as response:
        try:
            yield from response.iter_bytes()
        except httpx.HTTPError as error:
            raise line.lost(error) from error


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
