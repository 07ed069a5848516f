"""Remembering: the one gateway for everything that is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from truekeep.errors import Conflict, EmbedderError, StoreError
from truekeep.model import Draft, MemoryItem, Remembered, SpaceId
from truekeep.ports import Answer, Applied, Change, Head, Moved, Saying, Sight

from . import hygiene
from .believe import Near, beliefs, is_judged
from .ids import new_id
from .line import Line
from .neighbours import neighbours, read
from .overtaken import Look, judged_again
from .parts import Parts
from .putting import RECORD, put_of
from .reconcile import Decision, reconcile
from .retries import request_hash
from .statement import statement
from .vectorise import vectors_of

_NOTHING_KNOWN = Sight(Head(0, 0), {}, {}, {}, frozenset())
JUDGED = 64  # drafts: a larger batch is taken as it is, but for equal statements and claim keys
_SAME = 16  # items that say one thing that are compared
_MAX_TRIES = 1000  # somebody else must win each round for us to lose it: only a broken store gets here


def remember(
    drafts: Sequence[Draft], *, parts: Parts, space: SpaceId, now: datetime, prompt: bool = False
) -> list[Remembered]:
    """Keep what the drafts say, all or nothing, and tell what changed. Drafts are admitted already.

    With `prompt` their vectors are made at once, unless they are many; by default only that of a single one.
    """
    drafts = [hygiene.cleaned(draft, parts.redact) for draft in drafts]
    drafts = [replace(draft, quarantined=True) if hygiene.is_suspect(draft) else draft for draft in drafts]
    statements = [statement(draft.content, draft.source.speaker) for draft in drafts]
    made: dict[str, bytes | None] = {}
    if len(drafts) <= (JUDGED if prompt else 1):
        _embed([draft.content for draft in drafts], parts, made)
    judges = len(drafts) <= JUDGED and any(map(is_judged, drafts))
    for attempt in range(_MAX_TRIES):
        seen = parts.store.head(space).seq if judges else 0
        found = _found_near(drafts, made, parts, space, now)
        # Most single statements are new: the first decision assumes so, and the store says `Moved` when it is wrong.
        blind = attempt == 0 and len(drafts) == 1 and not _changes_beliefs(drafts[0], found[0], parts, space, now)
        sight = _NOTHING_KNOWN if blind else _look(drafts, statements, parts, space, now)
        plan = _Plan(sight, drafts, now)
        for draft, said, ids in zip(drafts, statements, found, strict=True):
            plan.decide(draft, said, () if blind or not ids else read(ids, parts=parts, space=space))
        vectors = _ready(plan, made)
        change = plan.change(parts.embedder.name, vectors)
        if not change.puts:
            return _results(plan, {}, parts, space)
        try:
            applied = parts.store.apply(space, change, based_on=sight.head.seq)
        except Moved:
            continue
        if plan.new.keys() - vectors.keys():
            parts.unfinished.add(space)
        results = _results(plan, {item.id: item for item in applied.items}, parts, space)
        if not judges or not _was_overtaken(applied, seen):
            return results
        known = {*plan.new, *(id for ids in found for id in ids)}
        look = Look(seen, known, parts, space, now)
        return [
            judged_again(draft, one, made.get(draft.content), look) for draft, one in zip(drafts, results, strict=True)
        ]
    raise StoreError(f"gave up after {_MAX_TRIES} rounds: others keep changing the same memory", retryable=True)


def _look(drafts: Sequence[Draft], statements: Sequence[str], parts: Parts, space: SpaceId, now: datetime) -> Sight:
    return parts.store.look(
        space,
        claims={(draft.key, draft.when or now) for draft in drafts if draft.key},
        # Equal records are told apart by nothing; only a tombstone could matter to one that is derived.
        sayings={
            _saying(draft, said)
            for draft, said in zip(drafts, statements, strict=True)
            if draft.derived or _competes(draft)
        },
        answers={draft.idempotency_key for draft in drafts if draft.idempotency_key},
    )


def _found_near(
    drafts: Sequence[Draft], made: Mapping[str, bytes | None], parts: Parts, space: SpaceId, now: datetime
) -> list[dict[str, float | None]]:
    """For each draft the ids of items that it may change."""
    if len(drafts) > JUDGED:
        return [{}] * len(drafts)
    return [
        neighbours(draft, made.get(draft.content), parts=parts, space=space, now=now) if is_judged(draft) else {}
        for draft in drafts
    ]


def _changes_beliefs(draft: Draft, near: dict[str, float | None], parts: Parts, space: SpaceId, now: datetime) -> bool:
    return bool(near) and bool(beliefs(draft, read(near, parts=parts, space=space), now=now))


def _was_overtaken(applied: Applied, seen: int) -> bool:
    """Whether somebody else wrote between the look and the write."""
    return applied.head.seq - len(applied.items) > seen


def _saying(draft: Draft, said: str) -> Saying:
    return Saying(said, draft.source.name, draft.source.speaker)


def _competes(draft: Draft) -> bool:
    """Whether the same statement may be there already; a record of who said what never is."""
    return draft.kind != RECORD


class _Plan:
    """Decisions about drafts in order, each seeing those before it."""

    def __init__(self, sight: Sight, drafts: Sequence[Draft], now: datetime) -> None:
        self._now = now
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
        self._judges = len(drafts) <= JUDGED
        self.new: dict[str, str] = {}  # id → statement
        self.results: list[Decision | Answer] = []

    def decide(self, draft: Draft, said: str, near: Sequence[Near]) -> None:
        earlier = self.answers.get(draft.idempotency_key) if draft.idempotency_key else None
        if earlier is not None:
            if earlier.request != _request_hash(draft):
                raise Conflict(f"idempotency_key {draft.idempotency_key!r} was used for another memory")
            self.results.append(earlier)
            return
        line = self._claims.get(draft.key) if draft.key else None
        claims = line.around(draft.when or self._now) if line else []
        decision = reconcile(
            draft,
            id=new_id(self._now),
            same=self._items(self._same_as(draft, said, claims)) if _competes(draft) else [],
            claims=self._items(claims),
            beliefs=beliefs(draft, self._near(near), now=self._now) if is_judged(draft) else (),
            now=self._now,
        )
        if draft.derived and said in self._tombstoned:
            self.results.append(Decision(outcome="refused", item=decision.item))
            return
        self._note(decision, draft, said)
        if draft.idempotency_key:
            superseded = tuple(old.id for old in decision.superseded)
            answer = Answer(_request_hash(draft), decision.item.id, decision.outcome, superseded)
            self.answers[draft.idempotency_key] = self._new_answers[draft.idempotency_key] = answer

    def _note(self, decision: Decision, draft: Draft, said: str) -> None:
        item, said_as = decision.item, decision.wording or decision.item
        if said_as.id not in self._known:
            self.new[said_as.id] = said
            if _competes(draft):
                for speaker in {said_as.speaker, None}:
                    self._same.setdefault(Saying(said, said_as.source.name, speaker), []).append(said_as.id)
            if said_as.key:
                self._said[said_as.id] = said
                self._claims.setdefault(said_as.key, Line())
        self._spoken.add(said_as.id)
        for changed in (item, *decision.superseded, *decision.suspected, *decision.bounded, said_as):
            self._known[changed.id] = changed
            if changed.key and changed.id in self._said:
                self._claims[changed.key].put(changed)
            self._puts.setdefault(changed.id, draft.derived and changed is said_as)
        for old in decision.superseded:
            if old.key in self._claims and old.until is not None and old.until <= self._earliest:
                self._claims[old.key].remove(old.id)  # over before anything that this batch speaks of
        self.results.append(decision)

    def _near(self, near: Sequence[Near]) -> list[Near]:
        """The items as the drafts before this one leave them, and what those drafts said."""
        known = [Near(self._known.get(item.id, item), similarity) for item, similarity in near]
        return known + [Near(self._known[id], None) for id in self.new] if self._judges else known

    def _same_as(self, draft: Draft, said: str, claims: Sequence[str]) -> list[str]:
        """Items that say it: where many do, the latest, and those among the claims."""
        latest = self._same.get(_saying(draft, said), [])[-_SAME:]
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


def _embed(contents: Sequence[str], parts: Parts, made: dict[str, bytes | None]) -> None:
    """Make vectors; an embedder that fails leaves them pending and never stops the write."""
    for content in dict.fromkeys(contents):
        try:
            made[content] = vectors_of(content, parts.embedder)
        except EmbedderError:  # counted and logged by the guard
            made[content] = None


def _ready(plan: _Plan, made: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """The vectors of what is new, as far as they are made."""
    ready = {id: made.get(plan.item(id).content) for id in plan.new}
    return {id: vectors for id, vectors in ready.items() if vectors is not None}


def _results(plan: _Plan, kept: dict[str, MemoryItem], parts: Parts, space: SpaceId) -> list[Remembered]:
    results = []
    for result in plan.results:
        if isinstance(result, Answer):
            results.append(_replayed(result, kept, parts, space))
            continue
        superseded = tuple(kept.get(old.id, old) for old in result.superseded)
        suspected = tuple(kept.get(old.id, old) for old in result.suspected)
        item = kept.get(result.item.id, result.item)
        results.append(Remembered(item=item, outcome=result.outcome, superseded=superseded, suspected=suspected))
    return results


def _replayed(answer: Answer, kept: dict[str, MemoryItem], parts: Parts, space: SpaceId) -> Remembered:
    ids = [answer.id, *answer.superseded]
    found = {item.id: item for item in parts.store.get(space, [id for id in ids if id not in kept])} | kept
    if answer.id not in found:
        raise Conflict("the memory that this idempotency_key made was erased in this moment; try again")
    superseded = tuple(found[id] for id in answer.superseded if id in found)
    return Remembered(item=found[answer.id], outcome=answer.outcome, superseded=superseded, replayed=True)


def _request_hash(draft: Draft) -> str:
    return request_hash(replace(draft, idempotency_key=None))
