"""Memories: remembering, listing, reading, correcting, forgetting; and what waits for somebody who knows."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field, JsonValue, RootModel

from truekeep import model, wire
from truekeep.errors import NotFound
from truekeep.model import Judged, Keep, Trust
from truekeep.server.desk import Caller
from truekeep.server.schemas import (
    Body,
    ChosenBody,
    Content,
    Cursor,
    FiltersBody,
    Id,
    IdempotencyKey,
    Kind,
    Limit,
    Name,
    Seconds,
    Several,
    SpaceName,
    Tags,
    Time,
    example,
)
from truekeep.server.serving import Routes

routes = Routes("/v1/spaces/{space}", "memories")
doubts = Routes("/v1/spaces/{space}", "review")

_MANY = re.compile(rb'\s*\{\s*"items"\s*:')
_PAIR = r"^[^\s:\x00-\x1f\x7f-\x9f]{1,127}:[^\s:\x00-\x1f\x7f-\x9f]{1,128}$"  # two ids


class SourceBody(Body):
    """Where a memory comes from."""

    name: Name | None = Field(None, description="what can be rolled back as a whole")
    speaker: Name | None = None
    role: Name | None = Field(None, examples=["user", "assistant", "tool"])
    session: Name | None = None
    message: Name | None = None
    trust: Trust | None = None


class RememberBody(
    Body, json_schema_extra=example({"content": "Ana prefers TypeScript", "kind": "preference", "tags": ["ana"]})
):
    """One thing to remember."""

    content: Content = Field(description="the statement, up to 64 KiB; it comes back byte for byte")
    kind: Kind | None = Field(
        None, description="preference, decision, fact (the default), lesson, ... or your own slug"
    )
    tags: Tags = Field([])
    metadata: dict[str, JsonValue] | None = None
    session: Name | None = Field(None, description="the conversation in which it was said")
    speaker: Name | None = Field(None, description="who said it")
    source: SourceBody | Name | None = Field(None, description="where it comes from: an object, or its name")
    key: Name | None = Field(
        None, description="the claim key: another statement under the same key supersedes this one"
    )
    ttl: Seconds | None = Field(None, description="seconds after which it is gone for good")
    pinned: bool = False
    when: Time | None = Field(None, description="since when it is true, if not since now")
    idempotency_key: Name | None = Field(None, description="a retry with the same key makes no second memory")
    derived: bool = Field(False, description="recorded or concluded: what was forgotten before stays so")
    judged: Judged = Field(
        True,
        description='look for what it changes, in the background; "now" waits for it, false for history from elsewhere',
    )

    def arguments(self) -> dict[str, Any]:
        """As `Memory.remember` takes them."""
        given = self.given()
        if isinstance(self.source, SourceBody):
            given["source"] = self.source.model_dump(exclude_none=True)
        return given


class RememberManyBody(Body, json_schema_extra=example({"items": ["Ana prefers tea", {"content": "Bo naps"}]})):
    """Several things to remember, in one transaction: all of them, or none."""

    items: Several[RememberBody | Content]


class RememberListBody(
    RootModel[Several[RememberBody | Content]], json_schema_extra=example(["Ana prefers tea", {"content": "Bo naps"}])
):
    """The same as a bare array."""


def _one_or_many(text: bytes) -> RememberBody | RememberManyBody | RememberListBody:
    """One body, or several: a list, or an object with `items` and nothing else, which is seen by how it begins."""
    if text.lstrip()[:1] == b"[":
        return RememberListBody.model_validate_json(text, strict=True)
    model = RememberManyBody if _MANY.match(text) else RememberBody
    return model.model_validate_json(text, strict=True)


OneOrMany = Annotated[RememberBody | RememberManyBody | RememberListBody, _one_or_many]


class ListQuery(FiltersBody, extra="ignore"):  # what it does not know is refused with all other parameters
    """Which memories to list, as the query of an address."""

    limit: Limit = Field(100, description="at most this many")
    cursor: Cursor | None = Field(None, description="that of the page before")
    offset: int | None = Field(None, ge=0, le=2**53, description="instead of a cursor: leave out so many")


class CorrectBody(Body, json_schema_extra=example({"content": "Ana prefers Rust"})):
    """What to change in one item; what is not given stays."""

    content: Content | None = None
    kind: Kind | None = None
    tags: Tags | None = None
    metadata: dict[str, JsonValue] | None = None
    pinned: bool | None = None
    ttl: Seconds | None = None


class ForgetBody(ChosenBody, json_schema_extra=example({"session": "monday"})):
    """What to erase for good: one item, all that the filters match, or everything."""

    id: Name | None = None
    everything: bool = False
    dry_run: bool = Field(False, description="erase nothing, and tell what would be")


class ResolveBody(
    Body,
    json_schema_extra=example(
        {"suspicion": "01930000-0000-7000-8000-000000000001:01930000-0000-7000-8000-000000000002", "keep": "newer"}
    ),
):
    """Which of two memories is true."""

    suspicion: str = Field(description="its id, as `review` lists it", pattern=_PAIR)
    keep: Keep


@routes.post(
    "/memories",
    scope="write",
    answer=model.Remembered | Annotated[list[model.Remembered], "remembered", "RememberedManyAnswer"],
    counts="write",
    large=True,
    status=201,
    errors=(409,),
    described="Remembered: it survives a power cut, and the next recall can find it.",
)
def remember(
    caller: Caller, space: SpaceName, body: OneOrMany, idempotency_key: IdempotencyKey = None
) -> model.Remembered | dict[str, Any]:
    """Remember one thing, or several in one transaction."""
    memory = caller.memory(space)
    if isinstance(body, RememberBody):
        given = body.arguments()
        if idempotency_key is not None:
            given.setdefault("idempotency_key", idempotency_key)
        return memory.remember(**given)
    several = body.items if isinstance(body, RememberManyBody) else body.root
    kept = memory.remember_many([_numbered(item, number, idempotency_key) for number, item in enumerate(several)])
    return {"remembered": [wire.record(one) for one in kept]}


def _numbered(item: RememberBody | str, number: int, key: str | None) -> dict[str, Any]:
    """One of a batch. Their keys follow from that of the request, so a retry finds all of them again."""
    given = {"content": item} if isinstance(item, str) else item.arguments()
    if key is not None:
        given.setdefault("idempotency_key", f"{key}:{number}")
    return given


@routes.get("/memories", scope="read", described="A page of them.")
def list_memories(caller: Caller, space: SpaceName, asked: Annotated[ListQuery, Query()]) -> model.Page:
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
    caller: Caller, space: SpaceName, id: Id, body: CorrectBody, idempotency_key: IdempotencyKey = None
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
def forget(caller: Caller, space: SpaceName, body: ForgetBody) -> model.Receipt:
    """Forget what the filters match, for good."""
    return caller.memory(space).forget(**body.given())


@doubts.get("/review", scope="read", described="The latest first.")
def review(
    caller: Caller, space: SpaceName, limit: Annotated[Limit, Query(description="at most this many of each")] = 100
) -> model.Review:
    """What waits for somebody to look at it."""
    return caller.memory(space).review(limit=limit)


@doubts.post("/resolve", scope="write", counts="write", errors=(404, 409), described="Both as they are now.")
def resolve(caller: Caller, space: SpaceName, body: ResolveBody) -> model.Suspicion:
    """Settle a doubt between two memories."""
    return caller.memory(space).resolve(body.suspicion, keep=body.keep)


@doubts.post("/memories/{id}/release", scope="write", counts="write", errors=(404, 409), described="As it is now.")
def release(caller: Caller, space: SpaceName, id: Id) -> model.MemoryItem:
    """Let a memory out of quarantine."""
    return caller.memory(space).release(id)
