"""What the model is asked: a conversation, cut to size, as data; and why it could not answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from truekeep.extractors.prose import own_words
from truekeep.model import Message


class Failing(Exception):
    """The reason, in words that quote neither the key nor the conversation nor the answer.

    Args:
        passing: another try may help.
        wait: seconds that the endpoint asks for before it.
        tires: the endpoint is out of order, and better left alone for a while.
        may_cost: the provider may charge for it all the same.
    """

    def __init__(
        self, reason: str, *, passing: bool = False, wait: float = 0.0, tires: bool = False, may_cost: bool = False
    ) -> None:
        super().__init__(reason)
        self.passing = passing
        self.wait = wait
        self.tires = tires
        self.may_cost = may_cost


KINDS = ("preference", "decision", "fact", "lesson", "context")
UNHEARD = frozenset({"system", "developer", "tool", "function"})  # instructions and noise, nobody's own words
RUN_UP = 6  # messages that were read before and are shown again, for what follows to be understood

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "message": {"type": "integer"},
                    "quote": {"type": "string"},
                    "content": {"type": "string"},
                    "kind": {"type": "string", "enum": list(KINDS)},
                },
                "required": ["message", "quote", "content", "kind"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["items"],
    "additionalProperties": False,
}


class Line(NamedTuple):
    """A message, or a piece of a long one, as the model is shown it."""

    place: int
    text: str
    message: Message
    is_settled: bool


class Question(NamedTuple):
    system: str
    system_with_schema: str  # for endpoints that cannot be held to a schema
    user: str
    schema: Mapping[str, Any]

    @property
    def bytes(self) -> int:
        return len(self.system_with_schema.encode()) + len(self.user.encode())


def lines_of(
    messages: Sequence[Message], settled: Collection[int], *, read_tools: bool, chunk_bytes: int
) -> list[Line]:
    """What is to be read, in order: own words only, and of what was read before just the run-up."""
    places = [place for place, message in enumerate(messages) if read_tools or not _is_unheard(message)]
    first = next((number for number, place in enumerate(places) if place not in settled), len(places))
    shown = [place for place in places[max(0, first - RUN_UP) :] if first < len(places)]
    return [
        Line(place, text, messages[place], place in settled)
        for place in shown
        for text in _pieces(own_words(messages[place].content), chunk_bytes)
    ]


def chunks(lines: Sequence[Line], chunk_bytes: int) -> Iterator[list[Line]]:
    """The lines in portions of about that size; portions that hold nothing new are left out."""
    chunk: list[Line] = []
    size = 0
    for line in lines:
        weight = len(_rendered(line).encode())
        if chunk and size + weight > chunk_bytes:
            yield from _worth_asking(chunk)
            chunk, size = [], 0
        chunk.append(line)
        size += weight
    yield from _worth_asking(chunk)


def question(chunk: Sequence[Line]) -> Question:
    return Question(
        system=_prompt("extract"),
        system_with_schema=f"{_prompt('extract')}\n{_prompt('schema')}{json.dumps(SCHEMA)}",
        user="[\n" + ",\n".join(map(_rendered, chunk)) + "\n]",
        schema=SCHEMA,
    )


def _worth_asking(chunk: list[Line]) -> Iterator[list[Line]]:
    if any(not line.is_settled for line in chunk):
        yield chunk


def _is_unheard(message: Message) -> bool:
    return (message.role or "").lower() in UNHEARD


def _rendered(line: Line) -> str:
    message = line.message
    shown: dict[str, Any] = {"message": line.place, "role": message.role, "speaker": message.speaker}
    shown["when"] = message.when.isoformat(timespec="minutes") if message.when else None
    shown = {name: value for name, value in shown.items() if value is not None}
    if line.is_settled:
        shown["read_before"] = True
    return json.dumps({**shown, "text": line.text}, ensure_ascii=False)


def _pieces(text: str, chunk_bytes: int) -> Iterator[str]:
    """The text, cut at white space where it is longer than a whole portion may be."""
    size = max(200, chunk_bytes // 4)  # characters have up to four bytes
    while len(text) > size:
        cut = max(text.rfind(" ", size // 2, size), text.rfind("\n", size // 2, size))
        cut = size if cut < 0 else cut
        if piece := text[:cut].strip():
            yield piece
        text = text[cut:]
    if text.strip():
        yield text.strip()


@cache
def _prompt(name: str) -> str:
    return (files(__package__) / "prompts" / f"{name}.md").read_text(encoding="utf-8")
