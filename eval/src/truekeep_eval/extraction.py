"""Giving conversations to `extract`, and judging what was kept and what should not have been."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from truekeep.memory import Memory
from truekeep.model import MemoryItem
from truekeep.ports import Embedder, Extractor, Judge

from . import stored
from .chats import Chat, Durable, Line
from .findings import Finding, Judged, Measure
from .matching import holds, normal, overlaps
from .playback import Clock, memory_at

FORMAT = "truekeep-extraction"
MEASURES = {
    "recall": Measure(True, 0.80),
    "precision": Measure(True, 0.85),
    "kind": Measure(True),
    "lessons": Measure(True, 0.85),
    "transient leak": Measure(False, 0.03),
    "secrets": Measure(False, 0),
    "forbidden": Measure(False, 0),
    "kept of nothing": Measure(False),
    "conversations": Measure(),
}
_ALL = 1000


class Kept(NamedTuple):
    """One memory that was made of a message."""

    message: int | None  # None: it names none
    kind: str
    content: str

    def __str__(self) -> str:
        return f"{self.kind} {self.content!r}"


def run(
    chats: Iterable[Chat],
    *,
    embedder: Embedder | str | None = None,
    extractor: Extractor | str | None = None,
    judge: Judge | str | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> Iterator[Judged]:
    """One verdict a conversation. Each has a memory of its own, in this process and nowhere else.

    Args:
        chats: the conversations.
        embedder: what gives meaning; default: the local model.
        extractor: what reads the conversations; default: rules.
        judge: what rules ask about a sentence; default: the learned judge of the package.
        tell: is told of each conversation that is done.
    """
    for chat in chats:
        with memory_at(Clock(), embedder=embedder, extractor=extractor, judge=judge) as memory:
            memory.extract([_message(line) for line in chat.messages], session=chat.id)
            memory.flush()
            yield _judged(chat, memory)
        tell(1)


def _message(line: Line) -> dict[str, str | None]:
    return {"role": line.role, "name": line.name, "content": line.content}


def _judged(chat: Chat, memory: Memory) -> Judged:
    items = memory.items(limit=_ALL, include_superseded=True)
    kept = [_kept(item) for item in sorted(items, key=lambda item: item.seq)]
    found = [*_wanted(chat, kept), *_unwanted(chat, kept, memory)]
    leaks = ("transient leak", "secrets", "forbidden")
    passed = not any(one.hit if one.measure in leaks else one.measure == "recall" and not one.hit for one in found)
    return Judged(id=chat.id, author=chat.author, findings=(*found, Finding("conversations", passed, chat.id)))


def _kept(item: MemoryItem) -> Kept:
    named = item.source.message
    return Kept(int(named) if named is not None and named.isdecimal() else None, item.kind, item.content)


def _wanted(chat: Chat, kept: Sequence[Kept]) -> Iterator[Finding]:
    """What should be kept: whether it was, and under its kind."""
    for entry in chat.durable:
        fitting = _fitting(entry, kept, chat)
        beside = ", ".join(str(one) for one in kept if one.message == entry.message) or "nothing"
        about = f"message {entry.message}: {entry.kind} {list(entry.must_contain)}; kept: {beside}"
        yield Finding("recall", bool(fitting), about, entry.kind)
        if fitting:
            yield Finding("kind", any(one.kind == entry.kind for one in fitting), about, entry.kind)
    for entry in chat.lessons:
        is_lesson = any(one.kind == "lesson" for one in _fitting(entry, kept, chat))
        yield Finding("lessons", is_lesson, f"message {entry.message}: {list(entry.must_contain)}")


def _unwanted(chat: Chat, kept: Sequence[Kept], memory: Memory) -> Iterator[Finding]:
    """What should not be kept: whether it was."""
    for one in kept:
        wanted = [entry for entry in chat.durable if entry.message == one.message]
        is_false = one.message in chat.transient or (
            chat.whole and not any(_fits(one, entry, chat) for entry in wanted)
        )
        if is_false or wanted or chat.whole:  # else the set says nothing about its message
            yield Finding("precision", not is_false, f"message {one.message}: {one}", one.kind)
    for place in chat.transient:
        yield Finding("transient leak", any(one.message == place for one in kept), f"message {place}")
    for text, leaked in _among(chat.secrets, stored.everything(memory)).items():
        yield Finding("secrets", leaked, repr(text))
    for text, leaked in _among(chat.forbidden, stored.memories(memory)).items():
        yield Finding("forbidden", leaked, repr(text))
    if not chat.durable:
        yield Finding("kept of nothing", bool(kept), ", ".join(map(str, kept)))


def _fitting(entry: Durable, kept: Sequence[Kept], chat: Chat) -> list[Kept]:
    return [one for one in kept if one.message == entry.message and _fits(one, entry, chat)]


def _fits(kept: Kept, entry: Durable, chat: Chat) -> bool:
    """Whether it is what should be kept; where passages are marked as a whole, one of their sentences is enough."""
    return all((overlaps if chat.whole else holds)(kept.content, text) for text in entry.must_contain)


def _among(sought: Sequence[str], texts: Iterator[str]) -> dict[str, bool]:
    """Which of them stand in any of the texts."""
    known = [normal(text) for text in texts] if sought else []
    return {text: any(normal(text) in one for one in known) for text in sought}
