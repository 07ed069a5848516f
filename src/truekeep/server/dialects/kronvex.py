"""The wire of Kronvex: the memory of an agent, which is a space. Agents need not be created beforehand."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Annotated
from urllib.parse import unquote
from uuid import uuid4

from fastapi import APIRouter, Path, Query, Request
from pydantic import AfterValidator
from starlette.responses import Response

from truekeep.engine import requests
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import packed
from truekeep.errors import NotFound, QuotaExceeded
from truekeep.server.bodies import read
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import Id, IdempotencyKey, documented, reply
from truekeep.server.fields import Name, NameOrNothing
from truekeep.server.serving import route

from . import kronvex_shapes as shapes
from .common import in_their_words

router = APIRouter(prefix="/api/v1/agents", tags=["Kronvex"])
_route = partial(route, space="agent_id", lenient=True)

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


@_route(
    router.get,
    "",
    "Kronvex: list agents",
    list[shapes.KronvexAgentAnswer],
    scope="read",
    described="Those that hold something, or were created.",
)
def list_agents(caller: Caller) -> Response:
    found = []
    for space in caller.spaces(limit=sys.maxsize):
        profile = caller.memory(space.name).value(PROFILE) if space.values else None
        found.append(shapes.agent(space.name, profile, space.items))
    return reply(found)


@router.post(
    "",
    **documented(
        "Kronvex: create an agent",
        shapes.KronvexAgentAnswer,
        body=[shapes.KronvexAgentBody],
        status=201,
        errors=(429,),
        described="Created; its id is new.",
    ),
)
async def create_agent(request: Request) -> Response:
    body = await read(request, shapes.KronvexAgentBody)
    id = str(uuid4())

    def work(caller: Caller) -> Response:
        with _translated():
            profile = caller.memory(id).set(PROFILE, {"name": body.name, "description": body.description or ""})
        return reply(shapes.agent(id, profile, 0), 201)

    return await desk_of(request).serve(request, work, scope="write", space=id, counts="write")


@_route(
    router.delete,
    "/{agent_id}",
    "Kronvex: erase an agent",
    None,
    scope="write",
    status=204,
    errors=(404,),
    described="All of it is gone.",
)
def delete_agent(caller: Caller, agent_id: AgentId) -> Response:
    with _translated():
        memory = caller.memory(agent_id)
        values = memory.keys()
        if not memory.forget(everything=True).erased and not values:
            raise NotFound(f"no agent {agent_id!r}")
    return Response(status_code=204)


@_route(
    router.post,
    "/{agent_id}/remember",
    "Kronvex: remember one thing",
    shapes.KronvexRememberedAnswer,
    scope="write",
    counts="write",
    status=201,
    errors=(409,),
    described="Remembered.",
)
def remember(
    caller: Caller, agent_id: AgentId, body: shapes.KronvexRememberBody, idempotency_key: IdempotencyKey = None
) -> Response:
    with _translated():
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
    return reply(shapes.KronvexMemoryAnswer.of(kept.item, agent_id=agent_id) | told, 201)


def _ttl(body: shapes.KronvexRememberBody) -> float | None:
    """In seconds. What is pinned never expires on this wire."""
    if body.pinned:
        return None
    return body.ttl_seconds if body.ttl_days is None else body.ttl_days * _DAY


@_route(
    router.post,
    "/{agent_id}/recall",
    "Kronvex: find what answers a query, the most confident first",
    shapes.KronvexRecallAnswer,
    scope="read",
    counts="recall",
    described="What was found.",
)
def recall(caller: Caller, agent_id: AgentId, body: shapes.KronvexRecallBody) -> Response:
    with _translated():
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
    return reply({"query": body.text, "memories": memories, "results": results, "total_found": len(memories)})


@_route(
    router.post,
    "/{agent_id}/inject-context",
    "Kronvex: a block that is ready for a prompt",
    shapes.KronvexContextAnswer,
    scope="read",
    counts="recall",
    described="The block; empty when there is nothing to say.",
)
def inject_context(caller: Caller, agent_id: AgentId, body: shapes.KronvexContextBody) -> Response:
    with _translated():
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
    return reply({"context": text, "context_block": text, "memories_used": len(items), "memories": memories})


@_route(
    router.get,
    "/{agent_id}/sessions",
    "Kronvex: the conversations",
    shapes.KronvexSessionsAnswer,
    scope="read",
    described="Latest first.",
)
def sessions(caller: Caller, agent_id: AgentId) -> Response:
    with _translated():
        found = caller.memory(agent_id).sessions()
    return reply({"sessions": [shapes.KronvexSessionAnswer.of(session) for session in found]})


@_route(
    router.get,
    "/{agent_id}/memories",
    "Kronvex: list memories, newest first",
    shapes.KronvexMemoriesAnswer,
    scope="read",
    described="Some of them.",
)
def memories(
    caller: Caller,
    agent_id: AgentId,
    limit: Annotated[int, Query(ge=1, le=1000, description="at most this many")] = 50,
    offset: Annotated[int, Query(ge=0, le=2**53, description="leave out so many")] = 0,
    session_id: Annotated[NameOrNothing | None, Query(description="said in this conversation")] = None,
    memory_type: Annotated[shapes.KindOrNothing | None, Query(description="of this type")] = None,
) -> Response:
    filters = shapes.filters(memory_type, session_id)
    with _translated():
        found = caller.memory(agent_id).items(limit=limit, offset=offset, **filters)
    shown = [shapes.KronvexMemoryAnswer.of(item, agent_id=agent_id) for item in found]
    return reply({"memories": shown, "limit": limit, "offset": offset})


@_route(
    router.delete,
    "/{agent_id}/memories",
    "Kronvex: erase all memories of an agent",
    shapes.KronvexClearedAnswer,
    scope="write",
    described="They are gone.",
)
def clear(caller: Caller, agent_id: AgentId) -> Response:
    with _translated():
        receipt = caller.memory(agent_id).forget(before=_NEVER)  # but not the values: the agent stays
    return reply({"deleted": len(receipt.erased)})


@_route(
    router.delete,
    "/{agent_id}/memories/{id}",
    "Kronvex: erase one memory",
    None,
    scope="write",
    status=204,
    errors=(404,),
    described="It is gone.",
)
def delete_memory(caller: Caller, agent_id: AgentId, id: Id) -> Response:
    with _translated():
        if not caller.memory(agent_id).forget(id).erased:
            raise NotFound(f"no memory {id!r} of the agent {agent_id!r}")
    return Response(status_code=204)
