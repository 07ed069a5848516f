"""`attach`: a memory for one agent."""

from __future__ import annotations

from typing import Any

from autogen import GroupChatManager

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces
from truekeep.adapters.common.recorder import Mode
from truekeep.errors import ConfigurationError
from truekeep.memory import Memory

from .agents import claim
from .hooks import Hooks
from .showing import Showing
from .tools import execute, offer

SHORTEST = 20  # characters: what is not longer says little ("OK, I will do that.")


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
    remembering = remembering_of(
        memory, record=record, every=every, conversation=conversation, recalling=recalling, guard=guard
    )
    claim(agent, remembering)
    Hooks(agent, remembering).add()
    if inject:
        Showing(agent, remembering, query=memory_query, announce=announce).add()
    if tools:
        offer(agent, remembering)
        if executor is not None:
            execute(executor, remembering)
    return remembering


def remembering_of(
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
