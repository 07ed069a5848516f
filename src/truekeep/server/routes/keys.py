"""Access keys: making, listing, rotating and revoking them."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter
from starlette.responses import Response

from truekeep import model
from truekeep.model import AccessKey
from truekeep.server import answers, key_bodies, keyring
from truekeep.server.desk import Caller
from truekeep.server.documented import Id, reply
from truekeep.server.serving import route

router = APIRouter(prefix="/v1/keys", tags=["keys"])


@route(
    router.post,
    "",
    "Make a key",
    answers.NewKeyAnswer,
    scope="admin",
    status=201,
    errors=(409,),
    described="Shown this once.",
)
def create(caller: Caller, body: key_bodies.KeyBody) -> Response:
    return _shown(*keyring.made(caller, body), 201)


@route(router.get, "", "The keys of the tenant; for the operator, all", answers.AccessKeysAnswer, scope="admin")
def list_keys(caller: Caller) -> Response:
    return reply({"keys": [asdict(key) for key in keyring.listed(caller)]})


@route(
    router.post,
    "/{id}/rotate",
    "Replace the secret of a key, at once or after a while",
    answers.NewKeyAnswer,
    scope="admin",
    errors=(404,),
    described="Shown this once.",
)
def rotate(caller: Caller, id: Id, body: key_bodies.Rotation) -> Response:
    return _shown(*keyring.rotated(caller, id, body.grace))


@route(
    router.patch,
    "/{id}",
    "Change what a key may do",
    model.AccessKey,
    scope="admin",
    errors=(404,),
    described="As it is now; the next request is held to it.",
)
def update(caller: Caller, id: Id, body: key_bodies.KeyChangesBody) -> Response:
    return reply(asdict(keyring.updated(caller, id, body)))


@route(
    router.delete,
    "/{id}",
    "Revoke a key at once",
    answers.RevokedAnswer,
    scope="admin",
    errors=(404, 409),
    described="Revoked.",
)
def revoke(caller: Caller, id: Id) -> Response:
    keyring.remove(caller, id)
    return reply({"revoked": True})


def _shown(key: AccessKey, secret: str, status: int = 200) -> Response:
    return reply({**asdict(key), "key": secret}, status)
