"""The lines of a file that may be larger than what one wants to hold of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from truekeep.errors import InvalidInput

LONGEST = 20 * 1024 * 1024  # bytes of one: the largest value, and room to spare


class Lines:
    """The lines of an open file as often as one goes through them, one at a time in memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __iter__(self) -> Iterator[str]:
        self._file.seek(0)
        while line := self._file.readline(LONGEST + 1):
            if len(line) > LONGEST:
                raise InvalidInput("lines", f"include one of more than {LONGEST:,} bytes")
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise InvalidInput("lines", "are not UTF-8") from error
