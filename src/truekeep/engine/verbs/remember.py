"""Remembering: the one gateway for everything that is said."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from truekeep.engine import hygiene
from truekeep.engine.decide import Rounds
from truekeep.engine.judge import judged_now
from truekeep.engine.parts import Parts
from truekeep.engine.plan import Plan, competes, saying
from truekeep.engine.statement import statement
from truekeep.engine.vectorise import vectors_of
from truekeep.errors import Conflict
from truekeep.model import Draft, MemoryItem, Remembered, SpaceId
from truekeep.ports import Answer, Change, Head, Sight

PROMPT = 64  # drafts whose vectors are made, and which are judged, while the caller waits
_NOTHING_KNOWN = Sight(Head(0, 0), {}, {}, {}, frozenset())


def remember(
    drafts: Sequence[Draft], *, parts: Parts, space: SpaceId, now: datetime, prompt: bool = False
) -> list[Remembered]:
    """Keep what the drafts say, all or nothing, and tell what changed. Drafts are admitted already.

    What they change without saying so is found afterwards: with `prompt`, or where a draft wants to be `judged` now,
    before this returns, unless they are many; else by the upkeep, as are their vectors.
    """
    drafts = [hygiene.cleaned(draft, parts.redact) for draft in drafts]
    if parts.writer is not None:
        drafts = [replace(draft, written_by=parts.writer) for draft in drafts]
    drafts = [replace(draft, quarantined=True) if hygiene.is_suspect(draft) else draft for draft in drafts]
    prompt = (prompt or any(draft.judged == "now" for draft in drafts)) and len(drafts) <= PROMPT
    batch, rounds = _Batch(drafts, parts, space, now, prompt=prompt), Rounds()
    try:
        while True:
            with rounds:
                plan = batch.decided(is_first=rounds.lost == 0)
                change = batch.change(plan)
                kept: Sequence[MemoryItem] = ()
                if change.puts:
                    charge = parts.charge()
                    kept = parts.store.apply(space, change, based_on=plan.seen, charge=charge, job=parts.job).items
                break
        if plan.new:
            parts.unfinished.add(space)
        results = batch.results(plan, kept)
        return judged_now(results, parts=parts, space=space, now=now) if prompt else results
    finally:
        parts.unfinished.claimed -= batch.claimed
        if prompt:
            parts.unfinished.add(space)  # whatever could not be judged is now the upkeep's


class _Batch:
    """What is said in one call, with what does not change however often it is decided about."""

    def __init__(self, drafts: Sequence[Draft], parts: Parts, space: SpaceId, now: datetime, *, prompt: bool) -> None:
        self._drafts = drafts
        self._statements = [statement(draft.content, draft.source.speaker) for draft in drafts]
        contents = dict.fromkeys(draft.content for draft in drafts) if prompt else ()
        self._made = {content: vectors_of(content, parts) for content in contents}  # of some None: they are made later
        self._parts = parts
        self._space = space
        self._now = now
        self._is_prompt = prompt
        self.claimed: set[str] = set()  # ids that its items were given: we judge them, not the upkeep

    def decided(self, *, is_first: bool) -> Plan:
        """What shall become of the drafts."""
        # Most single statements are new: the first decision assumes so, and the store says `Moved` when it is wrong.
        is_blind = is_first and len(self._drafts) == 1
        sight = _NOTHING_KNOWN if is_blind else self._look()
        plan = Plan(sight, self._drafts, self._now, barred=() if is_blind else self._barred())
        for draft, said in zip(self._drafts, self._statements, strict=True):
            plan.decide(draft, said)
        return plan

    def _look(self) -> Sight:
        said = zip(self._drafts, self._statements, strict=True)
        return self._parts.store.look(
            self._space,
            claims={(draft.key, draft.when or self._now) for draft in self._drafts if draft.key},
            # Equal records are told apart by nothing; only a tombstone could matter to one that is derived.
            sayings={saying(draft, text) for draft, text in said if draft.derived or competes(draft)},
            answers={draft.idempotency_key for draft in self._drafts if draft.idempotency_key},
        )

    def _barred(self) -> Collection[str]:
        speakers = {draft.source.speaker for draft in self._drafts if draft.derived and draft.source.speaker}
        return self._parts.store.barred(self._space.tenant, speakers) if speakers else ()

    def change(self, plan: Plan) -> Change:
        """The plan as it is applied, with the vectors of what is new, as far as they are made."""
        ready = {id: self._made.get(plan.item(id).content) for id in plan.new} if self._made else {}
        vectors = {id: made for id, made in ready.items() if made is not None}
        change = plan.change(self._parts.embedder.name, vectors)
        if self._is_prompt and change.puts:
            self.claimed.update(plan.new)
            self._parts.unfinished.claimed |= self.claimed
        return change

    def results(self, plan: Plan, items: Iterable[MemoryItem]) -> list[Remembered]:
        kept, results = {item.id: item for item in items}, []
        for result in plan.results:
            if isinstance(result, Answer):
                results.append(self._replayed(result, kept))
                continue
            superseded = tuple(kept.get(old.id, old) for old in result.superseded)
            item = kept.get(result.item.id, result.item)
            results.append(Remembered(item=item, outcome=result.outcome, superseded=superseded))
        return results

    def _replayed(self, answer: Answer, kept: Mapping[str, MemoryItem]) -> Remembered:
        ids = [answer.id, *answer.superseded]
        found = {item.id: item for item in self._parts.store.get(self._space, [id for id in ids if id not in kept])}
        found |= kept
        if answer.id not in found:
            raise Conflict("the memory that this idempotency_key made was erased in this moment; try again")
        superseded = tuple(found[id] for id in answer.superseded if id in found)
        return Remembered(item=found[answer.id], outcome=answer.outcome, superseded=superseded, replayed=True)
