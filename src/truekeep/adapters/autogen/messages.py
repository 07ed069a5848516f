"""AutoGen's messages in the shape that the common piece reads."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from autogen_agentchat.messages import (
    BaseChatMessage,
    HandoffMessage,
    MultiModalMessage,
    StopMessage,
    ToolCallSummaryMessage,
)
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage


def from_context(message: LLMMessage) -> dict[str, Any]:
    """A message of a model context. In a team, what other agents said comes as user messages."""
    if isinstance(message, UserMessage):
        return {"role": "user", "name": message.source, "content": message.content}
    if isinstance(message, AssistantMessage):
        said = message.content if isinstance(message.content, str) else None  # else it calls tools
        return {"role": "assistant", "name": message.source, "content": said}
    return {"role": "system" if isinstance(message, SystemMessage) else "tool", "content": None}


def from_chat(message: BaseChatMessage, users: Collection[str]) -> dict[str, Any]:
    """A message of a run. What tools returned and what only steers the run is nobody's own words."""
    if isinstance(message, ToolCallSummaryMessage):
        role = "tool"
    elif isinstance(message, HandoffMessage | StopMessage):
        role = "system"
    else:
        role = "user" if message.source in users else "assistant"
    content = message.content if isinstance(message, MultiModalMessage) else message.to_text()
    return {"role": role, "name": message.source, "id": message.id, "content": content, "when": message.created_at}
