"""Remembering: the one gateway for everything that is said."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from truekeep.engine import hygiene
from truekeep.engine.decide import decide
from truekeep.engine.judge import judged_now
from truekeep.engine.parts import Parts
from truekeep.engine.plan import Plan, competes, saying
from truekeep.engine.statement import statement
from truekeep.engine.vectorise import vectors_of
from truekeep.errors import Conflict
from truekeep.model import Draft, MemoryItem, Remembered, SpaceId
from truekeep.ports import Answer, Head, Sight

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
    contents = dict.fromkeys(draft.content for draft in drafts) if prompt else ()
    batch = _Batch(
        drafts=drafts,
        statements=[statement(draft.content, draft.source.speaker) for draft in drafts],
        made={content: vectors_of(content, parts) for content in contents},
        parts=parts,
        space=space,
        now=now,
        prompt=prompt,
    )
    if not prompt:
        return decide(batch.attempt)
    try:
        return judged_now(decide(batch.attempt), parts=parts, space=space, now=now)
    finally:
        parts.unfinished.claimed -= batch.ids
        parts.unfinished.add(space)  # whatever could not be judged is now the upkeep's


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What is said in one call, with what does not change however often it is decided about."""

    drafts: Sequence[Draft]
    statements: Sequence[str]
    made: Mapping[str, bytes | None]  # content → vectors; of some None: they are made later
    parts: Parts
    space: SpaceId
    now: datetime
    prompt: bool
    ids: set[str] = field(default_factory=set)  # that its items were given

    def attempt(self, number: int) -> list[Remembered]:
        """Look, decide and apply. Raises Moved when somebody else was faster."""
        # Most single statements are new: the first decision assumes so, and the store says `Moved` when it is wrong.
        is_blind = number == 0 and len(self.drafts) == 1
        sight = _NOTHING_KNOWN if is_blind else self._look()
        plan = Plan(sight, self.drafts, self.now, barred=() if is_blind else self._barred())
        for draft, said in zip(self.drafts, self.statements, strict=True):
            plan.decide(draft, said)
        vectors = self._ready(plan)
        change = plan.change(self.parts.embedder.name, vectors)
        if not change.puts:
            return self._results(plan, {})
        if self.prompt:  # the upkeep shall leave them to us
            self.ids.update(plan.new)
            self.parts.unfinished.claimed |= self.ids
        applied = self.parts.store.apply(
            self.space, change, based_on=sight.head.seq, charge=self.parts.charge(), job=self.parts.job
        )
        if plan.new:
            self.parts.unfinished.add(self.space)
        return self._results(plan, {item.id: item for item in applied.items})

    def _look(self) -> Sight:
        said = zip(self.drafts, self.statements, strict=True)
        return self.parts.store.look(
            self.space,
            claims={(draft.key, draft.when or self.now) for draft in self.drafts if draft.key},
            # Equal records are told apart by nothing; only a tombstone could matter to one that is derived.
            sayings={saying(draft, text) for draft, text in said if draft.derived or competes(draft)},
            answers={draft.idempotency_key for draft in self.drafts if draft.idempotency_key},
        )

    def _barred(self) -> Collection[str]:
        speakers = {draft.source.speaker for draft in self.drafts if draft.derived and draft.source.speaker}
        return self.parts.store.barred(self.space.tenant, speakers) if speakers else ()

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
            item = kept.get(result.item.id, result.item)
            results.append(Remembered(item=item, outcome=result.outcome, superseded=superseded))
        return results

    def _replayed(self, answer: Answer, kept: Mapping[str, MemoryItem]) -> Remembered:
        ids = [answer.id, *answer.superseded]
        found = {item.id: item for item in self.parts.store.get(self.space, [id for id in ids if id not in kept])}
        found |= kept
        if answer.id not in found:
            raise Conflict("the memory that this idempotency_key made was erased in this moment; try again")
        superseded = tuple(found[id] for id in answer.superseded if id in found)
        return Remembered(item=found[answer.id], outcome=answer.outcome, superseded=superseded, replayed=True)
