"""Transcripts in a space: one value for each session, a list of turns, each of them saved once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any
from uuid import uuid4

from truekeep.errors import BackendError, Conflict, InvalidInput, TruekeepError
from truekeep.memory import Memory

from .spaces import Spaces

log = logging.getLogger(__name__)

MOST_UNSAVED = 1_000  # turns that wait while the memory is out of reach; the oldest go first
_ATTEMPTS = 20  # others may be writing to the same session
_LONGEST = 200  # characters of a session's id that are part of a key as they are

Turn = dict[str, Any]  # {"id": ..., "messages": [...]}: what was added at one time
Place = tuple[str, str]  # a space and a key in it: two users may name their sessions alike
Choose = Callable[[Sequence[Any], Sequence[Any]], list[Any]]


def history_key(session_id: str | None) -> str:
    """The key under which a space keeps the transcript of a session."""
    name = session_id or "default"
    if len(name) > _LONGEST or not name.isprintable():
        name = "#" + blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"history:{name}"


def _turns(value: Any) -> list[Turn]:
    return [*value["turns"]] if isinstance(value, dict) else []


def _change(memory: Memory, key: str, change: Callable[[list[Turn]], list[Turn] | None]) -> None:
    """Write what `change` makes of the turns, unless it is None; others may write at the same time."""
    for attempt in range(_ATTEMPTS):
        present = memory.value(key)
        changed = change(_turns(None if present is None else present.value))
        if changed is None:
            return
        try:
            memory.set(key, {"turns": changed}, if_version=0 if present is None else present.version)
            return
        except Conflict:
            if attempt == _ATTEMPTS - 1:
                raise


class Unsaved:
    """Turns that wait for the memory, of one transcript or several: an `Outbox`; safe in several threads.

    Args:
        choose: given the messages that are there and those of a turn, which of the latter are new; default: all.
    """

    def __init__(self, choose: Choose | None = None) -> None:
        self._choose = choose or (lambda known, incoming: [*incoming])
        self._turns: list[tuple[Place, Turn]] = []
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many turns are not saved yet."""
        return len(self._turns)

    def add(self, place: Place, turn: Turn) -> None:
        with self._lock:
            self._turns.append((place, turn))
            if len(self._turns) > MOST_UNSAVED:
                del self._turns[0]
                log.warning("a turn of a transcript was not saved: %d others wait for the memory", MOST_UNSAVED)

    def at(self, place: Place) -> list[Turn]:
        with self._lock:
            return [turn for waiting, turn in self._turns if waiting == place]

    def settle(self, ids: Collection[str]) -> None:
        with self._lock:
            self._turns = [(place, turn) for place, turn in self._turns if turn["id"] not in ids]

    def added(self, turn: Turn, turns: list[Turn]) -> list[Turn] | None:
        """The turns with this one, as far as it is new; None if it is there already."""
        if any(known["id"] == turn["id"] for known in turns):
            return None
        said = [message for known in turns for message in known["messages"]]
        return [*turns, {**turn, "messages": self.chosen(said, turn)}]

    def chosen(self, said: Sequence[Any], turn: Turn) -> list[Any]:
        """The messages of a turn that are new beside what was said before."""
        return self._choose(said, turn["messages"])

    def send(self, memory: Memory, key: str) -> None:
        """Save what waits there, each turn once; one that can never be saved is given up, and told about at the end."""
        problem: InvalidInput | None = None
        for turn in self.at((memory.space, key)):
            try:
                _change(memory, key, partial(self.added, turn))
            except InvalidInput as error:  # too large, say; it shall not hold up those that come after it
                problem = error
            self.settle([turn["id"]])
        if problem is not None:
            raise problem

    def flush(self, spaces: Spaces) -> None:
        """Save all that waits; what one transcript is refused is told about at the end."""
        with self._lock:
            places = dict.fromkeys(place for place, _ in self._turns)
        problem: TruekeepError | None = None
        for space, key in places:
            try:
                self.send(spaces.memory(space), key)
            except BackendError:
                raise
            except TruekeepError as error:  # a quota of this space, say
                problem = error
        if problem is not None:
            raise problem


class Transcript:
    """The transcript of one session, in the space that is written to.

    `load`, `send`, `pop` and `clear` are verbs for `Remembering.on_memory`: they block, and raise what `Memory` raises.

    Args:
        spaces: where it is.
        session_id: the name of the session.
        unsaved: what waits, where that outlives this object.
    """

    def __init__(self, spaces: Spaces, session_id: str | None, unsaved: Unsaved | None = None) -> None:
        self._spaces = spaces
        self._key = history_key(session_id)
        self.unsaved = Unsaved() if unsaved is None else unsaved

    def queue(self, messages: Sequence[Any]) -> None:
        """Add messages to what `send` will save."""
        space = self._spaces.scopes().write
        if messages and space is not None:
            self.unsaved.add((space, self._key), {"id": uuid4().hex, "messages": [*messages]})

    def late(self) -> list[Any]:
        """The messages that still wait."""
        return [message for turn in self._late() for message in turn["messages"]]

    def drop(self) -> None:
        """Those shall not be saved any more."""
        self.unsaved.settle([turn["id"] for turn in self._late()])

    def load(self, memory: Memory) -> list[Any]:
        """All messages, also those that wait. Nothing is written: that may hang, or be refused."""
        late = self.unsaved.at((memory.space, self._key))  # looked at first: another thread may save it meanwhile
        turns = _turns(memory.get(self._key))
        said = [message for turn in turns for message in turn["messages"]]
        saved = {turn["id"] for turn in turns}
        for turn in late:
            if turn["id"] not in saved:
                said += self.unsaved.chosen(said, turn)
        return said

    def send(self, memory: Memory) -> None:
        """Save what waits."""
        self.unsaved.send(memory, self._key)

    def pop(self, memory: Memory) -> Any:
        """Take the last message out; None when there is none."""
        self.send(memory)
        popped: list[Any] = []

        def without_last(turns: list[Turn]) -> list[Turn] | None:
            popped.clear()
            said = [turn for turn in turns if turn["messages"]]
            if not said:
                return None
            *others, last = said
            popped.append(last["messages"][-1])
            return [*others, {**last, "messages": last["messages"][:-1]}]

        _change(memory, self._key, without_last)
        return popped[0] if popped else None

    def clear(self, memory: Memory) -> bool:
        """Delete the transcript; whether there was one."""
        self.unsaved.settle([turn["id"] for turn in self.unsaved.at((memory.space, self._key))])
        return memory.delete(self._key)

    def _late(self) -> list[Turn]:
        space = self._spaces.scopes().write
        return [] if space is None else self.unsaved.at((space, self._key))
