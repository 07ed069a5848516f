"""The bodies and answers of the Kronvex wire: those of its client 0.5.2, with what 0.3.0 reads besides."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from truekeep.engine.admit import Limits
from truekeep.errors import InvalidInput
from truekeep.model import Match, MemoryItem, Outcome, Value
from truekeep.server.fields import Content, Kind, Limit, NameOrNothing, Number, QueryText, Seconds

from .common import ForeignBody, either

_LONGEST = Limits().query_bytes
_EITHER = either("query", "message")
KindOrNothing = Kind | Literal[""]


def filters(memory_type: str | None, session_id: str | None) -> dict[str, Any]:
    """As `Memory.recall` takes them; an empty name is none."""
    return {"kinds": [memory_type] if memory_type else None, "session": session_id or None}


class KronvexAgentBody(ForeignBody):
    """An agent to create."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "support-bot", "description": "answers mail"}]})

    name: str
    description: str | None = ""


class KronvexRememberBody(ForeignBody):
    """One thing to remember."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"content": "User prefers TypeScript", "memory_type": "preference"}]}
    )

    content: Content
    memory_type: KindOrNothing | None = Field(
        None, description="preference, decision, fact, context, ... or your own slug"
    )
    session_id: NameOrNothing | None = None
    ttl_days: Number | None = Field(
        None, ge=1e-6, le=365_000, description="days after which it is gone for good; without it, it stays"
    )
    ttl_seconds: Seconds | None = None
    pinned: bool | None = Field(False, description="pinned memories never expire")
    metadata: dict[str, JsonValue] | None = None


class _Asking(ForeignBody):
    query: QueryText | None = None
    message: QueryText | None = Field(None, description="the same as query, which goes first")
    limit: Limit | None = Field(None, description="at most this many; default: 5")
    top_k: Limit | None = Field(None, description="the same as limit, which goes first")
    memory_type: KindOrNothing | None = Field(None, description="only of this type")
    session_id: NameOrNothing | None = Field(None, description="only of this conversation")

    @property
    def text(self) -> str:
        text = self.message if self.query is None else self.query
        if text is None:
            raise InvalidInput("query", "is missing; say what to look for")
        return text

    @property
    def count(self) -> int:
        count = self.top_k if self.limit is None else self.limit
        return 5 if count is None else count

    @property
    def filters(self) -> dict[str, Any]:
        return filters(self.memory_type, self.session_id)


class KronvexRecallBody(_Asking):
    """A question, or a topic."""

    model_config = ConfigDict(json_schema_extra={**_EITHER, "examples": [{"query": "coding style", "limit": 5}]})

    threshold: Number | None = Field(None, ge=0, le=1, description="leave out what is less similar, 0 to 1; default: 0")


class KronvexContextBody(_Asking):
    """What the agent is about to do."""

    model_config = ConfigDict(json_schema_extra={**_EITHER, "examples": [{"query": "general context", "limit": 8}]})

    query: str | None = Field(None, max_length=_LONGEST, description="empty: whatever is newest")
    message: str | None = Field(None, max_length=_LONGEST, description="the same as query, which goes first")


class KronvexAgentAnswer(BaseModel):
    id: str
    name: str = Field(description="the id, where nobody gave a name")
    description: str
    memory_count: int
    created_at: datetime | None = Field(description="null where nobody created it beforehand")


class KronvexMemoryAnswer(BaseModel):
    id: str
    agent_id: str
    content: str
    memory_type: str
    session_id: str | None
    metadata: dict[str, JsonValue]
    pinned: bool
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


class KronvexRememberedAnswer(KronvexMemoryAnswer):
    deduplicated: bool = Field(description="whether the same had been said before")
    superseded: list[str]
    outcome: Outcome


class _Scored(BaseModel):
    score: float = Field(description="the confidence")
    confidence: float = Field(description="0.6 similarity + 0.2 recency + 0.2 frequency")
    similarity: float = Field(description="what `threshold` is about")
    recency: float
    frequency: float


class KronvexFoundAnswer(KronvexMemoryAnswer, _Scored):
    """A memory that was found."""


class KronvexResultAnswer(_Scored):
    memory: KronvexMemoryAnswer


class KronvexRecallAnswer(BaseModel):
    query: str
    memories: list[KronvexFoundAnswer]
    results: list[KronvexResultAnswer] = Field(description="the same, as older clients read it")
    total_found: int


class KronvexShownAnswer(KronvexMemoryAnswer):
    memory: KronvexMemoryAnswer = Field(description="the same, as older clients read it")


class KronvexContextAnswer(BaseModel):
    context: str
    context_block: str = Field(description="the same, as older clients read it")
    memories_used: int
    memories: list[KronvexShownAnswer]


class KronvexSessionAnswer(BaseModel):
    session_id: str
    memory_count: int
    first_at: datetime
    last_at: datetime


class KronvexSessionsAnswer(BaseModel):
    sessions: list[KronvexSessionAnswer]


class KronvexMemoriesAnswer(BaseModel):
    memories: list[KronvexMemoryAnswer]
    limit: int
    offset: int


class KronvexClearedAnswer(BaseModel):
    deleted: int


def agent(id: str, profile: Value | None, memories: int) -> dict[str, Any]:
    told = profile.value if profile is not None and isinstance(profile.value, dict) else {}
    return {
        "id": id,
        "name": str(told.get("name", id)),
        "description": str(told.get("description", "")),
        "memory_count": memories,
        "created_at": None if profile is None else profile.created.isoformat(),
    }


def memory(agent_id: str, item: MemoryItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "agent_id": agent_id,
        "content": item.content,
        "memory_type": item.kind,
        "session_id": item.session,
        "metadata": dict(item.metadata),
        "pinned": item.pinned,
        "created_at": item.created.isoformat(),
        "updated_at": item.updated.isoformat(),
        "expires_at": None if item.expires is None else item.expires.isoformat(),
    }


def parts(match: Match) -> dict[str, float]:
    """How a memory was found: this wire scores by confidence."""
    return {
        "score": match.confidence,
        "confidence": match.confidence,
        "similarity": match.similarity,
        "recency": match.recency,
        "frequency": match.frequency,
    }
