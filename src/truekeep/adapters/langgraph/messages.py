"""How LangChain's messages read to the rest of Truekeep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "HumanMessageChunk": "user"}


def plain(message: BaseMessage) -> dict[str, Any]:
    """The message with its words only; calls, results, pictures and thoughts are left out."""
    role = getattr(message, "role", None) or _ROLES.get(message.type, message.type)
    return {"role": str(role), "name": message.name, "content": str(message.text)}


def question(messages: Iterable[AnyMessage]) -> str:
    """What to recall for: the last thing that a person said; within a turn that stays the same."""
    said = [str(message.text) for message in messages if isinstance(message, HumanMessage)]
    return next((text for text in reversed(said) if text.strip()), "")
