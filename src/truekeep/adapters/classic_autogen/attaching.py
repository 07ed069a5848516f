"""`attach`: a memory for one agent; `attach_group`: for all of a group; `Teachability`: either, AutoGen's own way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from autogen import ConversableAgent, GroupChatManager
from autogen.agentchat.contrib.capabilities.agent_capability import AgentCapability

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces, text_of
from truekeep.adapters.common.recorder import Mode
from truekeep.errors import ConfigurationError
from truekeep.memory import Memory

from .agents import SHORTEST, claim, execute, has_model, offer, role_of
from .hooks import Hooks

_LOOKED_AT = 20  # records of the same words
_TELLING = 3  # messages by which a conversation is recognised


def attach(
    agent: Any,
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
    """Give an agent a memory: it recalls before it replies, records what is said, and can use the memory as a tool.

    Nothing of this raises or takes longer than its deadline during a chat. A custom model client is registered after
    this, because AutoGen makes its clients anew for every tool.

    Args:
        agent: a `ConversableAgent` of any kind; for a group chat there is `attach_group`.
        memory: a `Memory`, `Spaces(...)` for several users, the name of a space, or what another `attach` returned.
        inject: whether the model is shown what is recalled: above the last message that was said to the agent, so that
            prompt caches keep all that comes before. No history has it.
        memory_query: what to recall for; without it, the last message.
        announce: whether to print "recalled 3 memories".
        record: "messages" keeps what the agent says and is told, if it is longer than 20 characters; "extract" keeps
            what is durable in it; None keeps nothing.
        tools: whether the agent's model may call `remember`, `recall` and `forget`.
        every: with "extract", so many messages are read together; `flush` and the end of the process read the rest.
        executor: who carries out the calls; without one it is whoever the agent talks to.
        conversation: the name of the session of what is recorded.
        recalling: how much is recalled, and of which kinds.
        guard: how failures are met: deadline, callback.

    Returns:
        What the agent has of its memory: `failures`, `flush()`, `tools`, `close()`.
    """
    if isinstance(agent, GroupChatManager):
        raise ConfigurationError("a manager only passes messages on; use attach_group(groupchat, manager, memory)")
    remembering = _remembering_of(
        memory, record=record, every=every, conversation=conversation, recalling=recalling, guard=guard
    )
    claim(agent, remembering)
    Hooks(agent, remembering, query=memory_query, announce=announce).add(inject=inject)
    if tools:
        offer(agent, remembering)
        if executor is not None:
            execute(executor, remembering)
    return remembering


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
    remembering = _remembering_of(
        memory, record=record, every=every, conversation=conversation, recalling=recalling, guard=guard
    )
    conversations = Conversations(groupchat, manager, remembering, conversation)
    participants = [agent for agent in groupchat.agents if isinstance(agent, ConversableAgent)]
    for agent in participants:
        claim(agent, remembering)
        Hooks(agent, remembering, query=memory_query, announce=announce, group=conversations).add(inject=inject)
        if tools:
            offer(agent, remembering)
    if tools and participants:
        silent = [agent for agent in participants if not has_model(agent)]
        execute(executor or [*silent, *participants][0], remembering)
    return remembering


class Teachability(AgentCapability):  # type: ignore[misc]  # the framework is not installed where types are checked
    """In place of AutoGen's capability of this name: no model calls, no files of its own, one memory for many agents.

    It learns what is durable in what is said, at once, and recalls it above the last message to the agent; the history
    of the chat stays as it is.

    Args:
        memory: a `Memory`, `Spaces(...)`, or the name of a space.
        max_num_retrievals: at most so many memories are shown for a message.
        tools: whether the models may also call `remember`, `recall` and `forget`.
        guard: how failures of the memory are met: deadline, callback.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        max_num_retrievals: int = 10,
        tools: bool = False,
        guard: FailOpen | None = None,
    ) -> None:
        super().__init__()
        self.remembering = Remembering(
            memory,
            recalling=Recalling(limit=max_num_retrievals),
            recording=Recording(mode="extract", every=1),
            guard=guard,
        )
        self._tools = tools

    def add_to_agent(self, agent: Any) -> None:
        """Make one agent teachable."""
        attach(agent, self.remembering, tools=self._tools)

    def add_to_group(self, groupchat: Any, manager: Any) -> None:
        """Make all participants of a group teachable: what one of them is taught, all of them know."""
        attach_group(groupchat, manager, self.remembering, tools=self._tools)


def _remembering_of(
    memory: Memory | Spaces | Remembering | str,
    *,
    record: Mode | None,
    every: int,
    conversation: str | None,
    recalling: Recalling | None,
    guard: FailOpen | None,
) -> Remembering:
    """What is there already, or a new one."""
    if isinstance(memory, Remembering):
        return memory
    return Remembering(
        memory,
        recalling=recalling,
        recording=Recording(mode=record, every=every, longer_than=SHORTEST),
        conversation=conversation,
        guard=guard,
    )


class Conversations:
    """Knows in which conversation a group is: one that starts afresh, or one that was recorded before.

    Each speaker records what it says to the manager: that passes once.
    """

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
