"""Webhooks: addresses that the server tells of changes by itself, for those who cannot ask."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from truekeep import model, wire
from truekeep.engine import deliveries
from truekeep.engine.ids import new_id
from truekeep.engine.webhooks import Kept, Webhooks
from truekeep.model import Feed
from truekeep.server import keyring
from truekeep.server.desk import Caller, desk_of
from truekeep.server.openapi import answer
from truekeep.server.schemas import Body, Id, Name, Several, example
from truekeep.server.serving import Routes, reply

routes = Routes("/v1/webhooks", "webhooks")

NewWebhookAnswer = answer(
    "NewWebhookAnswer",
    **wire.shape(model.Webhook),
    secret=(str, Field(description="signs deliveries; shown this once")),
)
AttemptAnswer = answer(
    "AttemptAnswer",
    taken=bool,
    status=(int | None, Field(description="what the receiver answered")),
    error=(str, Field(description="why it was not taken")),
)


class WebhookBody(Body, json_schema_extra=example({"url": "https://example.org/hook", "spaces": ["team-*"]})):
    """An address to tell of changes."""

    url: str = Field(min_length=8, max_length=2000, description="to which a delivery is posted")
    spaces: Several[Name] = Field([], max_length=64, description="patterns such as 'team-*'; none: every space")
    secret: str | None = Field(None, max_length=200, description="whsec_ and base64; without it one is made")
    from_start: bool = Field(False, description="whether it is told what there is already, too")


class RetryBody(Body, json_schema_extra=example({})):
    """What to send again."""

    deliveries: Several[Name] | None = Field(
        None, max_length=100, description="ids of those that were given up; without them, all"
    )


def webhooks_of(caller: Caller) -> Webhooks:
    """Those of the tenant that are told of nothing but what the key covers; they read, so it must be allowed to."""
    caller.desk.callers.allowed(caller.key, "read", None)
    return Webhooks(caller.desk.store, caller.tenant, caller.key.spaces)


@routes.post(
    "",
    scope="admin",
    answer=NewWebhookAnswer,
    status=201,
    errors=(409,),
    described="The secret is shown this once.",
)
def add(caller: Caller, body: WebhookBody) -> dict[str, Any]:
    """Let an address be told of changes."""
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
    return {**wire.record(made), "secret": secret}


@routes.get("", scope="admin", described="Oldest first.")
def list_webhooks(caller: Caller) -> Annotated[list[model.Webhook], "webhooks"]:
    """The webhooks of the tenant."""
    return webhooks_of(caller).listed(caller.desk.clock())


@routes.delete("/{id}", scope="admin", errors=(404,), described="Forgotten, with what it was not told.")
def drop(caller: Caller, id: Id) -> Annotated[bool, "dropped"]:
    """Tell an address nothing any more."""
    webhooks_of(caller).drop(id, now=caller.desk.clock())
    return True


@routes.get("/{id}/dead", scope="admin", errors=(404,), described="Where they stand in the feed, the oldest first.")
def list_dead(caller: Caller, id: Id) -> Annotated[list[model.Delivery], "deliveries"]:
    """The deliveries that were given up."""
    return list(webhooks_of(caller).dead(id, now=caller.desk.clock()))


@routes.post(
    "/{id}/retry", scope="admin", errors=(404,), described="How many were given up; a webhook that was stopped goes on."
)
def retry(caller: Caller, id: Id, body: RetryBody) -> Annotated[int, "retried"]:
    """Send again what was given up, and at once what waits."""
    return webhooks_of(caller).retry(id, body.deliveries, now=caller.desk.clock())


@routes.asked("POST", "/{id}/test", AttemptAnswer, errors=(404,), described="What became of it.")
async def try_out(request: Request, id: Id) -> Response:
    """Send a delivery without events, once."""
    desk = desk_of(request)

    def look(caller: Caller) -> Kept:
        return webhooks_of(caller).mine(id, desk.clock())

    kept, body, now = await desk.serve(request, look, scope="admin"), deliveries.body(Feed()), desk.clock()
    headers = deliveries.headers(kept.secret, new_id(now), body, now=now)
    outcome = await request.app.state.deliveries.sender.send(kept, headers, body)
    return reply({"taken": not outcome.error, "status": outcome.status, "error": outcome.error})
