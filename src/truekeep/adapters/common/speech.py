"""What was said in a message, whatever the shape in which a framework hands it over, and whether it only asks.

Reading never raises. The best match for a question is the same question, and that answers nothing; for "ok" there is
none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from truekeep.engine.messages import messages_of
from truekeep.errors import InvalidInput
from truekeep.model import Match, MemoryItem, Message

from .block import strip_recalled

SILENT = frozenset({"tool", "function", "system", "developer"})  # results and instructions: nobody's own words
_QUERY_CHARS = 8_000
_FIELDS = {"role": str, "name": str, "speaker": str, "id": str | int, "when": datetime}  # others tell us nothing
_COMMAND = re.compile(r"/[\w:-]+")
_SHORT = 60  # characters
_MARKS = ("?", "\uff1f", "\u061f")


def heard(
    message: object, *, speaker: str | None = None, role: str | None = None, skip: Collection[str] = SILENT
) -> Message | None:
    """The message without recalled blocks; None if it says nothing, or if its role is one of those to skip.

    Args:
        message: text; a mapping like those of OpenAI and AutoGen; a list of parts; a `Message`; or None.
        speaker: who really said it, where the message does not know.
        role: in which role, where that of the message is only how others see it.
        skip: roles that are left out; tool results are "tool", however the framework labels them.
    """
    found = _read(message)
    if found is None:
        return None
    true_role = role or found.role or ("tool" if _holds_tool_results(message) else None)
    if (_holds_tool_results(message) and "tool" in skip) or true_role in skip:
        return None
    content = strip_recalled(found.content)
    if not content.strip():
        return None
    return Message(content=content, role=true_role, speaker=speaker or found.speaker, id=found.id, when=found.when)


def text_of(message: object) -> str:
    """All text in a message, of whatever role, without recalled blocks; empty if there is none."""
    found = heard(message, skip=())
    return "" if found is None else found.content


def last_said(messages: Sequence[object]) -> str:
    """What to recall for: the text of the last message that says something; empty if none does."""
    for message in reversed(messages):
        found = heard(message)
        if found is not None:
            return found.content
    return ""


def last_told(messages: Sequence[object]) -> str:
    """The same for an agent that may be in the midst of its turn.

    What it says itself, between its tool calls, shall not change what stands above them.
    """
    told = [one for one in messages if not (isinstance(one, Mapping) and one.get("role") == "assistant")]
    return last_said(told) or last_said(messages)


def query_of(text: object) -> str:
    """A query out of anything: what cannot be asked for is left out, and of a long text its end counts."""
    said = text_of(text)
    return readable(said[-_QUERY_CHARS:])


def readable(text: str) -> str:
    """The text without the characters that no memory accepts."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()


def _read(message: object) -> Message | None:
    if isinstance(message, str | Message):
        given: Any = message
    elif isinstance(message, list | tuple):
        given = {"content": _parts(message)}
    elif isinstance(message, Mapping):
        content = message.get("content")
        given = {
            "content": _parts(content) if isinstance(content, list | tuple) else content,
            **{field: message[field] for field, kinds in _FIELDS.items() if isinstance(message.get(field), kinds)},
        }
    else:
        return None
    try:
        return messages_of([given])[0]
    except InvalidInput:  # pictures, objects, names that are no text: there is nothing to read
        return None


def _parts(content: Sequence[object]) -> list[object]:
    return [part for part in content if isinstance(part, str | Mapping)]


def _holds_tool_results(message: object) -> bool:
    return isinstance(message, Mapping) and bool(message.get("tool_responses"))


def only_asks(text: str) -> bool:
    """Whether all of its sentences are questions, also without their marks, as people type."""
    # Here and not above: an agent that recalls no messages needs no words of seven languages.
    from truekeep.language import language_of, sentences
    from truekeep.language.reading import read

    said = [*sentences(text)]
    language = language_of(said)
    return bool(said) and all(one.endswith(_MARKS) or read(one, language).is_question for one in said)


def is_mere_question(found: MemoryItem | Match) -> bool:
    """Whether it is the record of a question, which is the best match for a question and answers nothing."""
    return found.kind == "interaction" and only_asks(found.content)


def says_nothing(text: str) -> bool:
    """Whether there is nothing to recall for: it is empty, "ok", "great, thanks!", or a command such as "/compact"."""
    from truekeep.language import languages
    from truekeep.language.reading import read

    said = text.strip()
    if not said or _COMMAND.fullmatch(said):
        return True
    return len(said) <= _SHORT and any(read(said, language).length == 0 for language in languages().values())
