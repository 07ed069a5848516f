"""What goes out, as pydantic models: the OpenAPI document describes answers by them; `truekeep.wire` makes them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from truekeep.model import Outcome, Scope, Trust


class Problem(BaseModel):
    """RFC 9457."""

    type: str = Field(examples=["urn:truekeep:invalid-input"])
    title: str
    status: int
    detail: str = Field(
        description="what happened and what to do", examples=["content: is empty; say what to remember"]
    )
    argument: str | None = Field(None, description="which argument is wrong")
    problem: str | None = Field(None, description="what is wrong with it")
    retryable: bool | None = None


class SourceAnswer(BaseModel):
    name: str | None
    speaker: str | None
    role: str | None
    session: str | None
    message: str | None
    trust: Trust


class ItemAnswer(BaseModel):
    """One memory item."""

    id: str
    content: str
    kind: str
    tags: list[str]
    metadata: dict[str, JsonValue]
    source: SourceAnswer
    key: str | None
    pinned: bool
    created: datetime
    updated: datetime
    when: datetime
    until: datetime | None
    retired: datetime | None
    expires: datetime | None
    superseded_by: str | None
    suspected_by: list[str] = Field(description="newer memories that may have replaced it")
    quarantined: bool
    reason: str | None
    version: int
    reinforced: int
    redacted: list[str]
    seq: int


class MatchAnswer(ItemAnswer):
    """A memory item that was found, with its score and why."""

    score: float
    similarity: float
    recency: float
    frequency: float
    confidence: float
    why: str


class RememberedAnswer(BaseModel):
    id: str
    outcome: Outcome
    item: ItemAnswer
    superseded: list[ItemAnswer]
    suspected: list[ItemAnswer] = Field(description="older ones that it may have replaced")
    redacted: list[str]
    replayed: bool


class RememberedManyAnswer(BaseModel):
    remembered: list[RememberedAnswer]


class PageAnswer(BaseModel):
    items: list[ItemAnswer]
    cursor: str | None = Field(description="for the next page; null when this was the last")


class SuspicionAnswer(BaseModel):
    """A doubt: the newer memory may have replaced the older one."""

    id: str
    older: ItemAnswer
    newer: ItemAnswer


class ReviewAnswer(BaseModel):
    suspicions: list[SuspicionAnswer]
    quarantined: list[ItemAnswer]


class VersionsAnswer(BaseModel):
    versions: list[ItemAnswer]


class RecallAnswer(BaseModel):
    matches: list[MatchAnswer]
    lessons: list[MatchAnswer] = Field(description="what failed before: the avoid channel")
    answerable: float
    pending: int
    degraded: bool
    text: str


class EntryAnswer(BaseModel):
    item: ItemAnswer
    earlier: list[str]
    suspected_by: list[str]


class MaterialAnswer(BaseModel):
    entries: list[EntryAnswer]
    lessons: list[EntryAnswer]
    query: str


class ContextAnswer(BaseModel):
    context: str = Field("", description="ready for a prompt; empty when there is nothing to say")
    tokens: int = Field(0, description="an estimate that errs on the safe side")
    material: MaterialAnswer | None = None


class ArmAnswer(BaseModel):
    name: str
    rank: int | None
    score: float


class ExplanationAnswer(BaseModel):
    id: str
    found: bool
    rank: int | None
    score: float
    arms: list[ArmAnswer]
    note: str


class ExplanationsAnswer(BaseModel):
    explanations: list[ExplanationAnswer]


class JobAnswer(BaseModel):
    id: str
    space: str
    task: str
    state: Literal["waiting", "running", "done", "failed"]
    attempts: int
    result: dict[str, JsonValue]
    error: str | None
    created: datetime
    updated: datetime


class JobsAnswer(BaseModel):
    jobs: list[JobAnswer]


class ExtractionReportAnswer(BaseModel):
    extractor: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dropped: int
    fallback: str | None
    seconds: float


class ExtractionAnswer(BaseModel):
    remembered: list[RememberedAnswer]
    job: JobAnswer | None
    report: ExtractionReportAnswer | None


class ReceiptAnswer(BaseModel):
    erased: list[str]
    remaining: int
    pending: bool


class ValueAnswer(BaseModel):
    key: str
    value: JsonValue
    version: int
    created: datetime
    updated: datetime
    expires: datetime | None


class DeletedAnswer(BaseModel):
    key: str
    deleted: bool


class KeysOfValuesAnswer(BaseModel):
    keys: list[str]


class SessionAnswer(BaseModel):
    name: str
    items: int
    first: datetime
    last: datetime


class SessionsAnswer(BaseModel):
    sessions: list[SessionAnswer]


class ImportedAnswer(BaseModel):
    items: int
    versions: int
    values: int
    unchanged: int
    refused: int


class EventAnswer(BaseModel):
    type: Literal["item", "erased"]
    seq: int
    id: str
    item: ItemAnswer | None


class ChangesAnswer(BaseModel):
    events: list[EventAnswer]
    cursor: int
    more: bool
    missed: bool


class DoneAnswer(BaseModel):
    done: bool


class SpaceAnswer(BaseModel):
    name: str
    items: int
    values: int
    bytes: int


class SpacesAnswer(BaseModel):
    spaces: list[SpaceAnswer]
    cursor: str | None


class StatsAnswer(BaseModel):
    space: str
    path: str
    items: int
    current: int
    pending: int
    values: int
    jobs: int
    failures: int
    bytes: int
    embedder: str
    kinds: dict[str, int]
    set_aside: dict[str, int]


class KeyAnswer(BaseModel):
    id: str
    tenant: str
    name: str
    scopes: list[Scope]
    spaces: list[str]
    operator: bool
    quotas: dict[str, int | None]
    created: datetime
    expires: datetime | None
    last_used: datetime | None


class NewKeyAnswer(KeyAnswer):
    key: str = Field(description="the secret; shown this once")


class AccessKeysAnswer(BaseModel):
    keys: list[KeyAnswer]


class RevokedAnswer(BaseModel):
    revoked: bool


class CountAnswer(BaseModel):
    subject: str
    counter: str
    period: str
    count: int


class UsageAnswer(BaseModel):
    tenant: str
    quotas: dict[str, int | None] = Field(description="those of the key that asks")
    usage: list[CountAnswer]


class CardAnswer(BaseModel):
    name: Literal["Truekeep"]
    version: str
    links: dict[str, str] = Field(description="paths by what is there")


class HealthAnswer(BaseModel):
    status: Literal["ok"]
    version: str


class ProblemsAnswer(BaseModel):
    problems: list[str]
