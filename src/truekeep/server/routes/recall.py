"""Recalling, packing a context, explaining, extracting."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from truekeep import model, wire
from truekeep.engine import requests
from truekeep.engine.tokens import estimate
from truekeep.lazy import unknown
from truekeep.server import answers, schemas
from truekeep.server.desk import Caller
from truekeep.server.fields import IdempotencyKey, SpaceName
from truekeep.server.serving import Routes, reply

routes = Routes("/v1/spaces/{space}", "recall")


@routes.post("/recall", scope="read", answer=answers.RecallAnswer, counts="recall", described="What was found.")
def recall(caller: Caller, space: SpaceName, body: schemas.RecallBody) -> dict[str, Any]:
    """Find what answers a query, best first."""
    engine = caller.engine(space)  # it knows every filter; the handle's own recall names those of daily use
    found = engine.recall(requests.query(body.query, engine.limits, **body.options()))
    return wire.record(found, without=frozenset() if body.answerable else unknown(found))


@routes.post("/answerable", scope="read", counts="operation", described="0 to 1.")
def answerable(caller: Caller, space: SpaceName, body: schemas.QueryBody) -> Annotated[float, "answerable"]:
    """How likely anything that a recall finds answers the query."""
    engine = caller.engine(space)
    asked = requests.query(body.query, engine.limits, **body.options())
    return engine.answerable(asked)


@routes.post("/context", scope="read", answer=answers.ContextAnswer, counts="recall", described="The block.")
def context(caller: Caller, space: SpaceName, body: schemas.ContextBody) -> dict[str, Any]:
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
def explain(
    caller: Caller, space: SpaceName, body: schemas.ExplainBody
) -> Annotated[list[model.Explanation], "explanations"]:
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
    body: schemas.ExtractBody,
    wait: Annotated[bool, Query(description="answer 200 when it is done, instead")] = False,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Keep what is durable in a conversation."""
    done = caller.memory(space).extract(
        body.conversation(), session=body.session, wait=wait, idempotency_key=idempotency_key
    )
    return reply(wire.record(done), 200 if wait else 202)
