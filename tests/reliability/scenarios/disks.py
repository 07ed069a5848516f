"""Disks that are full and files that cannot be written."""

from __future__ import annotations

import os
import resource
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from tests.reliability.child import Child
from tests.reliability.children import say
from truekeep import Memory, StoreError
from truekeep.testing.fakes import FailingEmbedder

from .handles import SPACE, damages, exported, opened

ROOM = 600_000  # bytes in one file; enough for some hundred notes
MOST = 1_000  # pairs of notes; far more than there is room for


class SmallDisk(apsw.VFS):
    """A file system on which no file grows beyond `room`, as long as there is a limit."""

    def __init__(self) -> None:
        self.room: int | None = None
        self.below = apsw.vfs_names()[0]  # the one that was the default until now
        super().__init__("small-disk", self.below, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return SmallDiskFile(self, name, flags)


class SmallDiskFile(apsw.VFSFile):
    def __init__(self, disk: SmallDisk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        super().__init__(disk.below, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._disk.room is not None and offset + len(data) > self._disk.room:
            raise apsw.FullError("no space left on device")
        super().xWrite(data, offset)


def fill_small_disk(path: str) -> None:
    """In a child: the file system says that it is full."""
    disk = SmallDisk()
    _fill(path, lambda full: setattr(disk, "room", ROOM if full else None))


def fill_up_to_limit(path: str) -> None:
    """In a child: the operating system refuses to let a file grow."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    _fill(path, lambda full: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM if full else hard, hard)))


def _fill(path: str, limit: Callable[[bool], object]) -> None:
    with opened(path, background=True) as memory:
        memory.remember("a note from before")
        say({"kept": ["a note from before"]})
        limit(True)
        errors = 0
        for number in range(MOST):
            texts = [f"note {number} of {'many ' * 100} parts, half {half}" for half in ("one", "two")]
            try:
                memory.remember_many(texts) if number % 2 else [memory.remember(text) for text in texts]
                say({"kept": texts})
            except StoreError as error:
                say({"error": str(error), "type": type(error).__name__})
                errors += 1
            if errors == 5:
                break
        say({"recalled": len(memory.recall("note 3"))})
        limit(False)
        memory.remember("a note from afterwards")
        say({"kept": ["a note from afterwards"]})


def violations_of_filling(folder: Path, role: str, *, fault: str | None = None) -> list[str]:
    path = folder / f"{role}.db"
    with Child(f"disks.{role}", path, fault=fault) as child:
        heard = child.rest()
        status = child.end()
        found = [] if status == 0 else [f"the process ended with {status}: {child.errors()}"]
    kept = [text for word in heard for text in word.get("kept", ())]
    errors = [word["error"] for word in heard if "error" in word]
    there = [record["content"] for record in exported(path) if record["type"] == "item"]
    found += [f"lost: {text[:20]!r}" for text in set(kept) - set(there)]
    if len(errors) != 5:
        found.append(f"{len(errors)} errors reached the caller, not 5")
    if role == "fill_small_disk":
        found += [f"unclear: {error}" for error in errors if "disk is full" not in error]
    if not any(word.get("recalled") for word in heard):
        found.append("recall found nothing while the disk was full")
    return found + damages(path)


def use_read_only(path: str) -> None:
    """In a child, as somebody who may not write: try everything and tell."""
    with Memory(
        "warm", at=":memory:", embedder="minilm", background=False
    ) as memory:  # imports, while they are allowed
        memory.remember_many(["A note is kept.", "A note is kept here."])
    opened(":memory:").close()
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)  # the superuser may write anything
    for name, use in USES.items():
        try:
            memory = opened(path)
            try:
                say({"use": name, "result": use(memory)})
            finally:
                memory.close()
        except StoreError as error:
            say({"use": name, "error": str(error)})


USES: dict[str, Callable[[Memory], Any]] = {
    "recall": lambda memory: [match.content for match in memory.recall("first note")],
    "remember": lambda memory: memory.remember("a note that cannot be kept").id,
    "remember_many": lambda memory: len(memory.remember_many(["one that cannot be kept", "another"])),
    "forget": lambda memory: len(memory.forget(everything=True).erased),
    "set": lambda memory: str(memory.set("key", 1)),
}


def violations_of_read_only(folder: Path, *, whole_folder: bool) -> list[str]:
    """Take the right to write away, try, and give it back."""
    folder.chmod(0o755)
    path = folder / "still.db"
    with Memory(SPACE, at=path, embedder=FailingEmbedder(32), background=False) as memory:
        memory.remember("the first note")  # its vector is pending, and cannot be kept by those who only read
    before = path.read_bytes()
    path.chmod(0o444)
    folder.chmod(0o555 if whole_folder else 0o777)
    try:
        with Child("disks.use_read_only", path) as child:
            heard = {word["use"]: word for word in child.rest()}
            status = child.end()
            found = [] if status == 0 else [f"the process ended with {status}: {child.errors()}"]
    finally:
        folder.chmod(0o755)
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    found += _unclear(heard)
    if not whole_folder and "error" in heard.get("recall", {}):
        found.append(f"a file that can be read gives no answer: {heard['recall']}")
    if path.read_bytes() != before:
        found.append("the file changed")
    with opened(path) as memory:
        memory.remember("the second note")
        if len(memory.items()) != 2:
            found.append(f"{len(memory.items())} notes are there afterwards")
    return found + damages(path)


def _unclear(heard: dict[str, dict[str, Any]]) -> list[str]:
    found = [f"{use} was not tried" for use in USES.keys() - heard.keys()]
    for use, word in heard.items():
        if use == "recall" and word.get("result", ["the first note"]) != ["the first note"]:
            found.append(f"recall gave {word['result']}")
        if use != "recall" and "error" not in word:
            found.append(f"{use} claims to have worked: {word}")
        if "error" in word and not any(hint in word["error"] for hint in ("read-only", "may write", "Permission")):
            found.append(f"{use} tells nothing useful: {word['error']}")
    return found
