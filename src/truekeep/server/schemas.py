"""What comes in, as pydantic models: every body is validated by one of them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, JsonValue, RootModel
from pydantic.config import JsonDict

from truekeep.model import Judged, Keep, Order, Trust

from .fields import (
    LIMITS,
    Content,
    Cursor,
    Kind,
    KindFilters,
    Limit,
    MessageNumber,
    Name,
    NameOrNothing,
    Number,
    QueryText,
    Seconds,
    Several,
    Tags,
    Time,
    Tokens,
)

_MANY = re.compile(rb'\s*\{\s*"items"\s*:')


def example(body: Any) -> JsonDict:
    """For the schema of a body: one that is right."""
    return {"examples": [body]}


class Body(BaseModel, extra="forbid", protected_namespaces=()):
    """A request body: what it does not know, it refuses."""

    def given(self) -> dict[str, Any]:
        """What was sent, by name."""
        return {name: getattr(self, name) for name in self.model_fields_set}


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
    tags: Tags = []
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


class ChosenBody(Body):
    """Which memories are meant."""

    kinds: KindFilters | None = Field(None, description="any of these; '-kind' leaves one out")
    tags: Tags | None = Field(None, description="all of these")
    session: Name | None = None
    speaker: Name | None = None
    source: Name | None = None
    before: Time | None = Field(None, description="learned before then")


class FiltersBody(ChosenBody):
    """Which memories may answer."""

    since: Time | None = Field(None, description="true since then or later")
    until: Time | None = Field(None, description="true since before then")
    as_of: Time | None = Field(None, description="what was true at that time, as far as is known today")
    known_at: Time | None = Field(None, description="what was believed at that time")
    min_trust: Trust | None = None
    include_superseded: bool = False

    def filters(self) -> dict[str, Any]:
        """Those that were given, as `Memory.recall` takes them."""
        return {name: getattr(self, name) for name in self.model_fields_set & FiltersBody.model_fields.keys()}


class ListQuery(FiltersBody, extra="ignore"):  # what it does not know is refused with all other parameters
    """Which memories to list, as the query of an address."""

    limit: Limit = Field(100, description="at most this many")
    cursor: Cursor | None = Field(None, description="that of the page before")
    offset: int | None = Field(None, ge=0, le=2**53, description="instead of a cursor: leave out so many")


class QueryBody(FiltersBody, json_schema_extra=example({"query": "which language for Ana?"})):
    """A question, or a topic."""

    query: QueryText
    limit: Limit = 5
    min_similarity: Number = Field(0.0, ge=0, le=1)
    min_answerable: Number | None = Field(
        None,
        ge=0,
        le=1,
        description="find nothing where `answerable` is less; default: 0, of a context 0.09 (a word, a short task: 0)",
    )
    order: Order = "best"

    def options(self) -> dict[str, Any]:
        floors = {"min_similarity": self.min_similarity, "min_answerable": self.min_answerable}
        return {"limit": self.limit, "order": self.order, **floors, **self.filters()}


class RecallBody(QueryBody, json_schema_extra=example({"query": "which language for Ana?", "limit": 5})):
    """What to recall."""

    answerable: bool = Field(True, description="with false, `answerable` is told only where no judge has to be asked")


class ContextBody(QueryBody, json_schema_extra=example({"query": "draft a reply to Ana", "max_tokens": 800})):
    """What the agent is about to do, and how much room its prompt has."""

    query: str = Field(description="empty: whatever is newest", max_length=LIMITS.query_bytes)
    limit: Limit = 20
    max_tokens: Tokens = Field(1000, description="the budget; it holds on the rendered text")
    template: Literal["default", "plain", "prompt"] = "default"
    material: bool = Field(False, description="return what the context would be packed from, instead")


class ExplainBody(QueryBody, json_schema_extra=example({"query": "which language for Ana?"})):
    """A query, and perhaps an item that it should have found."""

    id: Name | None = None


class PartBody(BaseModel, extra="ignore"):
    """A part of a message. Those of other types than text are not read."""

    type: str | None = "text"
    text: str | None = None


class MessageBody(BaseModel, extra="ignore"):
    """One message, in the shape of OpenAI's and AutoGen's messages; further fields are ignored."""

    role: NameOrNothing | None = None
    content: str | Several[str | PartBody] | None = None
    name: NameOrNothing | None = None
    speaker: NameOrNothing | None = None
    id: NameOrNothing | MessageNumber | None = None
    when: Time | None = None


class ExtractBody(Body, json_schema_extra=example({"messages": "Ana: I prefer tea.\nBo: Noted.", "session": "monday"})):
    """A conversation: a transcript of "Name: text" lines, or messages."""

    messages: str | Several[MessageBody | str]
    session: Name | None = None

    def conversation(self) -> str | list[str | dict[str, Any]]:
        """As `Memory.extract` takes it."""
        if isinstance(self.messages, str):
            return self.messages
        return [one if isinstance(one, str) else one.model_dump() for one in self.messages]


class ForgetBody(ChosenBody, json_schema_extra=example({"session": "monday"})):
    """What to erase for good: one item, all that the filters match, or everything."""

    id: Name | None = None
    everything: bool = False
    dry_run: bool = Field(False, description="erase nothing, and tell what would be")


class CheckpointBody(Body, json_schema_extra=example({"name": "before-import"})):
    """What to call the present moment."""

    name: Name


class RestoreBody(Body, json_schema_extra=example({"checkpoint": "before-import", "dry_run": True})):
    """The moment to go back to."""

    checkpoint: Name
    dry_run: bool = Field(False, description="change nothing, and tell what would be taken back")


class ForkBody(Body, json_schema_extra=example({"name": "support-bot-trial", "at": "before-import"})):
    """What to call the copy, and as of when it is made."""

    name: Name
    at: Name | None = Field(None, description="a checkpoint; without it, now")


class CorrectBody(Body, json_schema_extra=example({"content": "Ana prefers Rust"})):
    """What to change in one item; what is not given stays."""

    content: Content | None = None
    kind: Kind | None = None
    tags: Tags | None = None
    metadata: dict[str, JsonValue] | None = None
    pinned: bool | None = None
    ttl: Seconds | None = None


_PAIR = r"^[^\s:\x00-\x1f\x7f-\x9f]{1,127}:[^\s:\x00-\x1f\x7f-\x9f]{1,128}$"  # two ids


class ResolveBody(
    Body,
    json_schema_extra=example(
        {"suspicion": "01930000-0000-7000-8000-000000000001:01930000-0000-7000-8000-000000000002", "keep": "newer"}
    ),
):
    """Which of two memories is true."""

    suspicion: str = Field(description="its id, as `review` lists it", pattern=_PAIR)
    keep: Keep


class ValueBody(Body, json_schema_extra=example({"value": {"tone": "concise"}})):
    """JSON to keep under a key; null deletes."""

    value: JsonValue
    ttl: Seconds | None = Field(None, description="seconds after which it is gone")


class AppendBody(Body, json_schema_extra=example({"element": "Ana came in"})):
    """What to add to the end of a list; it begins with the first element."""

    element: JsonValue


class IncrementBody(Body, json_schema_extra=example({"by": 1})):
    """How much to add to a number; it begins at 0."""

    by: int | Number = 1


class FlushBody(Body, json_schema_extra=example({"limit": 10})):
    """How long to work."""

    limit: Number = Field(10, ge=1e-6, le=60, description="seconds to work at most")
