"""A memory as a few plain dicts: what `model_machine` holds the real one against.

It knows statements by number rather than by reading text: every variant of "item 3 is red" states number 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from truekeep.model import JSON

VARIANTS = ("Item {} is red", "  ITEM {} is red.", "The item {} is really red!", "item\t{}  is\nred", "Item {} is red.")


class Said(NamedTuple):
    """The arguments of a remember."""

    number: int
    variant: int = 0
    derived: bool = False  # extracted rather than said
    kind: str | None = None
    tags: tuple[str, ...] = ()
    key: str | None = None
    ttl: int | None = None
    pinned: bool = False
    when: datetime | None = None
    idempotency_key: str | None = None

    @property
    def content(self) -> str:
        return VARIANTS[self.variant].format(self.number)

    def arguments(self) -> dict[str, Any]:
        rest = {name: value for name, value in self._asdict().items() if name not in ("number", "variant", "derived")}
        return {"content": self.content, **rest}

    def request(self) -> tuple[object, ...]:
        """What makes a retry the same request."""
        return self.content, self.kind, self.tags, self.key, self.ttl, self.pinned, self.when


@dataclass(slots=True, kw_only=True)
class PlainItem:
    id: str
    number: int
    content: str
    kind: str
    tags: tuple[str, ...]
    key: str | None
    pinned: bool
    when: datetime
    created: datetime
    until: datetime | None = None
    is_current: bool = True
    superseded_by: str | None = None
    expires: datetime | None = None
    version: int = 1
    reinforced: int = 0
    numbers: set[int] = field(default_factory=set)  # all that it ever stated

    def is_true_at(self, moment: datetime) -> bool:
        return self.when <= moment and (self.until is None or moment < self.until)

    def is_planned(self, now: datetime) -> bool:
        return self.when > max(now, self.created)


class PlainMemory:
    """What a memory must hold after the same calls; `id` and outcome of the real one are told to it and checked."""

    def __init__(self) -> None:
        self.items: dict[str, PlainItem] = {}
        self.values: dict[str, tuple[JSON, datetime | None]] = {}
        self.answers: dict[str, tuple[tuple[object, ...], str]] = {}
        self.forgotten: set[int] = set()  # statements that only an explicit remember may bring back

    # Reading

    def current(self, now: datetime) -> set[str]:
        return {id for id, item in self.items.items() if item.is_current and (item.until is None or now < item.until)}

    def true_at(self, moment: datetime) -> set[str]:
        return {id for id, item in self.items.items() if item.is_true_at(moment)}

    # Saying

    def conflicts(self, said: Said) -> bool:
        answer = self.answers.get(said.idempotency_key or "")
        return answer is not None and answer[0] != said.request()

    def say(self, said: Said, id: str, outcome: str, replayed: bool, now: datetime) -> None:
        """Check what the real memory answered, and do the same here."""
        answer = self.answers.get(said.idempotency_key or "")
        if answer is not None:
            assert replayed
            assert answer[1] == id
            return
        assert not replayed
        same = self._same(said, now)
        if same:
            assert outcome == "reinforced"
            assert id in same
            self._reinforce(self.items[id], said, now)
        else:
            assert id not in self.items
            assert outcome == self._add(said, id, now)
        self._lift(said.number)
        if said.idempotency_key:
            self.answers[said.idempotency_key] = said.request(), id

    def _same(self, said: Said, now: datetime) -> set[str]:
        """Items that the same said again would reinforce."""
        return {
            id
            for id in self.current(now)
            if (item := self.items[id]).number == said.number
            and "interaction" not in (said.kind, item.kind)
            and said.kind in (None, item.kind)
            and said.key in (None, item.key)
            and not self._held_another(said, item)
            and (not item.is_planned(now) or (said.when or now) > now)
        }

    def _held_another(self, said: Said, item: PlainItem) -> bool:
        """Whether the draft reaches back into a time in which another claim held the item's place."""
        if said.key is None or said.when is None or said.when >= item.when:
            return False
        return any(other.key == said.key and other.when < item.when for other in self.items.values())

    def _reinforce(self, item: PlainItem, said: Said, now: datetime) -> None:
        item.reinforced += 1
        item.tags += tuple(tag for tag in said.tags if tag not in item.tags)
        item.pinned |= said.pinned
        if said.when is not None and said.key == item.key:
            item.when = min(item.when, said.when)
        if item.expires is not None and not (said.derived and said.ttl is None):
            item.expires = max(item.expires, now + timedelta(seconds=said.ttl)) if said.ttl else None

    def _add(self, said: Said, id: str, now: datetime) -> str:
        item = PlainItem(
            id=id,
            number=said.number,
            content=said.content,
            kind=said.kind or "fact",
            tags=said.tags,
            key=said.key,
            pinned=said.pinned,
            when=said.when or now,
            created=now,
            expires=now + timedelta(seconds=said.ttl) if said.ttl else None,
            numbers={said.number},
        )
        line = [other for other in self.items.values() if said.key is not None and other.key == said.key]
        present = max((now, *(other.created for other in line)))
        if said.when is None:
            item.when = max((now, *(other.when for other in line if other.when <= present)))
        self.items[id] = item
        return self._place(item, line, present)

    def _place(self, item: PlainItem, line: list[PlainItem], present: datetime) -> str:
        """Take its place in the line of claims: whoever was true at that time ends there; a plan retires nobody yet."""
        later = [other for other in line if other.when > item.when]
        displaced = [other for other in line if other.is_true_at(item.when)]
        retired = [other for other in displaced if not other.when < item.when > present]
        for other in displaced:
            _end(other, item, retire=other in retired)
        if later:
            first = min(later, key=lambda other: (other.when, other.until is None, other.until or other.when))
            _end(item, first, retire=first.when <= present)
            if first.when <= present:
                return "added"
        return "superseded" if retired else "added"

    # Changing and ending

    def correct(self, id: str, number: int, content: str, tags: tuple[str, ...] | None) -> None:
        item = self.items[id]
        item.number, item.content, item.version = number, content, item.version + 1
        item.tags = item.tags if tags is None else tags
        item.numbers.add(number)
        self._lift(number)

    def _lift(self, number: int) -> None:
        self.forgotten.discard(number)

    def forget(self, ids: Iterable[str], *, tombstones: bool) -> None:
        for id in list(ids):
            item = self.items.pop(id)
            if tombstones:
                self.forgotten |= item.numbers
            self.answers = {key: answer for key, answer in self.answers.items() if answer[1] != id}
            for other in self.items.values():
                if other.superseded_by == id:
                    other.superseded_by = None

    def forget_everything(self) -> None:
        self.__init__()  # type: ignore[misc]  # a fresh one

    def expire(self, now: datetime) -> list[str]:
        """Let time pass; the keys of the values that it ended."""
        gone = {id: item for id, item in self.items.items() if item.expires and item.expires <= now}
        for item in self.items.values():
            if item.superseded_by in gone:
                self._reopen(item, gone)
        self.forget(gone, tombstones=False)
        over = [key for key, (_, expires) in self.values.items() if expires and expires <= now]
        for key in over:
            del self.values[key]
        return over

    def _reopen(self, item: PlainItem, gone: dict[str, PlainItem]) -> None:
        """As if those that are gone had never taken its place."""
        last = gone[item.superseded_by or ""]
        while last.superseded_by in gone:
            last = gone[last.superseded_by]
        item.superseded_by, item.is_current, item.until = last.superseded_by, last.is_current, last.until
        if last.superseded_by is not None:
            item.until = self.items[last.superseded_by].when


def _end(item: PlainItem, by: PlainItem, *, retire: bool) -> None:
    item.until = by.when
    if retire:
        item.superseded_by, item.is_current = by.id, False
