"""Recalling, packing a context, explaining, extracting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from truekeep import wire
from truekeep.engine import requests
from truekeep.engine.local import Local
from truekeep.engine.tokens import estimate
from truekeep.server import answers, schemas
from truekeep.server.bodies import read
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import IdempotencyKey, SpaceName, documented, reply
from truekeep.server.routing import Route

router = APIRouter(prefix="/v1/spaces/{space}", tags=["recall"], route_class=Route)


@router.post(
    "/recall",
    **documented(
        "Find what answers a query, best first",
        answers.RecallAnswer,
        body=schemas.RecallBody,
        errors=(429,),
        described="What was found.",
    ),
)
async def recall(request: Request, space: SpaceName) -> Response:
    body = await read(request, schemas.RecallBody)

    def work(caller: Caller) -> Response:
        engine = caller.engine(space)  # it knows every filter; the handle's own recall names those of daily use
        return reply(wire.record(engine.recall(requests.query(body.query, engine.limits, **body.options()))))

    return await desk_of(request).serve(request, work, scope="read", space=space, counts="recall")


@router.post(
    "/context",
    **documented(
        "A block that is ready for a prompt, within a token budget",
        answers.ContextAnswer,
        body=schemas.ContextBody,
        errors=(429,),
        described="The block.",
    ),
)
async def context(request: Request, space: SpaceName) -> Response:
    body = await read(request, schemas.ContextBody)

    def work(caller: Caller) -> Response:
        if body.material:
            return reply({"material": _material(caller.engine(space), body)})
        text = caller.memory(space).context(
            body.query, max_tokens=body.max_tokens, template=body.template, **body.options()
        )
        return reply({"context": text, "tokens": estimate(text)})

    return await desk_of(request).serve(request, work, scope="read", space=space, counts="recall")


def _material(engine: Local, body: schemas.ContextBody) -> wire.Record:
    """What a client packs itself, because only it has the tokeniser."""
    asked, filters = requests.context_query(body.query, engine.limits, **body.options())
    return wire.record(engine.material(asked, filters, limit=body.limit))


@router.post(
    "/explain",
    **documented(
        "Why each match was found, or why an item was not",
        answers.ExplanationsAnswer,
        body=schemas.ExplainBody,
        errors=(404, 429),
        described="One for each match, or for the item that was named.",
    ),
)
async def explain(request: Request, space: SpaceName) -> Response:
    body = await read(request, schemas.ExplainBody)

    def work(caller: Caller) -> Response:
        found = caller.memory(space).explain(body.query, body.id, **body.options())
        return reply({"explanations": [wire.record(one) for one in found]})

    return await desk_of(request).serve(request, work, scope="read", space=space, counts="recall")


@router.post(
    "/extract",
    **documented(
        "Keep what is durable in a conversation",
        answers.ExtractionAnswer,
        body=schemas.ExtractBody,
        status=202,
        errors=(409, 429),
        described="A job does it; `/v1/jobs/{id}` tells how far it is.",
        also=200,
    ),
)
async def extract(
    request: Request,
    space: SpaceName,
    wait: Annotated[bool, Query(description="answer 200 when it is done, instead")] = False,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    body = await read(request, schemas.ExtractBody, large=True)
    messages = body.messages
    if not isinstance(messages, str):
        messages = [one if isinstance(one, str) else one.model_dump() for one in messages]  # type: ignore[misc]

    def work(caller: Caller) -> Response:
        done = caller.memory(space).extract(
            messages,  # type: ignore[arg-type]  # mappings by now
            session=body.session,
            wait=wait,
            idempotency_key=idempotency_key,
        )
        return reply(wire.record(done), 200 if wait else 202)

    return await desk_of(request).serve(request, work, scope="write", space=space, counts="write")
