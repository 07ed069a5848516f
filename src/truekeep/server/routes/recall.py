"""Recalling, packing a context, explaining, extracting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from truekeep import model, wire
from truekeep.engine import requests
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import Material
from truekeep.lazy import unknown
from truekeep.model import Order
from truekeep.server.desk import Caller
from truekeep.server.openapi import answer
from truekeep.server.schemas import (
    LIMITS,
    Body,
    FiltersBody,
    IdempotencyKey,
    Limit,
    MessageBody,
    Name,
    Number,
    QueryText,
    Several,
    SpaceName,
    Tokens,
    example,
)
from truekeep.server.serving import Routes, reply

routes = Routes("/v1/spaces/{space}", "recall")

RecallAnswer = answer(
    "RecallAnswer",
    **{
        **wire.shape(model.Recall),
        "lessons": (Sequence[model.Match], Field(description="what failed before: the avoid channel")),
        "answerable": (float, Field(None, description="how likely anything here answers, 0 to 1")),
    },
)
ContextAnswer = answer(
    "ContextAnswer",
    context=(str, Field("", description="ready for a prompt; empty when there is nothing to say")),
    tokens=(int, Field(0, description="an estimate that errs on the safe side")),
    material=(Material | None, None),
)


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


class ExtractBody(Body, json_schema_extra=example({"messages": "Ana: I prefer tea.\nBo: Noted.", "session": "monday"})):
    """A conversation: a transcript of "Name: text" lines, or messages."""

    messages: str | Several[MessageBody | str]
    session: Name | None = None

    def conversation(self) -> str | list[str | dict[str, Any]]:
        """As `Memory.extract` takes it."""
        if isinstance(self.messages, str):
            return self.messages
        return [one if isinstance(one, str) else one.model_dump() for one in self.messages]


@routes.post("/recall", scope="read", answer=RecallAnswer, counts="recall", described="What was found.")
def recall(caller: Caller, space: SpaceName, body: RecallBody) -> dict[str, Any]:
    """Find what answers a query, best first."""
    engine = caller.engine(space)  # it knows every filter; the handle's own recall names those of daily use
    found = engine.recall(requests.query(body.query, engine.limits, **body.options()))
    return wire.record(found, without=frozenset() if body.answerable else unknown(found))


@routes.post("/answerable", scope="read", counts="operation", described="0 to 1.")
def answerable(caller: Caller, space: SpaceName, body: QueryBody) -> Annotated[float, "answerable"]:
    """How likely anything that a recall finds answers the query."""
    engine = caller.engine(space)
    asked = requests.query(body.query, engine.limits, **body.options())
    return engine.answerable(asked)


@routes.post("/context", scope="read", answer=ContextAnswer, counts="recall", described="The block.")
def context(caller: Caller, space: SpaceName, body: ContextBody) -> dict[str, Any]:
    """A block that is ready for a prompt, within a token budget."""
    if body.material:  # a client packs it itself, because only it has the tokeniser
        engine = caller.engine(space)
        asked, filters = requests.context_query(body.query, engine.limits, **body.options())
        return {"material": wire.record(engine.material(asked, filters, limit=body.limit))}
    text = caller.memory(space).context(
        body.query, max_tokens=body.max_tokens, template=body.template, **body.options()
    )
    return {"context": text, "tokens": estimate(text)}


@routes.post(
    "/explain",
    scope="read",
    counts="recall",
    errors=(404,),
    described="One for each match, or for the item that was named.",
)
def explain(caller: Caller, space: SpaceName, body: ExplainBody) -> Annotated[list[model.Explanation], "explanations"]:
    """Why each match was found, or why an item was not."""
    return caller.memory(space).explain(body.query, body.id, **body.options())


@routes.post(
    "/extract",
    scope="write",
    answer=model.Extraction,
    counts="write",
    large=True,
    status=202,
    errors=(409,),
    described="A job does it; `/v1/jobs/{id}` tells how far it is.",
    also=200,
)
def extract(
    caller: Caller,
    space: SpaceName,
    body: ExtractBody,
    wait: Annotated[bool, Query(description="answer 200 when it is done, instead")] = False,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Keep what is durable in a conversation."""
    done = caller.memory(space).extract(
        body.conversation(), session=body.session, wait=wait, idempotency_key=idempotency_key
    )
    return reply(wire.record(done), 200 if wait else 202)
