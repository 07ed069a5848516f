"""Sets that judge extraction: conversations with the parts worth keeping marked, in two formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .lines import Fields, located
from .lines import read as read_lines

FILE = "extract.jsonl"
_ROLES = frozenset({"user", "assistant", "system", "tool"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message."""

    content: str
    role: str
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Durable:
    """What should be kept of a message: all of these parts of it."""

    kind: str
    must_contain: tuple[str, ...]
    message: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A conversation, and what should become of it."""

    id: str
    author: str | None = None
    theme: str | None = None
    messages: tuple[Line, ...]
    durable: tuple[Durable, ...] = ()
    transient: tuple[int, ...] = ()
    lessons: tuple[Durable, ...] = ()
    secrets: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    whole: bool = False  # every passage worth keeping is marked, from its beginning to its end


def read(data: Path) -> list[Chat]:
    """The conversations of a file, or of `extract.jsonl` in a folder. Raises InvalidInput."""
    return read_lines(located(data, FILE), chat)


def chat(line: Fields) -> Chat:
    """The conversation of a line: `messages` with what is durable and transient, or `m` with what to keep of it."""
    return _marked(line) if line.has("m") else _chat(line)


def _chat(line: Fields) -> Chat:
    messages = tuple(_message(message) for message in line.objects("messages"))
    if not messages:
        raise line.wrong("messages", "must hold a message at least")
    return Chat(
        id=line.text("id"),
        theme=line.name("theme", "domain"),
        messages=messages,
        durable=tuple(_durable(entry, entry.text("kind"), len(messages)) for entry in line.objects("durable")),
        transient=tuple(dict.fromkeys(line.numbers("transient", below=len(messages)))),
        lessons=tuple(_durable(entry, "lesson", len(messages)) for entry in line.objects("lessons")),
        secrets=line.texts("secrets"),
        forbidden=line.texts("forbidden"),
    )


def _marked(line: Fields) -> Chat:
    messages = tuple(
        _line(message.text("speaker"), message.any_text("text")) for message in line.rows("m", "speaker", "text")
    )
    durable = tuple(
        Durable(
            kind=entry.text("kind"),
            must_contain=(entry.text("passage"),),
            message=entry.number("message", below=len(messages)),
        )
        for entry in line.rows("keep", "message", "passage", "kind")
    )
    return Chat(
        id=f"line {line.line}",
        author=line.name("author"),
        messages=messages,
        durable=durable,
        transient=tuple(place for place in range(len(messages)) if place not in {entry.message for entry in durable}),
        whole=True,
    )


def _line(speaker: str, content: str) -> Line:
    """Who is no role of a conversation is somebody by that name."""
    return (
        Line(content=content, role=speaker) if speaker in _ROLES else Line(content=content, role="user", name=speaker)
    )


def _message(message: Fields) -> Line:
    return Line(content=message.any_text("content"), role=message.text("role"), name=message.name("name"))


def _durable(entry: Fields, kind: str, messages: int) -> Durable:
    needed = entry.texts("must_contain")
    if not needed:
        raise entry.wrong("must_contain", "must hold a text at least")
    return Durable(kind=kind, must_contain=needed, message=entry.number("message", below=messages))
