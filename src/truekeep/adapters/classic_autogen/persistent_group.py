"""`PersistentGroupChat`: a group chat that goes on where another process left it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from autogen import ConversableAgent, GroupChat

from truekeep.adapters.common import FailOpen, Plan, Recording, Remembering, Spaces
from truekeep.adapters.common.adapter import shielded
from truekeep.memory import Memory

from .agents import carry_out, is_async
from .transcript import Transcript

MESSAGES = "messages"


class PersistentGroupChat(GroupChat):  # type: ignore[misc]  # the framework is not installed where types are checked
    """A `GroupChat` whose messages survive. Its participants have them as soon as the next chat begins.

    Neither `clear_history` nor `manager.resume(...)` loses or repeats anything; `forget_history` starts over.

    Args:
        agents: the participants; they are known by their names.
        messages: where the conversation begins if nothing is kept of it yet.
        memory: where to keep it. Without it, in a space that is named after the agents: a group of the same names goes
            on with it, no other does.
        guard: how failures of the memory are met: deadline, callback.
        **options: those of `GroupChat`.
    """

    def __init__(
        self,
        agents: Sequence[Any],
        messages: Sequence[dict[str, Any]] | None = None,
        *,
        memory: Memory | Spaces | str | None = None,
        guard: FailOpen | None = None,
        **options: Any,
    ) -> None:
        space = _space_of(agents) if memory is None else memory
        self.remembering = Remembering(space, recording=Recording(mode=None), guard=guard)
        kept: list[Any] = self.remembering.on_memory(lambda store: store.get(MESSAGES) or [], [])
        self._course = _Course(Transcript(MESSAGES, kept, likeness=_likeness))
        for message in () if kept else _copy(messages or ()):
            self._course.transcript.add(message)
        self._course.transcript.restart()
        self.remembering.entrust(self._course.transcript)
        super().__init__(agents=[*agents], messages=_copy(self._course.transcript.earlier), **options)
        self._course.begins = len(self.messages)

    @property
    def group_memory(self) -> Memory:
        """Its memory. Unlike the chat, it raises when it fails."""
        return self.remembering.spaces.own()

    @property
    def speaker_history(self) -> list[str]:
        """Who spoke, in order."""
        return [str(message.get("name")) for message in self.messages]

    def append(self, message: dict[str, Any], speaker: Any) -> None:
        """As in AutoGen; and kept."""
        super().append(message, speaker)
        with shielded(self.remembering.guard):
            if self._course.transcript.add(_copy(message)):
                carry_out(self.remembering, self._sending())

    def reset(self) -> None:
        """Called by a chat that starts afresh or resumes; what is kept stays."""
        super().reset()
        self._course.transcript.restart()
        self._course.is_told = False
        self._course.begins = 0

    def forget_history(self) -> None:
        """Delete what is kept, and start over."""
        self.group_memory.delete(MESSAGES)
        self._course.transcript.forget()
        self.reset()

    def select_speaker(self, last_speaker: Any, selector: Any) -> Any:
        """As in AutoGen; `selector` is the manager, under whose name the participants have the group's messages."""
        is_async.set(False)
        self._tell(selector)
        return super().select_speaker(last_speaker, selector)

    async def a_select_speaker(self, last_speaker: Any, selector: Any) -> Any:
        """The same in an async chat."""
        is_async.set(True)
        self._tell(selector)
        return await super().a_select_speaker(last_speaker, selector)

    def _tell(self, manager: Any) -> None:
        course = self._course
        if course.is_told:
            return
        course.is_told = True
        with shielded(self.remembering.guard):
            if course.transcript.go_on():
                carry_out(self.remembering, self._sending())
            earlier = course.transcript.earlier
            self.messages[: course.begins] = _copy(earlier)
            for agent in self.agents:
                if isinstance(agent, ConversableAgent):
                    agent.chat_messages[manager][:0] = [_seen_by(agent, message) for message in _copy(earlier)]

    def _sending(self) -> Plan[None]:
        return self.remembering.plans.on_memory(self._course.transcript.send, None)


@dataclass(slots=True)
class _Course:
    """How far the chat is. In one object, because a manager runs its chats with a copy of the group chat."""

    transcript: Transcript
    begins: int = 0  # where in the messages the present chat begins
    is_told: bool = False  # whether the participants know what was said earlier


def _space_of(agents: Sequence[Any]) -> str:
    """Readable as far as it goes; what follows tells apart those whose names run together, or are too many."""
    names = sorted(str(agent.name) for agent in agents)
    digest = blake2b(json.dumps(names).encode(), digest_size=4).hexdigest()
    return f"autogen-group-{'-'.join(names)[:100]}-{digest}"


def _seen_by(agent: Any, message: dict[str, Any]) -> dict[str, Any]:
    if message.get("role") in ("tool", "function"):
        return message
    is_own = message.get("name") == agent.name or bool(message.get("tool_calls") or message.get("function_call"))
    return {**message, "role": "assistant" if is_own else "user"}


def _likeness(message: dict[str, Any]) -> object:
    return message.get("name"), json.dumps(message.get("content"), sort_keys=True)


def _copy(messages: Any) -> Any:
    """As it is kept: plain JSON, whatever else a message carries."""
    return json.loads(json.dumps(messages, default=str))
