"""`Scopes`: which spaces an agent reads, and which one it writes; `Spaces`: the memories behind them, read as one."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, zip_longest
from typing import Any, TypeVar

from truekeep.engine.admit import Limits
from truekeep.engine.statement import statement
from truekeep.engine.verbs.context import Entry, Material
from truekeep.errors import AccessDenied, ConfigurationError, NotFound
from truekeep.memory import Memory, is_served, material
from truekeep.model import Match, MemoryItem, Order, Recall
from truekeep.ports import Embedder, Extractor


@dataclass(frozen=True, slots=True, init=False)
class Scopes:
    """Names of spaces. There is no way to say "all of them", and what is not named is not read.

    Args:
        read: what recall may see, the most important first; one name, or several.
        write: where new memories go; None: nothing is written.
    """

    read: tuple[str, ...]
    write: str | None

    def __init__(self, read: Collection[str] | str, write: str | None = None) -> None:
        names = (read,) if isinstance(read, str) else tuple(dict.fromkeys(read))
        for name in names if write is None else (*names, write):
            if not isinstance(name, str) or not name.strip():
                raise ConfigurationError(f"a scope is the name of a space, not {name!r}")
        object.__setattr__(self, "read", names)
        object.__setattr__(self, "write", write)

    @classmethod
    def of(cls, given: object) -> Scopes:
        """Scopes as they are, or one name for reading and writing."""
        if isinstance(given, Scopes):
            return given
        if isinstance(given, str):
            return cls(read=given, write=given)
        raise ConfigurationError(f"scopes are Scopes(read=..., write=...) or one name, not {type(given).__name__}")


AnyScopes = str | Scopes | Callable[[], str | Scopes]
MOST_OPEN = 256  # handles kept; an agent with more users opens those of the quiet ones again

_T = TypeVar("_T")


class Spaces:
    """Several spaces of one store, read and written as the scopes say. Blocks, and raises what `Memory` raises.

    Nothing is opened before it is needed, so a store that is out of reach does not hinder the start of an agent.

    Args:
        scopes: the name of one space for reading and writing; `Scopes(read=..., write=...)`; or a function that
            returns either, which is asked anew for every call: one agent then serves many users.
        at: where the spaces live; this and all that follows as for `Memory`.
    """

    def __init__(
        self,
        scopes: AnyScopes,
        *,
        at: str | os.PathLike[str] | None = None,
        key: str | None = None,
        embedder: Embedder | str | None = None,
        extractor: Extractor | str | None = None,
        clock: Callable[[], datetime] | None = None,
        background: bool = True,
        limits: Limits | None = None,
    ) -> None:
        self._scopes = scopes if callable(scopes) else Scopes.of(scopes)
        options = {"embedder": embedder, "extractor": extractor, "clock": clock, "limits": limits}
        self._options: dict[str, Any] = {"at": at, "key": key, "background": background, **options}
        self._ready: Memory | None = None
        self._open: OrderedDict[str, Memory] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def of(cls, memory: Memory | Spaces | str) -> Spaces:
        """The spaces themselves; one memory that is open already, for reading and writing; or the name of one."""
        if isinstance(memory, Spaces):
            return memory
        if isinstance(memory, Memory):
            spaces = cls(memory.space)
            spaces._ready = memory
            return spaces
        if isinstance(memory, str):
            return cls(memory)
        raise ConfigurationError(f"give a Memory, Spaces(...) or the name of a space, not {type(memory).__name__}")

    def scopes(self) -> Scopes:
        """Those of this moment."""
        return Scopes.of(self._scopes()) if callable(self._scopes) else self._scopes

    def given(self) -> tuple[Scopes, dict[str, Any]]:
        """The scopes and options as they were given, for those who write down how to open the same again.

        Raises:
            ConfigurationError: it cannot be written down.
        """
        if self._ready is not None:
            raise ConfigurationError("a memory that is open already cannot be written down; give its name, or Spaces")
        if callable(self._scopes):
            raise ConfigurationError("scopes cannot be written down while a function chooses them; give their names")
        return self._scopes, dict(self._options)

    @property
    def is_served(self) -> bool:
        """Whether a server is asked, which has loaded its model long ago."""
        if self._ready is not None:
            return is_served(self._ready)
        return str(self._options["at"]).startswith(("http://", "https://"))

    def memory(self, name: str) -> Memory:
        """The handle on one space; do not close it."""
        if self._ready is not None:
            if name != self._ready.space:
                raise ConfigurationError(f"only the space {self._ready.space!r} is open here, not {name!r}")
            return self._ready
        with self._lock:
            memory = self._open.pop(name, None)
        if memory is None:
            memory = Memory(name, **self._options)  # not under the lock: one that hangs shall not stop the others
        with self._lock:
            memory = self._open.setdefault(name, memory)
            self._open.move_to_end(name)
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)  # somebody may be using it: it is closed once nobody holds it
        return memory

    def own(self) -> Memory:
        """The handle on the one that is written to; raises where there is none."""
        return self.memory(self.scopes().write or "")

    def recall(self, query: str, scopes: Scopes, *, limit: int = 5, **filters: Any) -> Recall:
        """What the read scopes know, best first; see `merged` for how their scores compare."""
        found = self._of_each(scopes, lambda memory: memory.recall(query, limit=limit, **filters))
        return merged(found, limit=limit, order=filters.get("order", "best"))

    def newer(self, found: Recall, scopes: Scopes) -> dict[str, str]:
        """By their ids, the texts of what may have replaced some of what was found."""
        texts = {match.id: match.content for match in (*found, *found.lessons)}
        doubting = {id for match in (*found, *found.lessons) for id in match.suspected_by[-1:]}
        asked = [(self.memory(name), id) for id in doubting - texts.keys() for name in scopes.read]
        items = [item for memory, id in asked if (item := _item(memory, id)) is not None]
        return texts | {item.id: item.content for item in items}

    def material(self, query: str, scopes: Scopes, *, limit: int = 20, **filters: Any) -> Material:
        """What a prompt could show of the read scopes, in the order of its worth."""
        return gathered(self._of_each(scopes, lambda memory: material(memory, query, limit=limit, **filters)))

    def _of_each(self, scopes: Scopes, read: Callable[[Memory], _T]) -> list[_T]:
        """What each scope has; one that the key may not read is as good as empty, unless it may read none."""
        found, denied = [], None
        for name in scopes.read:
            try:
                found.append(read(self.memory(name)))
            except AccessDenied as error:
                denied = error
        if denied is not None and not found:
            raise denied
        return found

    def opened(self) -> list[Memory]:
        """The handles that are open now."""
        with self._lock:
            return [*self._open.values()] if self._ready is None else [self._ready]

    def close(self) -> None:
        """Release what was opened here; deletes nothing. A memory that was handed over stays open. Goes on if used."""
        with self._lock:
            memories, self._open = [*self._open.values()], OrderedDict()
        for memory in memories:
            memory.close()


def _item(memory: Memory, id: str) -> MemoryItem | None:
    try:
        return memory.item(id)
    except (NotFound, AccessDenied):
        return None


def merged(found: Sequence[Recall], *, limit: int, order: Order = "best") -> Recall:
    """One recall out of several, best first.

    Scores are relative to the best of their own space, so they are weighed with how likely that space has an answer at
    all (`answerable`): the order within a space stays, and a space that knows nothing does not push itself forward.
    What two spaces state alike is there once.
    """
    if len(found) == 1:
        return found[0]
    matches = [replace(match, score=match.score * one.answerable) for one in found for match in one]
    lessons = [replace(match, score=match.score * one.answerable) for one in found for match in one.lessons]
    return Recall(
        matches=tuple(_distinct(_sorted(matches, order), _of_match))[:limit],
        lessons=tuple(_distinct(_sorted(lessons, "best"), _of_match)),
        answerable=max((one.answerable for one in found), default=0.0),
        pending=sum(one.pending for one in found),
        degraded=any(one.degraded for one in found),
    )


def gathered(materials: Sequence[Material]) -> Material:
    """One material out of several: pinned ones first, then by turns the best of each space, the next of each..."""
    entries = list(_by_turns([material.entries for material in materials]))
    return Material(
        entries=list(_distinct(sorted(entries, key=lambda entry: not entry.item.pinned), lambda entry: entry.item)),
        lessons=list(_distinct(_by_turns([material.lessons for material in materials]), lambda entry: entry.item)),
        query=next((material.query for material in materials), ""),
    )


def _of_match(match: Match) -> MemoryItem:
    return match.item


def _sorted(matches: list[Match], order: Order) -> list[Match]:
    """Ties go to the newer item, as in one space."""
    newest = sorted(matches, key=lambda match: match.when, reverse=True)
    if order == "newest":
        return newest
    return sorted(newest, key=lambda match: match.confidence if order == "confidence" else match.score, reverse=True)


def _by_turns(lists: Sequence[Sequence[Entry]]) -> Iterable[Entry]:
    return (entry for entry in chain.from_iterable(zip_longest(*lists)) if entry is not None)


def _distinct(ranked: Iterable[_T], item_of: Callable[[_T], MemoryItem]) -> Iterable[_T]:
    """The first of those that state the same; records of who said what are told apart by their ids."""
    seen: set[str] = set()
    for one in ranked:
        item = item_of(one)
        said = item.id if item.kind == "interaction" else statement(item.content, item.speaker)
        if said not in seen:
            seen.add(said)
            yield one
