"""The tools of a memory, offered to an agent's model, and carried out by whoever it talks to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from autogen import ConversableAgent, GroupChatManager

from truekeep.adapters.common import Remembering

from .agents import partner


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
