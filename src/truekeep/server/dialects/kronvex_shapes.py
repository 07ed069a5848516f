"""The bodies and answers of the Kronvex wire: those of its client 0.5.2, with what 0.3.0 reads besides."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import BaseModel, Field, JsonValue, PrivateAttr

from truekeep.engine.admit import Limits
from truekeep.errors import InvalidInput
from truekeep.model import Outcome, Value
from truekeep.server.openapi import answer
from truekeep.server.schemas import Content, Kind, Limit, NameOrNothing, Number, QueryText, Seconds, example

from . import ForeignAnswer, ForeignBody, either

_LONGEST = Limits().query_bytes
_EITHER = either("query", "message")
_OLDER: Any = Field(description="the same, as older clients read it")
KindOrNothing = Kind | Literal[""]


def filters(memory_type: str | None, session_id: str | None) -> dict[str, Any]:
    """As `Memory.recall` takes them; an empty name is none."""
    return {"kinds": [memory_type] if memory_type else None, "session": session_id or None}


class KronvexAgentBody(ForeignBody, json_schema_extra=example({"name": "support-bot", "description": "answers mail"})):
    """An agent to create."""

    name: str
    description: str | None = ""
    _id: str = PrivateAttr(default_factory=lambda: str(uuid4()))

    @property
    def id(self) -> str:
        """That of the new agent."""
        return self._id


class KronvexRememberBody(
    ForeignBody, json_schema_extra=example({"content": "User prefers TypeScript", "memory_type": "preference"})
):
    """One thing to remember."""

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


class KronvexRecallBody(_Asking, json_schema_extra=_EITHER | example({"query": "coding style", "limit": 5})):
    """A question, or a topic."""

    threshold: Number | None = Field(None, ge=0, le=1, description="leave out what is less similar, 0 to 1; default: 0")


class KronvexContextBody(_Asking, json_schema_extra=_EITHER | example({"query": "general context", "limit": 8})):
    """What the agent is about to do."""

    query: str | None = Field(None, max_length=_LONGEST, description="empty: whatever is newest")
    message: str | None = Field(None, max_length=_LONGEST, description="the same as query, which goes first")


class KronvexAgentAnswer(BaseModel):
    id: str
    name: str = Field(description="the id, where nobody gave a name")
    description: str
    memory_count: int
    created_at: datetime | None = Field(description="null where nobody created it beforehand")


class KronvexMemoryAnswer(ForeignAnswer):
    id: str
    agent_id: str
    content: str
    memory_type: Annotated[str, "kind"]
    session_id: Annotated[str | None, "source.session"]
    metadata: dict[str, JsonValue]
    pinned: bool
    created_at: Annotated[datetime, "created"]
    updated_at: Annotated[datetime, "updated"]
    expires_at: Annotated[datetime | None, "expires"]


class KronvexRememberedAnswer(KronvexMemoryAnswer):
    deduplicated: bool = Field(description="whether the same had been said before")
    superseded: list[str]
    outcome: Outcome


class _Scored(ForeignAnswer):
    score: Annotated[float, "confidence"] = Field(description="the confidence")
    confidence: float = Field(description="0.6 similarity + 0.2 recency + 0.2 frequency")
    similarity: float = Field(description="what `threshold` is about")
    recency: float
    frequency: float


class KronvexFoundAnswer(KronvexMemoryAnswer, _Scored):
    """A memory that was found."""


class KronvexResultAnswer(_Scored):
    memory: KronvexMemoryAnswer


KronvexRecallAnswer = answer(
    "KronvexRecallAnswer",
    query=str,
    memories=[KronvexFoundAnswer],
    results=([KronvexResultAnswer], _OLDER),
    total_found=int,
)


class KronvexShownAnswer(KronvexMemoryAnswer):
    memory: KronvexMemoryAnswer = _OLDER


KronvexContextAnswer = answer(
    "KronvexContextAnswer",
    context=str,
    context_block=(str, _OLDER),
    memories_used=int,
    memories=[KronvexShownAnswer],
)


class KronvexSessionAnswer(ForeignAnswer):
    session_id: Annotated[str, "name"]
    memory_count: Annotated[int, "items"]
    first_at: Annotated[datetime, "first"]
    last_at: Annotated[datetime, "last"]


KronvexSessionsAnswer = answer("KronvexSessionsAnswer", sessions=[KronvexSessionAnswer])
KronvexMemoriesAnswer = answer("KronvexMemoriesAnswer", memories=[KronvexMemoryAnswer], limit=int, offset=int)
KronvexClearedAnswer = answer("KronvexClearedAnswer", deleted=int)


def agent(id: str, profile: Value | None, memories: int) -> dict[str, Any]:
    told = profile.value if profile is not None and isinstance(profile.value, dict) else {}
    return {
        "id": id,
        "name": str(told.get("name", id)),
        "description": str(told.get("description", "")),
        "memory_count": memories,
        "created_at": None if profile is None else profile.created.isoformat(),
    }
