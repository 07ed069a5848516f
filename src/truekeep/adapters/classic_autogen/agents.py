"""What an agent of classic AutoGen is, and what role its words have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from autogen import ConversableAgent

from truekeep.adapters.common import SILENT, Remembering
from truekeep.errors import ConfigurationError

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


def calls(message: object) -> set[str]:
    """The tools that a message asks for."""
    if not isinstance(message, Mapping):
        return set()
    asked = [call.get("function") for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
    asked.append(message.get("function_call"))
    return {str(call.get("name")) for call in asked if isinstance(call, Mapping)}
