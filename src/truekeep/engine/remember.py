"""Remembering: the one gateway for everything that is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from truekeep.errors import Conflict
from truekeep.model import Draft, MemoryItem, Remembered, SpaceId
from truekeep.ports import Answer, Applied, Head, Sight

from . import hygiene
from .believe import beliefs, is_judged
from .decide import decide
from .neighbours import Neighbourhood, neighbourhood
from .overtaken import Look, judged_again
from .parts import Parts
from .plan import JUDGED, Plan, competes, saying
from .statement import statement
from .vectorise import vectors_of

_NOTHING_KNOWN = Sight(Head(0, 0), {}, {}, {}, frozenset())


def remember(
    drafts: Sequence[Draft], *, parts: Parts, space: SpaceId, now: datetime, prompt: bool = False
) -> list[Remembered]:
    """Keep what the drafts say, all or nothing, and tell what changed. Drafts are admitted already.

    With `prompt` their vectors are made at once, unless they are many; by default only that of a single one.
    """
    drafts = [hygiene.cleaned(draft, parts.redact) for draft in drafts]
    drafts = [replace(draft, quarantined=True) if hygiene.is_suspect(draft) else draft for draft in drafts]
    contents = dict.fromkeys(draft.content for draft in drafts) if len(drafts) <= (JUDGED if prompt else 1) else ()
    batch = _Batch(
        drafts=drafts,
        statements=[statement(draft.content, draft.source.speaker) for draft in drafts],
        made={content: vectors_of(content, parts.embedder) for content in contents},
        parts=parts,
        space=space,
        now=now,
    )
    return decide(batch.attempt)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What is said in one call, with what does not change however often it is decided about."""

    drafts: Sequence[Draft]
    statements: Sequence[str]
    made: Mapping[str, bytes | None]  # content → vectors; of some None: they are made later
    parts: Parts
    space: SpaceId
    now: datetime

    def attempt(self, number: int) -> list[Remembered]:
        """Look, decide and apply. Raises Moved when somebody else was faster."""
        near = self._near()
        alone = beliefs(self.drafts[0], near.items[0], now=self.now) if len(self.drafts) == 1 else None
        # Most single statements are new: the first decision assumes so, and the store says `Moved` when it is wrong.
        is_blind = number == 0 and alone == []
        sight = _NOTHING_KNOWN if is_blind else self._look()
        plan = Plan(sight, self.drafts, self.now)
        for draft, said, items in zip(self.drafts, self.statements, near.items, strict=True):
            plan.decide(draft, said, plan.judged(draft, items) if alone is None else alone)
        vectors = self._ready(plan)
        change = plan.change(self.parts.embedder.name, vectors)
        if not change.puts:
            return self._results(plan, {})
        # The neighbours were read before the rest: whatever changed since then counts.
        based_on = sight.head.seq if near.seq is None else min(near.seq, sight.head.seq)
        applied = self.parts.writes.apply(self.space, change, based_on=based_on)
        if plan.new.keys() - vectors.keys():
            self.parts.unfinished.add(self.space)
        results = self._results(plan, {item.id: item for item in applied.items})
        if near.seq is None or not _was_overtaken(applied, near.seq):
            return results
        look = Look(near.seq, {*plan.new, *near.ids}, self.parts, self.space, self.now)
        return [
            judged_again(draft, one, self.made.get(draft.content), look)
            for draft, one in zip(self.drafts, results, strict=True)
        ]

    def _near(self) -> Neighbourhood:
        judged = [is_judged(draft) for draft in self.drafts]
        if len(self.drafts) > JUDGED or not any(judged):
            return Neighbourhood(None, [()] * len(self.drafts))
        sought = [
            (draft, self.made.get(draft.content)) if is_one else None
            for draft, is_one in zip(self.drafts, judged, strict=True)
        ]
        return neighbourhood(sought, parts=self.parts, space=self.space, now=self.now)

    def _look(self) -> Sight:
        said = zip(self.drafts, self.statements, strict=True)
        return self.parts.store.look(
            self.space,
            claims={(draft.key, draft.when or self.now) for draft in self.drafts if draft.key},
            # Equal records are told apart by nothing; only a tombstone could matter to one that is derived.
            sayings={saying(draft, text) for draft, text in said if draft.derived or competes(draft)},
            answers={draft.idempotency_key for draft in self.drafts if draft.idempotency_key},
        )

    def _ready(self, plan: Plan) -> dict[str, bytes]:
        """The vectors of what is new, as far as they are made."""
        ready = {id: self.made.get(plan.item(id).content) for id in plan.new} if self.made else {}
        return {id: vectors for id, vectors in ready.items() if vectors is not None}

    def _results(self, plan: Plan, kept: Mapping[str, MemoryItem]) -> list[Remembered]:
        results = []
        for result in plan.results:
            if isinstance(result, Answer):
                results.append(self._replayed(result, kept))
                continue
            superseded = tuple(kept.get(old.id, old) for old in result.superseded)
            suspected = tuple(kept.get(old.id, old) for old in result.suspected)
            item = kept.get(result.item.id, result.item)
            results.append(Remembered(item=item, outcome=result.outcome, superseded=superseded, suspected=suspected))
        return results

    def _replayed(self, answer: Answer, kept: Mapping[str, MemoryItem]) -> Remembered:
        ids = [answer.id, *answer.superseded]
        found = {item.id: item for item in self.parts.store.get(self.space, [id for id in ids if id not in kept])}
        found |= kept
        if answer.id not in found:
            raise Conflict("the memory that this idempotency_key made was erased in this moment; try again")
        superseded = tuple(found[id] for id in answer.superseded if id in found)
        return Remembered(item=found[answer.id], outcome=answer.outcome, superseded=superseded, replayed=True)


def _was_overtaken(applied: Applied, seen: int) -> bool:
    """Whether somebody else wrote between the look and the write."""
    return applied.head.seq - len(applied.items) > seen
