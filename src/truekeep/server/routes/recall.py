"""Recalling, packing a context, explaining, extracting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from truekeep import model, wire
from truekeep.engine import requests
from truekeep.engine.tokens import estimate
from truekeep.lazy import unknown
from truekeep.server import answers, schemas
from truekeep.server.desk import Caller
from truekeep.server.documented import IdempotencyKey, SpaceName, reply
from truekeep.server.routing import Route
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["recall"], route_class=Route)


@route(
    router.post,
    "/recall",
    "Find what answers a query, best first",
    answers.RecallAnswer,
    scope="read",
    counts="recall",
    described="What was found.",
)
def recall(caller: Caller, space: SpaceName, body: schemas.RecallBody) -> Response:
    engine = caller.engine(space)  # it knows every filter; the handle's own recall names those of daily use
    found = engine.recall(requests.query(body.query, engine.limits, **body.options()))
    return reply(wire.record(found, without=frozenset() if body.answerable else unknown(found)))


@route(
    router.post,
    "/answerable",
    "How likely anything that a recall finds answers the query",
    answers.AnswerableAnswer,
    scope="read",
    counts="operation",
    described="0 to 1.",
)
def answerable(caller: Caller, space: SpaceName, body: schemas.QueryBody) -> Response:
    engine = caller.engine(space)
    asked = requests.query(body.query, engine.limits, **body.options())
    return reply({"answerable": engine.answerable(asked)})


@route(
    router.post,
    "/context",
    "A block that is ready for a prompt, within a token budget",
    answers.ContextAnswer,
    scope="read",
    counts="recall",
    described="The block.",
)
def context(caller: Caller, space: SpaceName, body: schemas.ContextBody) -> Response:
    if body.material:  # a client packs it itself, because only it has the tokeniser
        engine = caller.engine(space)
        asked, filters = requests.context_query(body.query, engine.limits, **body.options())
        return reply({"material": wire.record(engine.material(asked, filters, limit=body.limit))})
    text = caller.memory(space).context(
        body.query, max_tokens=body.max_tokens, template=body.template, **body.options()
    )
    return reply({"context": text, "tokens": estimate(text)})


@route(
    router.post,
    "/explain",
    "Why each match was found, or why an item was not",
    answers.ExplanationsAnswer,
    scope="read",
    counts="recall",
    errors=(404,),
    described="One for each match, or for the item that was named.",
)
def explain(caller: Caller, space: SpaceName, body: schemas.ExplainBody) -> Response:
    found = caller.memory(space).explain(body.query, body.id, **body.options())
    return reply({"explanations": [wire.record(one) for one in found]})


@route(
    router.post,
    "/extract",
    "Keep what is durable in a conversation",
    model.Extraction,
    scope="write",
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
    done = caller.memory(space).extract(
        body.conversation(), session=body.session, wait=wait, idempotency_key=idempotency_key
    )
    return reply(wire.record(done), 200 if wait else 202)
