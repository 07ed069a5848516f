"""The wire of 0Latency: what agents learn from their conversations. An agent is a space; without one, `default`."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Path
from pydantic import AfterValidator

from truekeep.engine import admit, requests
from truekeep.engine.parts import Parts
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import packed
from truekeep.engine.verbs.extract import kind_of
from truekeep.errors import InvalidInput
from truekeep.memory import Memory
from truekeep.model import ROLE_TRUST, Job, Match, MemoryItem, Message, Recall
from truekeep.server.desk import Caller
from truekeep.server.schemas import IdempotencyKey, Name
from truekeep.server.serving import Arguments, Routes

from . import DEFAULT_SPACE, in_their_words
from . import zerolatency_shapes as shapes

routes = Routes("", "0Latency", lenient=True)

JobId = Annotated[Name, Path(description="what an extraction answered"), AfterValidator(unquote)]
_BUDGET = 4000  # tokens, where the caller names none: that of the vendor's own wrappers
_SMALLEST = 12  # tokens of a short memory in the text: a budget has room for so many and no more
_STATES = {"waiting": "accepted", "running": "processing", "done": "complete", "failed": "failed"}
_CATEGORIES = {"conversation": "interaction"}


def _space(given: Arguments) -> str:
    return given["body"].agent_id or DEFAULT_SPACE


@routes.post(
    "/memories/seed",
    scope="write",
    answer=shapes.ZeroLatencySeededAnswer,
    space=_space,
    counts="write",
    large=True,
    status=201,
    errors=(409,),
    described="Stored; a conversation is read for what is durable in the background.",
)
def seed(caller: Caller, body: shapes.ZeroLatencySeedBody, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
    """0Latency: store a memory, a conversation, or facts."""
    space = body.agent_id or DEFAULT_SPACE
    with in_their_words(space="agent_id", messages="content"):
        memory = caller.memory(space)
        drafts, conversation = _seeded(body, caller.desk.opened.parts)
    if idempotency_key is not None:
        once = admit.name(idempotency_key, "idempotency_key", caller.desk.opened.limits)
        drafts = [draft | {"idempotency_key": f"{once}:{place}"} for place, draft in enumerate(drafts)]
    with in_their_words(**_places(body, len(drafts))):
        items = [kept.item for kept in memory.remember_many(drafts)]
    job_id = _extracting(memory, conversation, idempotency_key).id if conversation else None
    ids = [item.id for item in items]
    records = [_told(shapes.ZeroLatencyMemoryAnswer, item, space) for item in items]
    told = {"memories_stored": len(ids), "memory_ids": ids, "memories": records, "job_id": job_id}
    return {"status": "stored", "agent_id": space, **told}


def _seeded(body: shapes.ZeroLatencySeedBody, parts: Parts) -> tuple[list[dict[str, Any]], str | None]:
    """What to remember, and the conversation that is to be read for more."""
    drafts = [_fact(fact, body.metadata) for fact in body.facts or ()]
    if body.content is None:
        if not drafts:
            raise InvalidInput("content", "is missing; send a statement, a transcript, or facts")
        return drafts, None
    messages = [message for message in requests.messages(body.content, parts.limits) if message.content]
    if sum(bool(message.speaker or message.role) for message in messages) < 2:  # one voice: a statement
        kind = kind_of(body.content, parts)  # this wire has none: a decision or a failed attempt is told by its words
        return [*drafts, {"content": body.content, "kind": kind, "metadata": body.metadata}], None
    said = [_said(message, body.metadata) for message in messages]
    return [*drafts, *said], body.content


def _places(body: shapes.ZeroLatencySeedBody, count: int) -> dict[str, str]:
    """Where the caller wrote what we remember as one of many."""
    facts = len(body.facts or ())
    contents = [f"facts[{place}].text" if place < facts else "content" for place in range(count)]
    return {f"items[{place}].content": theirs for place, theirs in enumerate(contents)}


def _said(message: Message, metadata: dict[str, Any] | None) -> dict[str, Any]:
    """One turn of a conversation: whoever adds one wants it kept, not only what is made of it."""
    return {
        "content": message.content,
        "kind": "interaction",
        "speaker": message.speaker,
        "source": {"role": message.role, "trust": ROLE_TRUST.get(message.role or "", "unknown")},
        "metadata": metadata,
    }


def _fact(fact: shapes.ZeroLatencyFact, metadata: dict[str, Any] | None) -> dict[str, Any]:
    """The category is a kind where it can be one, and is kept as it was said in any case."""
    told = {"category": fact.category, "importance": fact.importance}
    given = {name: value for name, value in told.items() if value is not None}
    return {"content": fact.text, "kind": _kind_of(fact.category), "metadata": {**(metadata or {}), **given}}


def _kind_of(category: str | None) -> str | None:
    if category is None:
        return None
    try:
        return _CATEGORIES.get(category.lower()) or admit.kind(category.lower())
    except InvalidInput:
        return None


def _extracting(memory: Memory, conversation: Any, idempotency_key: str | None) -> Job:
    job = memory.extract(conversation, wait=False, idempotency_key=idempotency_key).job
    assert job is not None  # an extraction that nobody waits for is a job
    return job


_extract = partial(
    routes.post,
    scope="write",
    answer=shapes.ZeroLatencyJobAnswer,
    space=_space,
    counts="write",
    lenient=False,
    large=True,
    status=202,
    errors=(409,),
    described="A job does it.",
)


@_extract("/v1/extract")
@_extract("/memories/extract")
def extract(
    caller: Caller, body: shapes.ZeroLatencyExtractBody, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """0Latency: keep what is durable in a conversation."""
    space = body.agent_id or DEFAULT_SPACE
    with in_their_words(space="agent_id", messages=body.argument):
        job = _extracting(caller.memory(space), body.said, idempotency_key)
    return _job(job)


@routes.get("/memories/extract/{job_id}", scope="read", answer=shapes.ZeroLatencyJobAnswer, errors=(404,))
def extract_status(caller: Caller, job_id: JobId) -> dict[str, Any]:
    """0Latency: how far an extraction is."""
    return _job(caller.job(job_id))


def _job(job: Job) -> dict[str, Any]:
    kept: Any = job.result.get("remembered", ())
    ids = [one["id"] for one in kept]
    return shapes.ZeroLatencyJobAnswer.of(job, status=_STATES[job.state], memories_stored=len(ids), memory_ids=ids)


_recall = partial(
    routes.post,
    scope="read",
    answer=shapes.ZeroLatencyRecallAnswer,
    space=_space,
    counts="recall",
    lenient=False,
    described="What was found; empty where nothing is known.",
)


@_recall("/v1/recall")
@_recall("/recall")
def recall(caller: Caller, body: shapes.ZeroLatencyRecallBody) -> dict[str, Any]:
    """0Latency: what matters for a query, as memories and as a text for a prompt."""
    space = body.agent_id or DEFAULT_SPACE
    with in_their_words(space="agent_id", query=body.argument):
        engine = caller.engine(space)
        budget = _BUDGET if body.budget is None else body.budget
        limit = _room(budget, engine.limits.results) if body.limit is None else body.limit
        asked = requests.query(body.text, engine.limits, limit=limit, min_similarity=0.0, order="best")
    found = engine.recall(asked)
    material = engine.material(asked, asked.filters, limit=limit, found=found)
    text, shown = packed(material, template="default", max_tokens=budget, count_tokens=estimate)
    wanted = [match for match in found if body.limit is not None or match.id in shown]
    return _recalled(space, found, wanted, text, shown)


def _room(budget: int, most: int) -> int:
    """How many memories a text of so many tokens can hold."""
    return max(10, min(budget // _SMALLEST, most))


def _recalled(space: str, found: Recall, wanted: list[Match], text: str, shown: frozenset[str]) -> dict[str, Any]:
    lessons = {match.id: match for match in (*wanted, *found.lessons) if match.kind == "lesson"}
    return {
        "agent_id": space,
        "memories": [_told(shapes.ZeroLatencyFoundAnswer, match, space) for match in wanted],
        "avoid": [_told(shapes.ZeroLatencyFoundAnswer, match, space) for match in lessons.values()],
        "text": text,
        "context_block": text,
        "memories_used": len(shown),
        "memory_ids": sorted(shown),
        "tokens_used": estimate(text),
        "answerable": found.answerable,
    }


def _told(answer: type[shapes.ZeroLatencyMemoryAnswer], found: Match | MemoryItem, space: str) -> dict[str, Any]:
    return answer.of(found, agent_id=space, avoid=found.kind == "lesson")
