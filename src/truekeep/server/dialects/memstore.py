"""The wire of Memstore: one pool of memories for each key, which is the space `default`."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.routing import APIRoute
from pydantic import Field, JsonValue, WithJsonSchema
from starlette.responses import Response

from truekeep.engine import requests
from truekeep.errors import NotFound
from truekeep.server import problems
from truekeep.server.desk import Caller
from truekeep.server.openapi import answer
from truekeep.server.schemas import Content, Id, IdempotencyKey, Limit, Name, Seconds, Tags, example
from truekeep.server.serving import Routes

from . import DEFAULT_SPACE, ForeignAnswer, ForeignBody, in_their_words

_ERRORS = {"urn:truekeep:quota-exceeded": "ops_limit_reached"}  # the one name that its clients may know


class _Route(APIRoute):
    """Problems as everywhere, which also carry `error` and `message`: that is where this wire looks for them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_errors_too(request: Request) -> Response:
            try:
                return await handle(request)
            except problems.TOLD as error:
                return _in_its_shape(problems.of_error(error))

        return handle_errors_too


def _in_its_shape(problem: Response) -> Response:
    document = json.loads(bytes(problem.body))
    name = _ERRORS.get(document["type"], document["type"].rpartition(":")[2].replace("-", "_"))
    more = {"error": name, "message": document["detail"]}
    headers = {field: value for field, value in problem.headers.items() if field != "content-length"}
    return Response(json.dumps(document | more), problem.status_code, headers)


routes = Routes("/v1/memory", "Memstore", space=lambda _: DEFAULT_SPACE, lenient=True, route_class=_Route)

# How long it may be is up to the head of a request: see `connections.HEAD_BYTES`.
Question = Annotated[str, WithJsonSchema({"type": "string", "pattern": r"^[^\x00]*[^\s\x00\x1c-\x1f][^\x00]*$"})]
SeparatedTags = Annotated[
    list[str], WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]})
]
Session = Annotated[Name | None, Query(description="said in this conversation")]


class MemstoreRememberBody(
    ForeignBody,
    json_schema_extra=example({"content": "Alice likes short answers", "tags": ["user:alice", "preference"]}),
):
    """One thing to remember."""

    content: Content
    tags: Tags | None = None
    session: Name | None = None
    metadata: dict[str, JsonValue] | None = None
    ttl: Seconds | None = Field(None, description="seconds after which it is gone for good")


class MemstoreMemoryAnswer(ForeignAnswer):
    id: str
    content: str
    session: Annotated[str | None, "source.session"]
    metadata: dict[str, JsonValue]
    tags: list[str]
    created_at: Annotated[datetime, "created"]


class MemstoreFoundAnswer(MemstoreMemoryAnswer):
    score: float = Field(description="what the order follows, 0 to 1")
    similarity: float = Field(description="what `threshold` is about, 0 to 1")


MemstoreRecallAnswer = answer("MemstoreRecallAnswer", memories=[MemstoreFoundAnswer], count=int, query=str)
MemstoreListAnswer = answer(
    "MemstoreListAnswer",
    memories=[MemstoreMemoryAnswer],
    total=(int, Field(description="on all pages together")),
)
MemstoreForgottenAnswer = answer("MemstoreForgottenAnswer", deleted=bool, id=str)


@routes.post(
    "/remember",
    scope="write",
    answer=MemstoreMemoryAnswer,
    counts="write",
    status=201,
    errors=(409,),
    described="Remembered.",
)
def remember(caller: Caller, body: MemstoreRememberBody, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
    """Memstore: remember one thing."""
    kept = caller.memory(DEFAULT_SPACE).remember(
        body.content,
        tags=body.tags or (),
        session=body.session,
        metadata=body.metadata,
        ttl=body.ttl,
        idempotency_key=idempotency_key,
    )
    return MemstoreMemoryAnswer.of(kept.item)


@routes.get("/recall", scope="read", answer=MemstoreRecallAnswer, counts="recall", described="What was found.")
def recall(
    caller: Caller,
    q: Annotated[Question, Query(description="a question, or a topic")],
    limit: Annotated[Limit | None, Query(description="at most this many; default: 5")] = None,
    top_k: Annotated[Limit | None, Query(description="the same as limit, which goes first")] = None,
    tags: Annotated[SeparatedTags | None, Query(description="all of these; repeated, or separated by commas")] = None,
    session: Session = None,
    threshold: Annotated[float, Query(ge=0, le=1, description="leave out what is less similar")] = 0.0,
) -> dict[str, Any]:
    """Memstore: find what answers a query, best first."""
    with in_their_words(query="q", min_similarity="threshold"):
        found = caller.memory(DEFAULT_SPACE).recall(
            q, limit=limit or top_k or 5, tags=_separated(tags), session=session, min_similarity=threshold
        )
    memories = [MemstoreFoundAnswer.of(match, score=min(match.score, 1.0)) for match in found.matches]
    return {"memories": memories, "count": len(memories), "query": q}


@routes.get("/list", scope="read", answer=MemstoreListAnswer, described="Some of them.")
def list_memories(
    caller: Caller,
    session: Session = None,
    limit: Annotated[Limit, Query(description="at most this many")] = 20,
    offset: Annotated[int, Query(ge=0, le=2**53, description="leave out so many")] = 0,
) -> dict[str, Any]:
    """Memstore: list memories, newest first."""
    memory, engine = caller.memory(DEFAULT_SPACE), caller.engine(DEFAULT_SPACE)
    items = memory.items(limit=limit, offset=offset, session=session)
    total = engine.count(requests.filters(engine.limits, session=session))
    return {"memories": [MemstoreMemoryAnswer.of(item) for item in items], "total": total}


@routes.delete("/forget/{id}", scope="write", answer=MemstoreForgottenAnswer, errors=(404,), described="It is gone.")
def forget(caller: Caller, id: Id) -> dict[str, Any]:
    """Memstore: forget one memory for good."""
    if not caller.memory(DEFAULT_SPACE).forget(id).erased:
        raise NotFound(f"no memory {id!r}")
    return {"deleted": True, "id": id}


def _separated(tags: list[str] | None) -> list[str] | None:
    return None if tags is None else [tag.strip() for one in tags for tag in one.split(",") if tag.strip()]
