"""Transcripts in a space: one value for each session, a list of turns, each of them saved once."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Any

from recollect.errors import Conflict, InvalidInput
from recollect.memory import Memory

log = logging.getLogger(__name__)

MOST_UNSAVED = 1_000  # turns of all sessions that wait while the memory is out of reach; the oldest go first
_ATTEMPTS = 20  # others may be writing to the same session
_LONGEST = 200  # characters of a session's id that are part of a key as they are

Turn = dict[str, Any]  # {"id": ..., "messages": [...]}: what one run brought
Place = tuple[str, str]  # a space and a key in it: two users may name their sessions alike


def history_key(session_id: str | None) -> str:
    """The key under which a space keeps the transcript of a session."""
    name = session_id or "default"
    if len(name) > _LONGEST or not name.isprintable():
        name = "#" + blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"history:{name}"


def load(memory: Memory, key: str) -> list[Turn]:
    """The turns of a transcript, oldest first."""
    return _turns(memory.get(key))


def save(memory: Memory, key: str, turns: Sequence[Turn], settled: set[str]) -> None:
    """Add turns to a transcript, each of them once; says in `settled` which are done with.

    Raises:
        InvalidInput: a turn can never be saved; the others are.
    """
    problem: InvalidInput | None = None
    for turn in turns:
        try:
            _add(memory, key, turn)
        except InvalidInput as error:  # too large, say; it shall not hold up those that come after it
            problem = error
        settled.add(turn["id"])
    if problem is not None:
        raise problem


def _add(memory: Memory, key: str, turn: Turn) -> None:
    for attempt in range(_ATTEMPTS):
        present = memory.value(key)
        turns = _turns(None if present is None else present.value)
        if any(known["id"] == turn["id"] for known in turns):
            return
        said = [message for known in turns for message in known["messages"]]
        added = {**turn, "messages": unseen(said, turn["messages"])}
        try:
            memory.set(key, {"turns": [*turns, added]}, if_version=0 if present is None else present.version)
        except Conflict:
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def unseen(known: Sequence[Any], incoming: Sequence[Any]) -> list[Any]:
    """What of the messages is new: a caller may send the end of the transcript, or all of it, along with the rest.

    Something new must follow, else it is a turn that went just like the one before it. One user message alone, without
    an id, does not make a replay: people repeat themselves.
    """
    before, now = [*map(_identity, known)], [*map(_identity, incoming)]
    for length in range(min(len(before), len(now) - 1), 0, -1):
        if before[-length:] == now[:length]:
            is_told_twice = length == 1 and incoming[0].get("role") == "user" and not incoming[0].get("message_id")
            return [*incoming[0 if is_told_twice else length :]]
    return [*incoming]


def _identity(message: dict[str, Any]) -> Any:
    return message.get("message_id") or [message.get("role"), message.get("contents")]


def _turns(value: Any) -> list[Turn]:
    return [*value["turns"]] if isinstance(value, dict) else []


class Unsaved:
    """Turns that wait for the memory."""

    def __init__(self) -> None:
        self._turns: list[tuple[Place, Turn]] = []

    def add(self, place: Place, turn: Turn) -> None:
        self._turns.append((place, turn))
        if len(self._turns) > MOST_UNSAVED:
            del self._turns[0]
            log.warning("a turn of a transcript was not saved: %d others wait for the memory", MOST_UNSAVED)

    def at(self, place: Place) -> list[Turn]:
        return [turn for waiting, turn in self._turns if waiting == place]

    def settle(self, ids: Collection[str]) -> None:
        self._turns = [(place, turn) for place, turn in self._turns if turn["id"] not in ids]
