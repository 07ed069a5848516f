"""`Scene`: who speaks, among whom, and after which question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from truekeep.model import ROLE_TRUST, Message

SILENT = frozenset({"system", "developer", "tool", "function"})  # instructions and noise, nobody's own words
ASSISTANTS = frozenset(role for role, trust in ROLE_TRUST.items() if trust == "agent") - SILENT


@dataclass(frozen=True, slots=True)
class Scene:
    """What one must know about a message to judge its sentences."""

    by_assistant: bool = False
    named: bool = False  # an assistant with a name is a colleague, one without is a service
    team: bool = False  # several talk about a common work: what one of them rules binds all
    asked: str = ""  # the question that the message before ended with, if somebody else put it
    names: frozenset[str] = frozenset()  # of those who take part, in lower case
    answers: bool = False  # whether the message opens with yes, no or the like
    is_brief: bool = False  # hardly a conversation: what is told in a message or two is most often to be kept


def role_of(message: Message) -> str:
    return message.role.lower() if message.role else ""


def names_of(messages: Sequence[Message]) -> frozenset[str]:
    """Who takes part by name, in lower case."""
    said = (message for message in messages if message.speaker and role_of(message) not in SILENT)
    return frozenset(message.speaker.lower() for message in said if message.speaker)
