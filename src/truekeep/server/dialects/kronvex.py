"""The wire of Kronvex: the memory of an agent, which is a space. Agents need not be created beforehand."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Path, Query
from pydantic import AfterValidator
from starlette.responses import Response

from truekeep.engine import requests
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import packed
from truekeep.errors import NotFound, QuotaExceeded
from truekeep.server.desk import Caller
from truekeep.server.schemas import Id, IdempotencyKey, Name, NameOrNothing
from truekeep.server.serving import Routes

from . import in_their_words
from . import kronvex_shapes as shapes

AgentId = Annotated[Name, Path(description="the space; any text, nobody need create it"), AfterValidator(unquote)]
PROFILE = "kronvex.agent"  # the value that holds an agent's name and description
_NEVER = datetime(9998, 1, 1, tzinfo=UTC)
_DAY = 86_400  # seconds


@contextmanager
def _translated() -> Iterator[None]:
    """Errors in the words of this wire; its client tells a full memory by the words "memory limit"."""
    try:
        with in_their_words(
            space="agent_id",
            kind="memory_type",
            kinds="memory_type",
            session="session_id",
            ttl="ttl_days",
            min_similarity="threshold",
        ):
            yield
    except QuotaExceeded as error:
        if not str(error).startswith(("memories:", "bytes_per_space:")):
            raise
        raise QuotaExceeded(f"memory limit reached: {error}", error.retry_after, error.quota) from error


routes = Routes("/api/v1/agents", "Kronvex", space="agent_id", lenient=True, words=_translated)


@routes.get(
    "", scope="read", answer=list[shapes.KronvexAgentAnswer], described="Those that hold something, or were created."
)
def list_agents(caller: Caller) -> list[dict[str, Any]]:
    """Kronvex: list agents."""
    found = []
    for space in caller.spaces(limit=sys.maxsize):
        profile = caller.memory(space.name).value(PROFILE) if space.values else None
        found.append(shapes.agent(space.name, profile, space.items))
    return found


@routes.post(
    "",
    scope="write",
    answer=shapes.KronvexAgentAnswer,
    space=lambda given: given["body"].id,
    counts="write",
    status=201,
    described="Created; its id is new.",
)
def create_agent(caller: Caller, body: shapes.KronvexAgentBody) -> dict[str, Any]:
    """Kronvex: create an agent."""
    profile = caller.memory(body.id).set(PROFILE, {"name": body.name, "description": body.description or ""})
    return shapes.agent(body.id, profile, 0)


@routes.delete("/{agent_id}", scope="write", status=204, errors=(404,), described="All of it is gone.")
def delete_agent(caller: Caller, agent_id: AgentId) -> Response:
    """Kronvex: erase an agent."""
    memory = caller.memory(agent_id)
    values = memory.keys()
    if not memory.forget(everything=True).erased and not values:
        raise NotFound(f"no agent {agent_id!r}")
    return Response(status_code=204)


@routes.post(
    "/{agent_id}/remember",
    scope="write",
    answer=shapes.KronvexRememberedAnswer,
    counts="write",
    status=201,
    errors=(409,),
    described="Remembered.",
)
def remember(
    caller: Caller, agent_id: AgentId, body: shapes.KronvexRememberBody, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Kronvex: remember one thing."""
    kept = caller.memory(agent_id).remember(
        body.content,
        kind=body.memory_type or None,
        session=body.session_id or None,
        ttl=_ttl(body),
        pinned=bool(body.pinned),
        metadata=body.metadata,
        idempotency_key=idempotency_key,
        judged="now",
    )
    told = {
        "deduplicated": kept.outcome == "reinforced",
        "superseded": [old.id for old in kept.superseded],
        "outcome": kept.outcome,
    }
    return shapes.KronvexMemoryAnswer.of(kept.item, agent_id=agent_id) | told


def _ttl(body: shapes.KronvexRememberBody) -> float | None:
    """In seconds. What is pinned never expires on this wire."""
    if body.pinned:
        return None
    return body.ttl_seconds if body.ttl_days is None else body.ttl_days * _DAY


