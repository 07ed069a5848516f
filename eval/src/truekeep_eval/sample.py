"""What is run of sets of worlds and conversations: those of some authors, so many worlds a space."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from truekeep.errors import InvalidInput

from . import chats, lines, worlds
from .chats import Chat
from .lines import Fields
from .worlds import World

FILES = ("scenarios.jsonl", "conversations.jsonl", "belief.jsonl", "extract.jsonl")
SPACE = 20  # worlds that are told to one memory

Entry = TypeVar("Entry", World, Chat)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Worlds by the space that they share, and conversations, each of which has its own."""

    spaces: tuple[tuple[World, ...], ...] = ()
    chats: tuple[Chat, ...] = ()

    @property
    def size(self) -> int:
        return sum(map(len, self.spaces)) + len(self.chats)


def read(data: Collection[Path]) -> list[World | Chat]:
    """The entries of files, or of those in folders that hold sets of either kind. Raises InvalidInput."""
    return [entry for path in data for file in _files(path) for entry in lines.read(file, _entry)]


def _files(path: Path) -> list[Path]:
    found = [path / name for name in FILES if (path / name).is_file()] if path.is_dir() else [path]
    if not found:
        raise InvalidInput("data", f"{path} holds none of {', '.join(FILES)}")
    return found


def _entry(line: Fields) -> World | Chat:
    return chats.chat(line) if line.has("m") or line.has("messages") else worlds.world(line)


def draw(
    entries: Sequence[World | Chat], *, authors: Collection[str] = (), spaces: int | None = None, seed: int = 0
) -> Sample:
    """What those authors wrote; of each, so many spaces and as many conversations as worlds fit into these.

    Raises:
        InvalidInput: they wrote nothing.
    """
    told = [one for one in entries if isinstance(one, World) and (not authors or one.author in authors)]
    said = [one for one in entries if isinstance(one, Chat) and (not authors or one.author in authors)]
    if not told and not said:
        raise InvalidInput("--author", f"nothing is by {' or '.join(authors)}")
    return Sample(
        spaces=tuple(tuple(space) for space in _spaces(told, spaces, seed)),
        chats=tuple(chat for space in _spaces(said, spaces, seed) for chat in space),
    )


def _spaces(entries: Sequence[Entry], most: int | None, seed: int) -> Iterator[list[Entry]]:
    """In an order that depends on the seed alone."""
    for author in sorted({entry.author or "" for entry in entries}):
        written = [entry for entry in entries if (entry.author or "") == author]
        shuffled = random.Random(seed).sample(written, len(written))
        yield from [shuffled[start : start + SPACE] for start in range(0, len(shuffled), SPACE)][:most]
