"""Putting the questions of a set to a memory that was told all that the set says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import perf_counter

from truekeep.engine.admit import Limits
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import packed
from truekeep.memory import Memory, material
from truekeep.ports import Embedder

from .datasets import Conversation, Doc, Question
from .playback import UNDATED, Clock, memory_at, settle

CONTEXT_TOKENS = 1000
CONTEXT_ITEMS = 20
LEAST_MATCHES = 10  # all@10, NDCG@10 and MRR@10 look at so many, whatever else is asked for

_ROOM = Limits(content_bytes=16 * 1024 * 1024)  # sets of chats hold whole pasted files
_BATCH = 64

Tell = Callable[[int], None]  # how many more docs or questions are done


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one question. Ids are those of the set; docs that say the same count as the first of them."""

    conversation: str
    number: int
    question: str
    category: str
    evidence: tuple[str, ...]
    ranked: tuple[str, ...]  # what recall found, best first
    answerable: float
    context: tuple[str, ...]  # what `context` shows
    context_tokens: int
    ms: float  # wall time of the recall


class Asked:
    """A memory that knows one conversation."""

    def __init__(self, memory: Memory, clock: Clock, doc_of: dict[str, str], item_of: dict[str, str]) -> None:
        self._memory = memory
        self._clock = clock
        self._end = clock.now
        self._doc_of = doc_of  # the first doc that made the item
        self._item_of = item_of

    def ask(self, conversation: str, question: Question, limit: int) -> Row:
        self._clock.now = question.now or self._end
        begun = perf_counter()
        found = self._memory.recall(question.text, limit=limit)
        ms = (perf_counter() - begun) * 1000
        block, shown = packed(
            material(self._memory, question.text, limit=CONTEXT_ITEMS),
            template="default",
            max_tokens=CONTEXT_TOKENS,
            count_tokens=estimate,
        )
        evidence = [self._doc_of[self._item_of[id]] for id in question.evidence]
        return Row(
            conversation=conversation,
            number=question.number,
            question=question.text,
            category=question.category,
            evidence=tuple(dict.fromkeys(evidence)),
            ranked=tuple(self._doc_of[match.id] for match in found),
            answerable=found.answerable,
            context=tuple(doc for item, doc in self._doc_of.items() if item in shown),
            context_tokens=estimate(block),
            ms=round(ms, 3),
        )


def run(
    conversations: Sequence[Conversation],
    *,
    ks: Sequence[int],
    embedder: Embedder | str | None = None,
    tell: Tell = lambda done: None,
) -> Iterator[Row]:
    """One row a question. Every conversation has a memory of its own, in this process and nowhere else.

    Raises:
        EmbedderError: vectors could not be made; words alone would give figures that mean something else.
    """
    limit = max(*ks, LEAST_MATCHES)
    for conversation in conversations:
        clock = Clock()
        with memory_at(clock, embedder=embedder, limits=_ROOM) as memory:
            asked = _filled(memory, clock, conversation.docs, tell)
            for question in conversation.questions:
                yield asked.ask(conversation.id, question, limit)
                tell(1)


def work(conversations: Sequence[Conversation]) -> int:
    """How much `run` will tell of."""
    return sum(len(conversation.docs) + len(conversation.questions) for conversation in conversations)


def embedder_name(embedder: Embedder | str | None = None) -> str:
    """What gives meaning in a run with this setting."""
    with memory_at(Clock(), embedder=embedder) as memory:
        return memory.stats().embedder


def _filled(memory: Memory, clock: Clock, docs: Sequence[Doc], tell: Tell) -> Asked:
    doc_of: dict[str, str] = {}
    item_of: dict[str, str] = {}
    clock.now = min((doc.when for doc in docs if doc.when), default=UNDATED)
    for batch in _batches(docs):
        clock.now = max(clock.now, batch[0].when or clock.now)
        for doc, remembered in zip(batch, memory.remember_many(map(_arguments, batch)), strict=True):
            doc_of.setdefault(remembered.id, doc.id)
            item_of[doc.id] = remembered.id
        memory.flush()
        tell(len(batch))
    settle(memory)
    return Asked(memory, clock, doc_of, item_of)


def _batches(docs: Sequence[Doc]) -> Iterator[list[Doc]]:
    """What was said at the same time, in the order of the set."""
    for _, same_time in groupby(docs, key=lambda doc: doc.when):
        together = list(same_time)
        yield from (together[start : start + _BATCH] for start in range(0, len(together), _BATCH))


def _arguments(doc: Doc) -> dict[str, object]:
    """Those of `remember`. What was said in a session is the record of it, unless the set knows better."""
    return {
        "content": doc.text,
        "when": doc.when,
        "speaker": doc.speaker,
        "session": doc.session,
        "kind": doc.kind or ("interaction" if doc.session else None),
        "tags": doc.tags,
    }
