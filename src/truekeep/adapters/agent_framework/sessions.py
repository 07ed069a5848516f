"""The session under way, and how the framework's messages read to the rest of Truekeep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_framework import AgentSession, Message

from truekeep.adapters.common.turns import Current

session_now: Current[AgentSession] = Current("agent session")


def current_session() -> AgentSession:
    """The session of the run under way, for a function that says whose memory it is.

    `Spaces(lambda: f"user:{current_session().state['user']}")` serves each user from a space of their own. Without a
    session of the caller the framework makes one up for each run, so its id alone says nothing about who is asking.

    Raises:
        ConfigurationError: no run is under way in this task.
    """
    return session_now()


def plain(message: Message) -> dict[str, Any]:
    """The message with its words only; calls, results, pictures and thoughts are left out."""
    texts = [content.text for content in message.contents if content.type == "text" and content.text]
    return {"role": str(message.role), "name": message.author_name, "content": " ".join(texts)}


def just_said(messages: Sequence[Message]) -> Sequence[Message]:
    """What is new in the input of a run: all that comes before an agent's words was said, and recorded, earlier."""
    answered = [number for number, message in enumerate(messages, start=1) if message.role in ("assistant", "tool")]
    return messages[max(answered, default=0) :]
