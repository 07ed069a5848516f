"""`attach_group`: one memory for all participants of a group chat."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from autogen import ConversableAgent

from truekeep.adapters.common import FailOpen, Recalling, Remembering, Spaces, text_of
from truekeep.adapters.common.recorder import Mode
from truekeep.memory import Memory

from .agents import claim, has_model, role_of
from .attaching import SHORTEST, remembering_of
from .hooks import Hooks
from .showing import Showing
from .tools import execute, offer

_LOOKED_AT = 20  # records of the same words
_TELLING = 3  # messages by which a conversation is recognised


def attach_group(
    groupchat: Any,
    manager: Any,
    memory: Memory | Spaces | Remembering | str,
    *,
    inject: bool = True,
    memory_query: str | None = None,
    announce: bool = False,
    record: Mode | None = "messages",
    tools: bool = True,
    every: int = 10,
    executor: Any = None,
    conversation: str | None = None,
    recalling: Recalling | None = None,
    guard: FailOpen | None = None,
) -> Remembering:
    """Give a whole group one memory: each participant recalls from it, and each message is recorded once.

    A chat that starts afresh is a new conversation; `manager.resume(...)` goes on with the one that it resumes.

    Args:
        groupchat: the `GroupChat`.
        manager: its `GroupChatManager`.
        memory: as for `attach`, like all that is not named here.
        executor: who carries out tool calls; without one it is the first participant without a model.
        conversation: the name of the session of what is recorded; all chats are then one conversation.
    """
    remembering = remembering_of(
        memory, record=record, every=every, conversation=conversation, recalling=recalling, guard=guard
    )
    conversations = _Conversations(groupchat, manager, remembering, conversation)
    participants = [agent for agent in groupchat.agents if isinstance(agent, ConversableAgent)]
    for agent in participants:
        claim(agent, remembering)
        Hooks(agent, remembering, group=conversations).add()
        if inject:
            Showing(agent, remembering, query=memory_query, announce=announce).add()
        if tools:
            offer(agent, remembering)
    if tools and participants:
        silent = [agent for agent in participants if not has_model(agent)]
        execute(executor or [*silent, *participants][0], remembering)
    return remembering


class _Conversations:
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
