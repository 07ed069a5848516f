"""In which conversation a group is: one that starts afresh, or one that was recorded before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from truekeep.adapters.common import Remembering, text_of
from truekeep.memory import Memory

from .agents import SHORTEST, role_of

_LOOKED_AT = 20  # records of the same words
_TELLING = 3  # messages by which a conversation is recognised


class Conversations:
    """Knows in which conversation a group is. Each speaker records what it says to the manager: that passes once."""

    def __init__(self, groupchat: Any, manager: Any, remembering: Remembering, name: str | None) -> None:
        self.manager = manager
        self.name: str | None = name or remembering.conversation
        self._given = name
        self._groupchat = groupchat
        self._remembering = remembering
        # On these two objects only. The manager runs its chats with a copy of the group chat, but these it calls here.
        self._reset, groupchat.reset = groupchat.reset, self.reset
        self._resume, manager.resume = manager.resume, self.resume
        self._a_resume, manager.a_resume = manager.a_resume, self.a_resume

    def reset(self) -> None:
        """A chat starts afresh."""
        self._reset()
        if self.name is not None:
            self.name = self._given or uuid4().hex

    def resume(self, messages: Any, *arguments: Any, **options: Any) -> Any:
        """As in AutoGen, which replays all messages but the last, with which the chat goes on."""
        said = _said(messages)
        found = self._remembering.on_memory(lambda memory: _conversation_of(memory, said), None)
        with self._resuming(found) as name:
            result = self._resume(messages, *arguments, **options)
        self._remembering.record(self._signed(said[:-1]), conversation=name)
        return result

    async def a_resume(self, messages: Any, *arguments: Any, **options: Any) -> Any:
        """The same in an async chat."""
        said = _said(messages)
        found = await self._remembering.aio.on_memory(lambda memory: _conversation_of(memory, said), None)
        with self._resuming(found) as name:
            result = await self._a_resume(messages, *arguments, **options)
        await self._remembering.aio.record(self._signed(said[:-1]), conversation=name)
        return result

    @contextmanager
    def _resuming(self, found: str | None) -> Iterator[str]:
        """What is sent meanwhile was said before."""
        before, name = self.name, self._given or found or uuid4().hex
        self._remembering.rewind(name)
        self.name = None
        try:
            yield name
        except BaseException:
            self.name = before
            raise
        self.name = name

    def _signed(self, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """With the role in which each of them was really said."""
        speakers = {agent.name: agent for agent in self._groupchat.agents}
        return [{**message, "role": role_of(message, speakers.get(message.get("name")))} for message in messages]


def _said(messages: Any) -> list[dict[str, Any]]:
    """What is to be resumed: a list, or the text in which it was saved. If it is neither, AutoGen says so."""
    try:
        given = json.loads(messages) if isinstance(messages, str) else messages
    except ValueError:
        return []
    return [dict(message) for message in given if isinstance(message, dict)] if isinstance(given, list) else []


def _conversation_of(memory: Memory, messages: Sequence[dict[str, Any]]) -> str | None:
    """The latest session in which these messages were recorded, if there is one."""
    texts = {text_of(message).strip() for message in messages}
    telling = sorted((text for text in texts if len(text) > SHORTEST), key=len)[-_TELLING:]
    sessions = [
        {
            match.session
            for match in memory.recall(text[:1000], kinds=["interaction"], limit=_LOOKED_AT)
            if match.content.strip() == text
        }
        for text in telling
    ]
    common = set.intersection(*sessions) if sessions else set()
    return next((session.name for session in memory.sessions() if session.name in common), None)
