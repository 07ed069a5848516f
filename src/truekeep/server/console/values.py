"""Values: JSON under keys, to read and to mend."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from truekeep.errors import InvalidInput, NotFound
from truekeep.server.bodies import json_value
from truekeep.server.documented import Key, SpaceName
from truekeep.server.problems import Refused

from . import forms
from .pages import PageRoute, Visit, act, address, goto, visit
from .rendering import clip

router = APIRouter(prefix="/console/spaces/{space}/values", include_in_schema=False, route_class=PageRoute)

_SHOWN = 40
_EDITABLE = 16_000  # characters of JSON
_DONE = {"set": "Kept.", "deleted": "Deleted."}


@router.get("")
async def values_page(request: Request, space: SpaceName) -> Response:
    fields = forms.asked(request)
    after = fields.text("after") or ""

    def work(visit: Visit) -> Response:
        memory = visit.caller.memory(space)
        every = memory.keys()
        keys = [key for key in every if key > after]
        values = [value for key in keys[:_SHOWN] if (value := memory.value(key)) is not None]
        return visit.page(
            "values.html",
            space=space,
            up="",
            values=[(value, clip(json.dumps(value.value, ensure_ascii=False), 200)) for value in values],
            more=fields.again((), after=keys[_SHOWN - 1]) if len(keys) > _SHOWN else None,
            done=_DONE.get(fields.text("done") or ""),
        )

    return await visit(request, work, space=space)


@router.post("")
async def set_new(request: Request, space: SpaceName) -> Response:
    def work(visit: Visit, fields: forms.Fields) -> Response:
        visit.caller.memory(space).set(fields.needed("key"), _json(fields.needed("value")), if_version=0)
        return goto(f"{address('spaces', space, 'values')}?done=set")

    return await act(request, work, space=space)


@router.get("/{key}")
async def value_page(request: Request, space: SpaceName, key: Key) -> Response:
    def work(visit: Visit) -> Response:
        value = visit.caller.memory(space).value(key)
        if value is None:
            raise NotFound(f"no value under {key!r} in the space {space!r}")
        text = json.dumps(value.value, ensure_ascii=False, indent=2)
        is_editable = len(text) <= _EDITABLE
        shown = text if is_editable else clip(text, _EDITABLE)
        return visit.page("value.html", space=space, up="../", value=value, text=shown, is_editable=is_editable)

    return await visit(request, work, space=space)


@router.post("/{key}")
async def change(request: Request, space: SpaceName, key: Key) -> Response:
    def work(visit: Visit, fields: forms.Fields) -> Response:
        memory = visit.caller.memory(space)
        if fields.text("action") == "delete":
            if not memory.delete(key):
                raise NotFound(f"no value under {key!r} in the space {space!r}")
            done = "deleted"
        else:
            version = fields.number("version", 1, 2**53)
            memory.set(key, _json(fields.needed("value")), if_version=version)
            done = "set"
        return goto(f"{address('spaces', space, 'values')}?done={done}")

    return await act(request, work, space=space)


def _json(text: str) -> Any:
    try:
        found = json_value(text.encode())
    except Refused as error:
        raise InvalidInput("value", str(error).replace("the body", "this")) from error
    if found is None:
        raise InvalidInput("value", "null deletes; use the button for that")
    return found
