"""What is too large for one request or answer: it goes out, and is taken in, as it comes."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import httpx

from truekeep.errors import InvalidInput, StoreError

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
    if target.exists():
        raise InvalidInput("target", f"{target} exists; a backup never overwrites")
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with closing(_opened(line, path)) as response:
            target.parent.mkdir(parents=True, exist_ok=True)
            _save(response, unfinished)
        unfinished.rename(target)
    except OSError as error:
        raise StoreError(f"cannot write the backup {target}: {error.strerror}") from error
    except httpx.HTTPError as error:
        raise line.lost(error) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _opened(line: Line, path: str) -> httpx.Response:
    call = Call(method="GET", path=path, answer=line.patience.long_answer)
    return line.exchange(call, lambda response: response)


def _save(response: httpx.Response, file: Path) -> None:
    with file.open("xb") as copy:
        for piece in response.iter_bytes():
            copy.write(piece)
        copy.flush()
        os.fsync(copy.fileno())


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
