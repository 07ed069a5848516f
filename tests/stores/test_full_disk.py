"""A full disk: what is new is refused, what is to be forgotten is forgotten, at the cost of the reserve."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import pytest

from truekeep.errors import StoreError
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.samples import NOW, SPACE, keep, put

RESERVE = 1 << 20


class SmallDisk(apsw.VFS):
    """A disk whose files together may have `room` bytes, as long as there is a limit."""

    def __init__(self, folder: Path) -> None:
        super().__init__("small", "")
        self.folder = folder
        self.room: int | None = None

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return SmallDiskFile(self, name, flags)

    def used(self) -> int:
        return sum(file.stat().st_size for file in self.folder.iterdir() if not file.name.endswith("-shm"))


class SmallDiskFile(apsw.VFSFile):
    def __init__(self, disk: SmallDisk, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk

    def xWrite(self, data: Any, offset: int) -> None:
        grows = offset + len(data) - self.xFileSize()
        if self._disk.room is not None and grows > 0 and self._disk.used() + grows > self._disk.room:
            raise apsw.FullError("no space left on device")
        super().xWrite(data, offset)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    layer = SmallDisk(folder)
    yield layer
    layer.unregister()


def fill(store: SqliteStore, disk: SmallDisk) -> list[str]:
    """Until nothing more is kept; the ids of what was."""
    disk.room = disk.used() + (1 << 20)
    for number in count():
        try:
            keep(store, put(f"note-{number}", f"{number} " + "word " * 400))
        except StoreError:
            return [f"note-{before}" for before in range(number)]
    raise AssertionError("the disk is never full")


def test_on_a_full_disk_items_and_spaces_are_erased_by_what_was_in_reserve(disk: SmallDisk) -> None:
    store = SqliteStore(disk.folder / "memory.db", vfs="small")
    store.keep_reserve(RESERVE)
    kept = fill(store, disk)
    reserve = disk.folder / "memory.db-reserve"
    was_there = reserve.stat().st_size

    erased = store.erase(SPACE, kept[:3], now=NOW)
    is_spent = not reserve.exists()
    left = [one.id for one in store.get(SPACE, kept[:5])]
    whole = store.erase_space(SPACE)

    assert (was_there, is_spent) == (RESERVE, True)
    assert (list(erased.ids), erased.remaining) == (kept[:3], 0)
    assert left == kept[3:5]
    assert (len(whole.ids), whole.remaining) == (len(kept) - 3, 0)
    assert store.check() == []
    disk.room = None
    store.keep_reserve(RESERVE)
    keep(store, put("after"))
    assert reserve.stat().st_size == RESERVE
    store.close()


def test_what_is_new_never_takes_the_reserve(disk: SmallDisk) -> None:
    store = SqliteStore(disk.folder / "memory.db", vfs="small")
    store.keep_reserve(RESERVE)

    fill(store, disk)

    assert (disk.folder / "memory.db-reserve").stat().st_size == RESERVE
    disk.room = None
    store.close()


def test_without_a_reserve_the_error_says_what_to_do_and_nothing_is_lost(disk: SmallDisk) -> None:
    store = SqliteStore(disk.folder / "memory.db", vfs="small")
    store.keep_reserve(0)
    kept = fill(store, disk)
    disk.room = disk.used()

    with pytest.raises(StoreError, match="free some space"):
        store.erase_space(SPACE)

    assert [file.name for file in disk.folder.iterdir() if "reserve" in file.name] == []
    assert len(store.get(SPACE, kept)) == len(kept)
    disk.room = None
    store.close()


def test_a_disk_without_room_to_spare_keeps_no_reserve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truekeep.stores.sqlite.reserve.LEAST_FREE", 1 << 62)
    store = SqliteStore(tmp_path / "memory.db")

    store.keep_reserve(RESERVE)

    assert not (tmp_path / "memory.db-reserve").exists()
    store.close()
