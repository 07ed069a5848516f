"""A disk that loses power: an SQLite file layer that keeps apart what was synced and what was not.

Everything goes to the real files as usual, so SQLite notices nothing. Beside it the layer keeps what a disk would
still have after a cut: what was written before the last sync of each file, for certain; every later write kept,
dropped or torn at a sector, as the dice fall. A crash of the process alone would not do: the operating system keeps
its caches, so it loses nothing even when nothing is ever synced.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
_numbers = count()


@dataclass(slots=True)
class Disk:
    """What the disk holds of one file for certain, and what it was asked to do since."""

    certain: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)  # (offset, data), or (size, None): truncate

    def sync(self) -> None:
        for at, data in self.pending:
            _do(self.certain, at, data)
        self.pending.clear()

    def survivor(self, dice: random.Random) -> bytes:
        """One of the states in which a cut may leave the file."""
        content = bytearray(self.certain)
        for at, data in self.pending:
            fate = dice.random()
            if fate < 0.4:
                _do(content, at, data)
            elif fate < 0.6 and data is not None:
                for start in range(0, len(data), SECTOR):
                    if dice.random() < 0.5:
                        _do(content, at + start, data[start : start + SECTOR])
        return bytes(content)


def _do(content: bytearray, at: int, data: bytes | None) -> None:
    if data is None:
        del content[at:]
        return
    if len(content) < at:
        content.extend(bytes(at - len(content)))
    content[at : at + len(data)] = data


class PowerCut(apsw.VFS):
    """The layer. After `cuts_in` writes and syncs the power is gone: the disks are frozen and all else fails."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self.name = name
        self.disks: dict[str, Disk] = {}
        self.cuts_in: int | None = None

    @property
    def is_off(self) -> bool:
        return self.cuts_in is not None and self.cuts_in <= 0

    def spend(self) -> None:
        """Count one operation of the disk; fail from the cut on."""
        if self.is_off:
            raise apsw.IOError("the power is off")
        if self.cuts_in is not None:
            self.cuts_in -= 1

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        return PowerCutFile(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.spend()
        super().xDelete(filename, syncdir)
        self.disks.pop(filename, None)

    def survivors(self, folder: Path, dice: random.Random) -> None:
        """Write the files as the cut left them into another folder."""
        for path, disk in self.disks.items():
            content = disk.survivor(dice)
            if content or disk.certain:
                (folder / Path(path).name).write_bytes(content)


class PowerCutFile(apsw.VFSFile):
    """One file on it."""

    def __init__(self, layer: PowerCut, path: str | None, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._layer = layer
        # The shared-memory file of the log is no file here, and temporary ones do not matter.
        self._disk = Disk() if path is None else layer.disks.setdefault(os.fspath(path), Disk())

    def xWrite(self, data: Any, offset: int) -> None:
        self._layer.spend()
        super().xWrite(data, offset)
        self._disk.pending.append((offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        self._layer.spend()
        super().xTruncate(newsize)
        self._disk.pending.append((newsize, None))

    def xSync(self, flags: int) -> None:
        self._layer.spend()
        super().xSync(flags)
        self._disk.sync()


@contextmanager
def power_cut() -> Iterator[PowerCut]:
    """A layer under a name of its own, unregistered at the end."""
    layer = PowerCut(f"powercut{next(_numbers)}")
    try:
        yield layer
    finally:
        layer.unregister()
