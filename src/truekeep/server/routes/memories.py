"""Memories: remembering, listing, reading, correcting, forgetting; and what waits for somebody who knows."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from truekeep import model, wire
from truekeep.errors import NotFound
from truekeep.server import answers, schemas
from truekeep.server.desk import Caller
from truekeep.server.fields import Id, IdempotencyKey, Limit, SpaceName
from truekeep.server.serving import Routes

routes = Routes("/v1/spaces/{space}", "memories")
doubts = Routes("/v1/spaces/{space}", "review")


@routes.post(
    "/memories",
    scope="write",
    answer=answers.of(model.Remembered) | answers.RememberedManyAnswer,
    counts="write",
    large=True,
    status=201,
    errors=(409,),
    described="Remembered: it survives a power cut, and the next recall can find it.",
)
def remember(
    caller: Caller, space: SpaceName, body: schemas.OneOrMany, idempotency_key: IdempotencyKey = None
) -> model.Remembered | dict[str, Any]:
    """Remember one thing, or several in one transaction."""
    memory = caller.memory(space)
    if isinstance(body, schemas.RememberBody):
        given = body.arguments()
        if idempotency_key is not None:
            given.setdefault("idempotency_key", idempotency_key)
        return memory.remember(**given)
    several = body.items if isinstance(body, schemas.RememberManyBody) else body.root
    kept = memory.remember_many([_numbered(item, number, idempotency_key) for number, item in enumerate(several)])
    return {"remembered": [wire.record(one) for one in kept]}


def _numbered(item: schemas.RememberBody | str, number: int, key: str | None) -> dict[str, Any]:
    """One of a batch. Their keys follow from that of the request, so a retry finds all of them again."""
    given = {"content": item} if isinstance(item, str) else item.arguments()
    if key is not None:
        given.setdefault("idempotency_key", f"{key}:{number}")
    return given


@routes.get("/memories", scope="read", described="A page of them.")
def list_memories(caller: Caller, space: SpaceName, asked: Annotated[schemas.ListQuery, Query()]) -> model.Page:
    """List memories, newest first."""
    memory = caller.memory(space)
    if asked.offset is not None:
        found = memory.items(limit=asked.limit, offset=asked.offset, **asked.filters())
        return model.Page(items=tuple(found))
    return memory.page(limit=asked.limit, cursor=asked.cursor, **asked.filters())


@routes.get("/memories/{id}", scope="read", errors=(404,))
def read_memory(caller: Caller, space: SpaceName, id: Id) -> model.MemoryItem:
    """Read one memory."""
    return caller.memory(space).item(id)


@routes.patch("/memories/{id}", scope="write", counts="write", errors=(404, 409), described="As it is now.")
def correct(
    caller: Caller, space: SpaceName, id: Id, body: schemas.CorrectBody, idempotency_key: IdempotencyKey = None
) -> model.MemoryItem:
    """Correct one memory."""
    return caller.memory(space).correct(id, **body.given(), idempotency_key=idempotency_key)


@routes.delete("/memories/{id}", scope="write", errors=(404,), described="Gone.")
def forget_one(caller: Caller, space: SpaceName, id: Id) -> model.Receipt:
    """Forget one memory for good."""
    receipt = caller.memory(space).forget(id)
    if not receipt.erased:
        raise NotFound(f"no item {id!r} in the space {space!r}")
    return receipt


@routes.get("/memories/{id}/history", scope="read", errors=(404,), described="Oldest first.")
def history(caller: Caller, space: SpaceName, id: Id) -> Annotated[list[model.MemoryItem], "versions"]:
    """Every version, and why it changed."""
    return caller.memory(space).history(id)


@routes.post("/forget", scope="write", errors=(404,), described="What was erased, found out by searching again.")
def forget(caller: Caller, space: SpaceName, body: schemas.ForgetBody) -> model.Receipt:
    """Forget what the filters match, for good."""
    return caller.memory(space).forget(**body.given())


@doubts.get("/review", scope="read", described="The latest first.")
def review(
    caller: Caller, space: SpaceName, limit: Annotated[Limit, Query(description="at most this many of each")] = 100
) -> model.Review:
    """What waits for somebody to look at it."""
    return caller.memory(space).review(limit=limit)


@doubts.post("/resolve", scope="write", counts="write", errors=(404, 409), described="Both as they are now.")
def resolve(caller: Caller, space: SpaceName, body: schemas.ResolveBody) -> model.Suspicion:
    """Settle a doubt between two memories."""
    return caller.memory(space).resolve(body.suspicion, keep=body.keep)


@doubts.post("/memories/{id}/release", scope="write", counts="write", errors=(404, 409), described="As it is now.")
def release(caller: Caller, space: SpaceName, id: Id) -> model.MemoryItem:
    """Let a memory out of quarantine."""
    return caller.memory(space).release(id)
