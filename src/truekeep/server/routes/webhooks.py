"""Webhooks: addresses that the server tells of changes by itself, for those who cannot ask."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from truekeep import wire
from truekeep.engine import deliveries
from truekeep.engine.ids import new_id
from truekeep.engine.webhooks import Kept, Webhooks
from truekeep.model import Feed
from truekeep.server import answers, feed_bodies, keyring
from truekeep.server.desk import Caller, desk_of
from truekeep.server.documented import Id, documented, reply
from truekeep.server.serving import refuse_unknown, route

router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"])


def webhooks_of(caller: Caller) -> Webhooks:
    """Those of the tenant that are told of nothing but what the key covers; they read, so it must be allowed to."""
    caller.desk.callers.allowed(caller.key, "read", None)
    return Webhooks(caller.desk.store, caller.tenant, caller.key.spaces)


@route(
    router.post,
    "",
    "Let an address be told of changes",
    answers.NewWebhookAnswer,
    scope="admin",
    status=201,
    errors=(409,),
    described="The secret is shown this once.",
)
def add(caller: Caller, body: feed_bodies.WebhookBody) -> Response:
    desk, mine = caller.desk, webhooks_of(caller)
    desk.receivers.admit(body.url)
    made, secret = mine.add(
        body.url,
        spaces=keyring.within(caller, body.spaces),
        secret=body.secret,
        from_start=body.from_start,
        key=caller.key.id,
        now=desk.clock(),
        limits=desk.opened.limits,
    )
    return reply({**wire.record(made), "secret": secret}, 201)


@route(router.get, "", "The webhooks of the tenant", answers.WebhooksAnswer, scope="admin", described="Oldest first.")
def list_webhooks(caller: Caller) -> Response:
    return reply({"webhooks": [wire.record(one) for one in webhooks_of(caller).listed(caller.desk.clock())]})


@route(
    router.delete,
    "/{id}",
    "Tell an address nothing any more",
    answers.DroppedAnswer,
    scope="admin",
    errors=(404,),
    described="Forgotten, with what it was not told.",
)
def drop(caller: Caller, id: Id) -> Response:
    webhooks_of(caller).drop(id, now=caller.desk.clock())
    return reply({"dropped": True})


@route(
    router.get,
    "/{id}/dead",
    "The deliveries that were given up",
    answers.DeliveriesAnswer,
    scope="admin",
    errors=(404,),
    described="Where they stand in the feed, the oldest first.",
)
def list_dead(caller: Caller, id: Id) -> Response:
    found = webhooks_of(caller).dead(id, now=caller.desk.clock())
    return reply({"deliveries": [wire.record(one) for one in found]})


@route(
    router.post,
    "/{id}/retry",
    "Send again what was given up, and at once what waits",
    answers.RetriedAnswer,
    scope="admin",
    errors=(404,),
    described="How many were given up; a webhook that was stopped goes on.",
)
def retry(caller: Caller, id: Id, body: feed_bodies.RetryBody) -> Response:
    return reply({"retried": webhooks_of(caller).retry(id, body.deliveries, now=caller.desk.clock())})


@router.post(
    "/{id}/test",
    **documented(
        "Send a delivery without events, once",
        answers.AttemptAnswer,
        errors=(404,),
        described="What became of it.",
    ),
)
async def try_out(request: Request, id: Id) -> Response:
    await refuse_unknown(request)
    desk = desk_of(request)

    def look(caller: Caller) -> Kept:
        return webhooks_of(caller).mine(id, desk.clock())

    kept, body, now = await desk.serve(request, look, scope="admin"), deliveries.body(Feed()), desk.clock()
    headers = deliveries.headers(kept.secret, new_id(now), body, now=now)
    outcome = await request.app.state.deliveries.sender.send(kept, headers, body)
    return reply({"taken": not outcome.error, "status": outcome.status, "error": outcome.error})
