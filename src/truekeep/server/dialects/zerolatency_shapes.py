"""The bodies and answers of the 0Latency wire: of its client and wrappers 0.2.1, and of its two REST endpoints."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, JsonValue

from truekeep.errors import InvalidInput
from truekeep.server.schemas import (
    LIMITS,
    Content,
    Limit,
    MessageBody,
    NameOrNothing,
    Number,
    QueryText,
    Several,
    example,
)

from . import ForeignAnswer, ForeignBody, either

Tokens = Annotated[int, Field(ge=1, le=LIMITS.context_tokens)]


class ZeroLatencyFact(ForeignBody):
    text: Content
    category: str | None = Field(None, description="kept as the kind, where it is a slug; 'conversation': interaction")
    importance: Number | None = None


class ZeroLatencySeedBody(
    ForeignBody,
    json_schema_extra=either("content", "facts")
    | example({"agent_id": "dev-team", "content": "We chose FastAPI over Flask because of async support"}),
):
    """A statement or a transcript of "Name: text" lines, or facts."""

    content: Content | None = None
    facts: Several[ZeroLatencyFact] | None = Field(None, min_length=1)
    agent_id: NameOrNothing | None = Field(None, description="the space; without it, 'default'")
    metadata: dict[str, JsonValue] | None = None


class ZeroLatencyExtractBody(
    ForeignBody,
    json_schema_extra=either("conversation", "content")
    | example({"agent_id": "dev-team", "content": "Ana: We decided to use FastAPI.\nBo: Agreed."}),
):
    """A conversation: messages, or a transcript of "Name: text" lines."""

    conversation: Several[MessageBody | str] | str | None = None
    content: str | None = None
    agent_id: NameOrNothing | None = Field(None, description="the space; without it, 'default'")

    @property
    def argument(self) -> str:
        return "content" if self.conversation is None else "conversation"

    @property
    def said(self) -> str | list[str | dict[str, Any]]:
        """As `Memory.extract` takes it."""
        given = self.content if self.conversation is None else self.conversation
        if given is None:
            raise InvalidInput("conversation", "is missing; send messages, or a transcript as content")
        if isinstance(given, str):
            return given
        return [one if isinstance(one, str) else one.model_dump() for one in given]


class ZeroLatencyRecallBody(
    ForeignBody,
    json_schema_extra=either("query", "conversation_context")
    | example({"agent_id": "dev-team", "query": "architecture decisions", "max_tokens": 2000}),
):
    """A question, a topic, or the last messages of a conversation; and how much room the prompt has."""

    query: QueryText | None = None
    conversation_context: QueryText | None = Field(None, description="the same as query, which goes first")
    agent_id: NameOrNothing | None = Field(None, description="the space; without it, 'default'")
    limit: Limit | None = Field(None, description="at most this many memories; without it, what the text holds")
    max_tokens: Tokens | None = Field(None, description="the budget of the text; default: 4000")
    budget_tokens: Tokens | None = Field(None, description="the same as max_tokens, which goes first")

    @property
    def argument(self) -> str:
        return "query" if self.conversation_context is None else "conversation_context"

    @property
    def text(self) -> str:
        text = self.conversation_context if self.query is None else self.query
        if text is None:
            raise InvalidInput("query", "is missing; say what to look for")
        return text

    @property
    def budget(self) -> int | None:
        return self.budget_tokens if self.max_tokens is None else self.max_tokens


class ZeroLatencyMemoryAnswer(ForeignAnswer):
    id: str
    agent_id: str
    content: str
    category: Annotated[str, "kind"]
    speaker: Annotated[str | None, "source.speaker"]
    metadata: dict[str, JsonValue]
    avoid: bool = Field(description="whether it failed before")
    created_at: Annotated[datetime, "created"]
    updated_at: Annotated[datetime, "updated"]


class ZeroLatencyFoundAnswer(ZeroLatencyMemoryAnswer):
    score: float = Field(description="what the order follows")
    confidence: float = Field(description="0.6 similarity + 0.2 recency + 0.2 frequency")
    similarity: float
    recency: float
    frequency: float
    suspected_by: list[str]


class ZeroLatencySeededAnswer(BaseModel):
    status: Literal["stored"]
    agent_id: str
    memories_stored: int
    memory_ids: list[str]
    memories: list[ZeroLatencyMemoryAnswer]
    job_id: str | None = Field(description="the extraction of a conversation, which goes on in the background")


class ZeroLatencyJobAnswer(ForeignAnswer):
    job_id: Annotated[str, "id"]
    agent_id: Annotated[str, "space"]
    status: Literal["accepted", "processing", "complete", "failed"]
    memories_stored: int
    memory_ids: list[str]
    error: str | None
    created_at: Annotated[datetime, "created"]
    updated_at: Annotated[datetime, "updated"]


class ZeroLatencyRecallAnswer(BaseModel):
    agent_id: str
    memories: list[ZeroLatencyFoundAnswer] = Field(description="best first")
    avoid: list[ZeroLatencyFoundAnswer] = Field(description="what failed before and has to do with the query")
    text: str = Field(description="ready for a prompt, within the budget")
    context_block: str = Field(description="the same as text")
    memories_used: int = Field(description="in the text")
    memory_ids: list[str] = Field(description="of those in the text")
    tokens_used: int
    answerable: float = Field(description="how likely anything here is relevant, 0 to 1")
