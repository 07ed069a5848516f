"""Giving conversations to `extract`, and judging what was kept and what should not have been."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from truekeep.memory import Memory
from truekeep.model import MemoryItem
from truekeep.ports import Embedder, Extractor

from . import stored
from .chats import Chat, Durable, Line
from .matching import holds, normal, overlaps
from .playback import Clock, memory_at

_ALL = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One memory that was made of a message."""

    message: int | None  # None: it names none
    kind: str
    content: str
    is_scored: bool  # out of a message that the set says something about
    is_false: bool  # out of a message of which nothing should be kept, or of no passage that should


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """Something that should be kept: whether it was, and whether under its kind."""

    kind: str
    message: int
    must_contain: tuple[str, ...]
    is_found: bool
    has_kind: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of one conversation."""

    id: str
    kept: tuple[Kept, ...]
    durable: tuple[Sought, ...]
    lessons: tuple[Sought, ...]
    transient: Mapping[int, bool]  # messages of which nothing should be kept, each with whether something was
    secrets: Mapping[str, bool]  # each with whether it was stored
    forbidden: Mapping[str, bool]

    @property
    def passed(self) -> bool:
        """All that should be kept was, and nothing that should not."""
        leaks = (*self.transient.values(), *self.secrets.values(), *self.forbidden.values())
        return all(entry.is_found for entry in self.durable) and not any(leaks)


def run(
    chats: Iterable[Chat],
    *,
    embedder: Embedder | str | None = None,
    extractor: Extractor | str | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> Iterator[Judged]:
    """One verdict a conversation. Each has a memory of its own, in this process and nowhere else.

    Args:
        chats: the conversations.
        embedder: what gives meaning; default: the local model.
        extractor: what reads the conversations; default: rules.
        tell: is told of each conversation that is done.
    """
    for chat in chats:
        with memory_at(Clock(), embedder=embedder, extractor=extractor) as memory:
            memory.extract([_message(line) for line in chat.messages], session=chat.id)
            memory.flush()
            yield _judged(chat, memory)
        tell(1)


def _message(line: Line) -> dict[str, str | None]:
    return {"role": line.role, "name": line.name, "content": line.content}


def _judged(chat: Chat, memory: Memory) -> Judged:
    items = memory.items(limit=_ALL, include_superseded=True)
    kept = tuple(_kept(item, chat) for item in sorted(items, key=lambda item: item.seq))
    sources = {one.message for one in kept}
    return Judged(
        id=chat.id,
        kept=kept,
        durable=tuple(_sought(entry, kept, chat) for entry in chat.durable),
        lessons=tuple(_sought(entry, kept, chat) for entry in chat.lessons),
        transient={place: place in sources for place in chat.transient},
        secrets=_among(chat.secrets, stored.everything(memory)),
        forbidden=_among(chat.forbidden, stored.memories(memory)),
    )


def _kept(item: MemoryItem, chat: Chat) -> Kept:
    named = item.source.message
    message = int(named) if named is not None and named.isdecimal() else None
    wanted = [entry for entry in chat.durable if entry.message == message]
    beside = chat.whole and not any(_fits(item.content, entry, chat) for entry in wanted)
    return Kept(
        message=message,
        kind=item.kind,
        content=item.content,
        is_scored=chat.whole or bool(wanted) or message in chat.transient,
        is_false=beside or message in chat.transient,
    )


def _fits(content: str, entry: Durable, chat: Chat) -> bool:
    """Whether it is what should be kept; where passages are marked as a whole, one of their sentences is enough."""
    return all((overlaps if chat.whole else holds)(content, text) for text in entry.must_contain)


def _sought(entry: Durable, kept: Sequence[Kept], chat: Chat) -> Sought:
    fitting = [one for one in kept if one.message == entry.message and _fits(one.content, entry, chat)]
    return Sought(
        kind=entry.kind,
        message=entry.message,
        must_contain=entry.must_contain,
        is_found=bool(fitting),
        has_kind=any(one.kind == entry.kind for one in fitting),
    )


def _among(sought: Sequence[str], texts: Iterator[str]) -> dict[str, bool]:
    """Which of them stand in any of the texts."""
    known = [normal(text) for text in texts] if sought else []
    return {text: any(normal(text) in one for one in known) for text in sought}
