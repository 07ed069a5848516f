"""`messages_of`: every shape in which people hand us a conversation, as messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from truekeep.errors import InvalidInput
from truekeep.fence import CODE_FENCES, without_recalled
from truekeep.model import Message

ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "agent": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_WORD = r"[^\W\d_][\w.'\u2019-]{0,30}"
_NAMED = re.compile(rf"[ \t]{{0,3}}(?P<name>{_WORD}(?: {_WORD}){{0,2}}):(?:[ \t]+(?P<text>.*)|$)")
_NO_NAME = re.compile(
    "answer|background|conclusion|context|date|decisions?|error|example|fact|fyi|goal|hint|important|lessons?|notes?"
    "|output|plan|ps|question|reason|remember|reminder|result|status|subject|summary|tip|title|todo|update|warning|why",
    re.IGNORECASE,
)
_TEXT_PARTS = ("text", "input_text", "output_text")


def messages_of(conversation: str | Iterable[str | Message | Mapping[str, object]]) -> list[Message]:
    """The messages of a conversation, one for each that was given, in order.

    A string is a transcript of "Name: text" lines; lines without a name go on with the message before, and "User:" or
    "Assistant:" is a role rather than a name. Mappings have the shape of OpenAI's and AutoGen's messages: `role`,
    `content` (text, None or a list of parts), `name`; `id` and `when` are kept too. Raises InvalidInput.
    """
    if isinstance(conversation, str):
        return _transcript(conversation)
    if isinstance(conversation, bytes | Mapping | Message) or not isinstance(conversation, Iterable):
        raise InvalidInput("messages", f"must be text or a list of messages, not {type(conversation).__name__}")
    return [_message(message, f"messages[{place}]") for place, message in enumerate(conversation)]


def _transcript(text: str) -> list[Message]:
    lines = without_recalled(text).split("\n")
    found: list[tuple[str | None, list[str]]] = [(None, [])]
    for line, in_code in zip(lines, _in_code(lines), strict=True):
        named = None if in_code else _NAMED.match(line)
        if named and _is_name(named["name"]):
            found.append((named["name"], [named["text"] or ""]))
        else:
            found[-1][1].append(line)
    if found[0][0] is None and len(found) > 1 and not "".join(found[0][1]).strip():
        del found[0]  # nothing was said before the first name
    return [_said(name, "\n".join(said)) for name, said in found]


def _said(name: str | None, text: str) -> Message:
    role = ROLES.get(name.lower()) if name else None
    return Message(content=text.strip(), role=role, speaker=None if role else name)


def _is_name(name: str) -> bool:
    words = name.split()
    if name.lower() in ROLES:
        return True
    return not _NO_NAME.fullmatch(words[0]) and all(word[0].isupper() or not word[0].isascii() for word in words)


def _in_code(lines: list[str]) -> list[bool]:
    """Which lines belong to a code block. A fence that nobody closes does not count, lest it hide all the rest."""
    fences = [place for place, line in enumerate(lines) if line.lstrip().startswith(CODE_FENCES)]
    inside = [False] * len(lines)
    for opening, closing in zip(fences[::2], fences[1::2], strict=False):
        inside[opening : closing + 1] = [True] * (closing + 1 - opening)
    return inside


def _message(given: object, where: str) -> Message:
    if isinstance(given, Message):
        return given
    if isinstance(given, str):
        return Message(content=given)
    if not isinstance(given, Mapping):
        raise InvalidInput("messages", f"{where} must be text, a Message or a mapping, not {type(given).__name__}")
    if not given.keys() & {"content", "role"}:
        raise InvalidInput("messages", f"{where} has neither content nor role")
    return Message(
        content=_content(given.get("content"), where),
        role=_text(given.get("role"), f"{where}.role"),
        speaker=_text(given.get("speaker") or given.get("name"), f"{where}.name"),
        id=_text(given.get("id"), f"{where}.id"),
        when=_when(given.get("when"), f"{where}.when"),
    )


def _content(given: object, where: str) -> str:
    if given is None:  # a message that only calls tools
        return ""
    if isinstance(given, str):
        return given
    if not isinstance(given, list | tuple):
        raise InvalidInput("messages", f"{where}.content must be text or a list of parts, not {type(given).__name__}")
    return "\n\n".join(text for part in given if (text := _part(part, where)))


def _part(part: object, where: str) -> str | None:
    """The text of a part; None for images and the like."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise InvalidInput("messages", f"{where}.content has a part that is no mapping: {type(part).__name__}")
    if part.get("type", "text") not in _TEXT_PARTS:
        return None
    return _text(part.get("text"), f"{where}.content")


def _text(given: object, where: str) -> str | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    raise InvalidInput("messages", f"{where} must be text, not {type(given).__name__}")


def _when(given: object, where: str) -> datetime | None:
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given)
        except ValueError as error:
            raise InvalidInput("messages", f"{where} is not an ISO 8601 time") from error
    if given is None:
        return None
    if not isinstance(given, datetime) or given.tzinfo is None:
        raise InvalidInput("messages", f"{where} must be a time with its zone")
    return given
