"""What is too large for one answer: it is taken in as it comes."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx

from truekeep.errors import InvalidInput, StoreError

from .line import Call, Line


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