@routes.post(
    "/{agent_id}/recall", scope="read", answer=shapes.KronvexRecallAnswer, counts="recall", described="What was found."
)
def recall(caller: Caller, agent_id: AgentId, body: shapes.KronvexRecallBody) -> dict[str, Any]:
    """Kronvex: find what answers a query, the most confident first."""
    found = caller.memory(agent_id).recall(
        body.text,
        limit=body.count,
        min_similarity=0.0 if body.threshold is None else body.threshold,
        order="confidence",
        **body.filters,
    )
    memories = [shapes.KronvexFoundAnswer.of(match, agent_id=agent_id) for match in found]
    bare = [shapes.KronvexMemoryAnswer.of(match, agent_id=agent_id) for match in found]
    results = [shapes.KronvexResultAnswer.of(match, memory=one) for match, one in zip(found, bare, strict=True)]
    return {"query": body.text, "memories": memories, "results": results, "total_found": len(memories)}


@routes.post(
    "/{agent_id}/inject-context",
    scope="read",
    answer=shapes.KronvexContextAnswer,
    counts="recall",
    described="The block; empty when there is nothing to say.",
)
def inject_context(caller: Caller, agent_id: AgentId, body: shapes.KronvexContextBody) -> dict[str, Any]:
    """Kronvex: a block that is ready for a prompt."""
    engine = caller.engine(agent_id)
    # Their service is never silent: "general context" is asked of it.
    asked, filters = requests.context_query(
        body.text, engine.limits, limit=body.count, min_answerable=0.0, **body.filters
    )
    material = engine.material(asked, filters, limit=body.count)
    most = engine.limits.context_tokens  # this wire has no budget but the number of memories
    text, shown = packed(material, template="default", max_tokens=most, count_tokens=estimate)
    items = [entry.item for entry in (*material.entries, *material.lessons) if entry.item.id in shown]
    records = [shapes.KronvexMemoryAnswer.of(item, agent_id=agent_id) for item in items]
    memories = [{**record, "memory": record} for record in records]
    return {"context": text, "context_block": text, "memories_used": len(items), "memories": memories}


@routes.get("/{agent_id}/sessions", scope="read", answer=shapes.KronvexSessionsAnswer, described="Latest first.")
def sessions(caller: Caller, agent_id: AgentId) -> dict[str, Any]:
    """Kronvex: the conversations."""
    found = caller.memory(agent_id).sessions()
    return {"sessions": [shapes.KronvexSessionAnswer.of(session) for session in found]}


@routes.get("/{agent_id}/memories", scope="read", answer=shapes.KronvexMemoriesAnswer, described="Some of them.")
def memories(
    caller: Caller,
    agent_id: AgentId,
    limit: Annotated[int, Query(ge=1, le=1000, description="at most this many")] = 50,
    offset: Annotated[int, Query(ge=0, le=2**53, description="leave out so many")] = 0,
    session_id: Annotated[NameOrNothing | None, Query(description="said in this conversation")] = None,
    memory_type: Annotated[shapes.KindOrNothing | None, Query(description="of this type")] = None,
) -> dict[str, Any]:
    """Kronvex: list memories, newest first."""
    filters = shapes.filters(memory_type, session_id)
    found = caller.memory(agent_id).items(limit=limit, offset=offset, **filters)
    shown = [shapes.KronvexMemoryAnswer.of(item, agent_id=agent_id) for item in found]
    return {"memories": shown, "limit": limit, "offset": offset}


@routes.delete("/{agent_id}/memories", scope="write", answer=shapes.KronvexClearedAnswer, described="They are gone.")
def clear(caller: Caller, agent_id: AgentId) -> dict[str, Any]:
    """Kronvex: erase all memories of an agent."""
    receipt = caller.memory(agent_id).forget(before=_NEVER)  # but not the values: the agent stays
    return {"deleted": len(receipt.erased)}


@routes.delete("/{agent_id}/memories/{id}", scope="write", status=204, errors=(404,), described="It is gone.")
def delete_memory(caller: Caller, agent_id: AgentId, id: Id) -> Response:
    """Kronvex: erase one memory."""
    if not caller.memory(agent_id).forget(id).erased:
        raise NotFound(f"no memory {id!r} of the agent {agent_id!r}")
    return Response(status_code=204)
