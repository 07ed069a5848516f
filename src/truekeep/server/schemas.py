"""What comes in, as pydantic knows it: kinds of fields and parameters, and what several bodies share.

The body of a route stands beside the route. Texts are checked by the engine, in its words.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar
from urllib.parse import unquote

from fastapi import Header, Path, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, Field, WithJsonSchema
from pydantic.config import JsonDict

from truekeep.engine import admit
from truekeep.engine.admit import Limits
from truekeep.errors import InvalidInput
from truekeep.model import Trust

_T = TypeVar("_T")
LIMITS = Limits()
_CONTROL = r"\x00-\x1f\x7f-\x9f"
_NAME = rf"[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*"
_KIND = "[a-z0-9][a-z0-9_.-]{0,63}"
_SECONDS_OF_A_THOUSAND_YEARS = 365 * 1000 * 24 * 3600
_ISO_8601 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)", re.ASCII)


def _text(pattern: str, *, most: int, least: int = 1) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "minLength": least, "maxLength": most, "pattern": f"^{pattern}$"})


def _moment(given: Any) -> datetime:
    """Read here: the library would take a text of digits for seconds since 1970."""
    if not isinstance(given, str) or not _ISO_8601.fullmatch(given):
        raise ValueError("must be ISO 8601 with its zone, such as 2026-01-31T12:00:00Z")
    try:
        return datetime.fromisoformat(given.upper()).astimezone(UTC)
    except OverflowError as error:  # no clock in UTC can show it
        raise ValueError("is out of range") from error


def _whole(given: Any) -> Any:
    """JSON has one kind of number: 5.0 is as whole as 5."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


# What none of these says: neither NUL nor a lone surrogate is text.
Content = Annotated[str, _text(r"[^\x00]*[^\s\x00\x1c-\x1f][^\x00]*", most=LIMITS.content_bytes)]
QueryText = Annotated[str, _text(r"[^\x00]*[^\s\x00\x1c-\x1f][^\x00]*", most=LIMITS.query_bytes)]
Name = Annotated[str, _text(_NAME, most=LIMITS.name_chars)]
NameOrNothing = Annotated[str, _text(f"({_NAME})?", least=0, most=LIMITS.name_chars)]
Tag = Annotated[str, _text(_NAME, most=LIMITS.tag_chars)]
Kind = Annotated[str, _text(_KIND, most=64)]
KindFilter = Annotated[str, _text(f"-?{_KIND}", most=65)]
# The first wrong one ends it: otherwise a million of them would make a million errors, of which one is told.
Several = Annotated[list[_T], Field(fail_fast=True, max_length=LIMITS.batch)]
Tags = Annotated[list[Tag], Field(fail_fast=True, max_length=LIMITS.tags)]
KindFilters = Annotated[list[KindFilter], Field(fail_fast=True, max_length=64)]

Number = Annotated[float, Field(allow_inf_nan=False)]
Seconds = Annotated[float, Field(allow_inf_nan=False, ge=1e-6, le=_SECONDS_OF_A_THOUSAND_YEARS)]
Limit = Annotated[int, Field(ge=1, le=LIMITS.results), BeforeValidator(_whole)]
Tokens = Annotated[int, Field(ge=1, le=LIMITS.context_tokens), BeforeValidator(_whole)]
Quota = Annotated[int, Field(ge=0, le=2**53), BeforeValidator(_whole)]
Position = Annotated[int, Field(ge=0, le=2**53), BeforeValidator(_whole)]
MessageNumber = Annotated[int, Field(ge=-(2**63), lt=2**63), BeforeValidator(_whole)]
Time = Annotated[AwareDatetime, BeforeValidator(_moment)]
Cursor = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{32}$")]


def _named(description: str, example: str) -> Any:
    return Path(description=description, openapi_examples={"one": {"value": example}})


def _admitted(key: str | None) -> str | None:
    try:
        return None if key is None else admit.name(key, "idempotency_key", LIMITS)
    except InvalidInput as error:
        raise ValueError(error.problem) from None  # the header's name is told beside it


SpaceName = Annotated[Name, _named("the name of the memory", "support-bot"), AfterValidator(unquote)]
TenantName = Annotated[Name, _named("the name of a tenant", "acme"), AfterValidator(unquote)]
Id = Annotated[Name, _named("an id", "019b796d-d600-7269-becb-25f1c7e8a604"), AfterValidator(unquote)]
Key = Annotated[Name, _named("the key of a value", "profile"), AfterValidator(unquote)]
CheckpointName = Annotated[Name, _named("the name of a checkpoint", "before-import"), AfterValidator(unquote)]
ReaderName = Annotated[Name, _named("the name of a reader", "crm"), AfterValidator(unquote)]
PageLimit = Annotated[int, Query(ge=1, le=1000)]
PageCursor = Annotated[str | None, Query(description="that of the page before")]
IdempotencyKey = Annotated[
    Name | None,
    Header(alias="Idempotency-Key", description="a retry with the same key does nothing twice"),
    AfterValidator(_admitted),  # before anything is made of it, or compared
]


def example(body: Any) -> JsonDict:
    """For the schema of a body: one that is right."""
    return {"examples": [body]}


class Body(BaseModel, extra="forbid", protected_namespaces=()):
    """A request body: what it does not know, it refuses."""

    def given(self) -> dict[str, Any]:
        """What was sent, by name."""
        return {name: getattr(self, name) for name in self.model_fields_set}


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
