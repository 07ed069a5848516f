"""What an agent of classic AutoGen is, what role its words have, whether its chat may be made to wait, and its tools.

They are offered to its model, and carried out by whoever it talks to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

from autogen import ConversableAgent, GroupChatManager

from truekeep.adapters.common import SILENT, Plan, Remembering
from truekeep.adapters.common.adapter import Current
from truekeep.errors import ConfigurationError

# Version 0.14 calls the same plain hooks in an async chat, on the thread of the event loop. A loop that is running
# says nothing: in a notebook it runs around synchronous chats as well. So those who are awaited leave a note here.
is_async: ContextVar[bool] = ContextVar("is_async", default=False)

partner: Current[Any] = Current("partner")
"""The agent that is being talked to, while scopes are asked for: `Spaces(lambda: f"user:{partner().name}")`."""

SHORTEST = 20  # characters: what is not longer says little ("OK, I will do that.")

_attached: WeakKeyDictionary[Any, Remembering] = WeakKeyDictionary()


def claim(agent: Any, remembering: Remembering) -> None:
    """Say whose memory it is.

    Raises:
        ConfigurationError: it is no such agent, or it has a memory already.
    """
    if not isinstance(agent, ConversableAgent):
        raise ConfigurationError(f"a memory is attached to a ConversableAgent, not to {type(agent).__name__}")
    if agent in _attached:
        raise ConfigurationError(
            f"{agent.name!r} has a memory already; several are read with Spaces(Scopes(read=[...], write=...))"
        )
    _attached[agent] = remembering


def has_model(agent: Any) -> bool:
    """Whether it asks a model; others speak for people, or carry out calls."""
    return getattr(agent, "client", None) is not None


def records_into(agent: Any, space: str | None) -> bool:
    """Whether the agent itself records what it says, in this space."""
    remembering = _attached.get(agent) if isinstance(agent, ConversableAgent) else None
    return (
        remembering is not None
        and remembering.plans.recording.mode is not None
        and remembering.spaces.scopes().write == space
    )


def role_of(message: object, speaker: Any) -> str | None:
    """The role in which it was said; that of a chat message is only how the other side sees it."""
    given = message.get("role") if isinstance(message, Mapping) else None
    if given in SILENT:
        return str(given)
    return "assistant" if has_model(speaker) else "user"


def carry_out(remembering: Remembering, plan: Plan[None]) -> None:
    """Do it now, or in an async chat meanwhile."""
    if is_async.get() and plan.work is not None:
        remembering.guard.start(plan.work, deadline=remembering.deadline)
    else:
        remembering.run(plan)


def offer(agent: Any, remembering: Remembering) -> None:
    """Tell the agent's model about them. AutoGen makes its model client anew for that."""
    if agent.llm_config:
        for function in remembering.tools.functions:
            agent.register_for_llm(name=function.__name__, description=function.__doc__)(function)


def execute(executor: Any, remembering: Remembering) -> None:
    """Let an agent carry them out."""
    executor.function_map.update(remembering.tools.function_map)


def lend(agent: Any, remembering: Remembering, message: object, recipient: Any) -> None:
    """Whoever is about to carry out a call does it on the caller's memory: one executor may serve several agents."""
    ours = remembering.tools.function_map.keys() & _called(message)
    if not ours or not _offers(agent, ours):
        return
    executors = [recipient]
    if isinstance(recipient, GroupChatManager):
        others = [other for other in recipient.groupchat.agents if isinstance(other, ConversableAgent)]
        executors = [other for other in others if other.can_execute_function([*ours])] or [agent]
    functions = {name: _talking_to(recipient, function) for name, function in remembering.tools.function_map.items()}
    for executor in executors:
        if isinstance(executor, ConversableAgent):
            executor.function_map.update(functions)


def _talking_to(other: Any, function: Callable[..., str]) -> Callable[..., str]:
    @wraps(function)
    def call(*arguments: Any, **options: Any) -> str:
        with partner.set_to(other):
            return function(*arguments, **options)

    return call


def _called(message: object) -> set[str]:
    """The tools that a message asks for."""
    if not isinstance(message, Mapping):
        return set()
    asked = [call.get("function") for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
    asked.append(message.get("function_call"))
    return {str(call.get("name")) for call in asked if isinstance(call, Mapping)}


def _offers(agent: Any, names: Collection[str]) -> bool:
    offered = (agent.llm_config or {}).get("tools") or ()
    return any(tool["function"]["name"] in names for tool in offered)
