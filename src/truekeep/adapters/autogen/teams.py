"""The state of agents and teams under a key of a memory, with the states before it to go back to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from pydantic_core import to_jsonable_python

from truekeep.errors import ConfigurationError, InvalidInput, NotFound
from truekeep.memory import Memory

from .memory import TruekeepMemory

_T = TypeVar("_T")


class Stateful(Protocol):
    """Agents, teams, and all else in AutoGen that has a state."""

    async def save_state(self) -> Mapping[str, Any]: ...
    async def load_state(self, state: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTeam:
    """One saved state: its number, and when it was saved."""

    version: int
    saved: datetime


async def save_team(team: Stateful, memory: TruekeepMemory | Memory, key: str = "team", *, keep: int = 10) -> int:
    """Save the state of a team or an agent; the version under which `load_team` finds it.

    Raises what `truekeep.Memory` raises: a state is saved when this returns, or not at all.

    Args:
        team: a team that is not running, or an agent.
        memory: where to.
        key: a name for it, such as "support-team/ana".
        keep: so many versions stay, the newest.
    """
    if keep < 1:
        raise InvalidInput("keep", "must be 1 or more")
    state = to_jsonable_python(await team.save_state())

    def save(memory: Memory) -> int:
        version = int(str(memory.increment(_key(key, "count")).value))  # nobody else gets this number
        memory.set(_key(key, version), state)
        for old in sorted(_versions(memory, key))[:-keep]:
            memory.delete(_key(key, old))
        return version

    return await _on(memory, save)


async def load_team(
    team: Stateful, memory: TruekeepMemory | Memory, key: str = "team", *, version: int | None = None
) -> int | None:
    """Give a team or an agent the state that was saved, the latest or that of a version; which version it is.

    None if nothing was saved yet: the team stays as it is. Loading deletes nothing; what is saved next is the latest.

    Raises:
        NotFound: there is no such version.
    """

    def load(memory: Memory) -> tuple[int, Any] | None:
        found = max(_versions(memory, key), default=None) if version is None else version
        if found is None:
            return None
        state = memory.get(_key(key, found))
        if state is None:
            raise NotFound(f"there is no version {found} of {key!r}; saved_teams() lists those that are kept")
        return found, state

    loaded = await _on(memory, load)
    if loaded is None:
        return None
    await team.load_state(loaded[1])
    return loaded[0]


async def saved_teams(memory: TruekeepMemory | Memory, key: str = "team") -> list[SavedTeam]:
    """The states that are kept under a key, newest first."""

    def read(memory: Memory) -> list[SavedTeam]:
        found = [(version, memory.value(_key(key, version))) for version in sorted(_versions(memory, key))[::-1]]
        return [SavedTeam(version=version, saved=value.updated) for version, value in found if value is not None]

    return await _on(memory, read)


def _key(key: str, version: int | str) -> str:
    return f"autogen-state/{key}/{version}"


def _versions(memory: Memory, key: str) -> list[int]:
    prefix = _key(key, "")
    ends = [name.removeprefix(prefix) for name in memory.keys() if name.startswith(prefix)]  # noqa: SIM118  # no dict
    return [int(end) for end in ends if end.isdecimal()]


async def _on(memory: TruekeepMemory | Memory, verb: Callable[[Memory], _T]) -> _T:
    """In a thread, on the memory that is written to; raises, since a state that is lost unnoticed is worse."""
    if isinstance(memory, Memory):
        return await asyncio.to_thread(verb, memory)
    spaces = memory.remembering.spaces
    name = spaces.scopes().write
    if name is None:
        raise ConfigurationError("this memory can only be read; nothing can be saved in it")
    return await asyncio.to_thread(lambda: verb(spaces.memory(name)))
