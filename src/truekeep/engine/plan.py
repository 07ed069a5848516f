"""Decisions about several drafts, in the order in which they were said."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from truekeep.errors import Conflict
from truekeep.model import Draft, MemoryItem
from truekeep.ports import Answer, Change, Saying, Sight

from .decide import RECORD, put_of, request_hash
from .ids import new_id
from .reconcile import Decision, reconcile
from .statement import statement

_SAME = 16  # items that say one thing that are compared
_BESIDE = 8  # claims on each side of one: several may have become true at the same time


def saying(draft: Draft, said: str) -> Saying:
    return Saying(said, draft.source.name, draft.source.speaker)


def competes(draft: Draft) -> bool:
    """Whether the same statement may be there already; a record of who said what never is."""
    return draft.kind != RECORD


class Plan:
    """Decisions about drafts in order, each seeing those before it."""

    def __init__(self, sight: Sight, drafts: Sequence[Draft], now: datetime, *, barred: Collection[str] = ()) -> None:
        self.seen = sight.head.seq  # what is decided here is based on that
        self._now = now
        self._barred = barred  # speakers who were erased: nothing is derived from what they say
        self._earliest = min((draft.when or now for draft in drafts), default=now)
        self._tombstoned = sight.tombstoned
        self._known: dict[str, MemoryItem] = {}
        for found in (*sight.by_key.values(), *sight.by_saying.values()):
            self._known.update((item.id, item) for item in found)
        self._claims = {key: Line(found) for key, found in sight.by_key.items()}
        self._same = {saying: [item.id for item in reversed(found)] for saying, found in sight.by_saying.items()}
        self._said = {  # statements of claims
            item.id: statement(item.content, item.speaker) for found in sight.by_key.values() for item in found
        }
        self.answers: dict[str, Answer] = dict(sight.answers)
        self._new_answers: dict[str, Answer] = {}
        self._puts: dict[str, bool] = {}  # id → derived, in the order of the decisions
        self._spoken: set[str] = set()  # ids of what the drafts themselves say
        self.new: dict[str, str] = {}  # id → statement
        self.results: list[Decision | Answer] = []

    def decide(self, draft: Draft, said: str) -> None:
        earlier = self.answers.get(draft.idempotency_key) if draft.idempotency_key else None
        if earlier is not None:
            if earlier.request != _request_of(draft):
                raise Conflict(f"idempotency_key {draft.idempotency_key!r} was used for another memory")
            self.results.append(earlier)
            return
        line = self._claims.get(draft.key) if draft.key else None
        claims = line.around(draft.when or self._now) if line else []
        decision = reconcile(
            draft,
            id=new_id(self._now),
            same=self._items(self._same_as(draft, said, claims)) if competes(draft) else [],
            claims=self._items(claims),
            now=self._now,
        )
        if draft.derived and (said in self._tombstoned or draft.source.speaker in self._barred):
            self.results.append(Decision(outcome="refused", item=decision.item))
            return
        self._note(decision, draft, said)
        if draft.idempotency_key:
            superseded = tuple(old.id for old in decision.superseded)
            answer = Answer(_request_of(draft), decision.item.id, decision.outcome, superseded)
            self.answers[draft.idempotency_key] = self._new_answers[draft.idempotency_key] = answer

    def _note(self, decision: Decision, draft: Draft, said: str) -> None:
        item = decision.item
        if item.id not in self._known:
            self.new[item.id] = said
            if competes(draft):
                for speaker in {item.speaker, None}:
                    self._same.setdefault(Saying(said, item.source.name, speaker), []).append(item.id)
            if item.key:
                self._said[item.id] = said
                self._claims.setdefault(item.key, Line())
        self._spoken.add(item.id)
        for changed in (item, *decision.superseded, *decision.bounded):
            self._known[changed.id] = changed
            if changed.key and changed.id in self._said:
                self._claims[changed.key].put(changed)
            self._puts.setdefault(changed.id, draft.derived and changed is item)
        for old in decision.superseded:
            if old.key in self._claims and old.until is not None and old.until <= self._earliest:
                self._claims[old.key].remove(old.id)  # over before anything that this batch speaks of
        self.results.append(decision)

    def _same_as(self, draft: Draft, said: str, claims: Sequence[str]) -> list[str]:
        """Items that say it: where many do, the latest, and those among the claims."""
        latest = self._same.get(saying(draft, said), [])[-_SAME:]
        return list(dict.fromkeys((*latest, *(id for id in claims if self._said[id] == said))))

    def _items(self, ids: Sequence[str]) -> list[MemoryItem]:
        return sorted((self._known[id] for id in ids), key=lambda item: item.when)

    def item(self, id: str) -> MemoryItem:
        return self._known[id]

    def change(self, embedder: str, vectors: dict[str, bytes]) -> Change:
        puts = [
            put_of(
                self._known[id],
                said=self.new.get(id),
                vectors=vectors.get(id),
                derived=derived,
                lifts=id in self._spoken,  # not for what is merely retired by another statement
            )
            for id, derived in self._puts.items()
        ]
        return Change(puts=puts, answers=self._new_answers, embedder=embedder)


def _request_of(draft: Draft) -> str:
    return request_hash(replace(draft, idempotency_key=None, written_by=None))  # another key of theirs may retry


class _Place(NamedTuple):
    when: datetime
    number: int  # as they came
    id: str


class Line:
    """The ids of claims with one key, in the order in which they became true.

    A batch may bring thousands under one key, a price or a position, and each is decided about in its turn. All that
    such a decision depends on are its neighbours in the line, so only those are looked at.
    """

    def __init__(self, claims: Iterable[MemoryItem] = ()) -> None:
        self._line: list[_Place] = []
        self._places: dict[str, _Place] = {}
        self._number = 0
        self._loose: set[str] = set()  # of those that do not end where the next one begins: they may hold at any time
        for claim in claims:
            self.put(claim)

    def put(self, claim: MemoryItem) -> None:
        """Give the claim its place, or another one when that changed."""
        place = self._places.get(claim.id)
        if place is None or place.when != claim.when:
            self.remove(claim.id)
            self._number += 1
            place = self._places[claim.id] = _Place(claim.when, self._number, claim.id)
            insort(self._line, place)
        after = self._behind(claim.when)
        ends_there = after < len(self._line) and claim.until == self._line[after].when
        if claim.until is None or (claim.is_current and not ends_there):
            self._loose.add(claim.id)
        else:
            self._loose.discard(claim.id)

    def remove(self, id: str) -> None:
        place = self._places.pop(id, None)
        if place is not None:
            del self._line[bisect_right(self._line, place) - 1]
            self._loose.discard(id)

    def around(self, when: datetime) -> list[str]:
        """The claims that matter to one that becomes true at this time, or, said now, behind all others."""
        at = self._behind(when)
        near = [*self._line[max(0, at - _BESIDE) : at + _BESIDE], *self._line[-_BESIDE:]]
        return list(dict.fromkeys([*(place.id for place in near), *self._loose]))

    def _behind(self, when: datetime) -> int:
        return bisect_right(self._line, when, key=lambda place: place.when)
