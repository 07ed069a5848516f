"""Values: JSON under keys, to read and to mend."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from truekeep.errors import InvalidInput, NotFound
from truekeep.server.bodies import json_value
from truekeep.server.documented import Key, SpaceName
from truekeep.server.problems import Refused

from . import forms
from .pages import PageRoute, Visit, address, form, goto, page
from .rendering import clip

router = APIRouter(prefix="/console/spaces/{space}/values", include_in_schema=False, route_class=PageRoute)

_SHOWN = 40
_EDITABLE = 16_000  # characters of JSON
_DONE = {"set": "Kept.", "deleted": "Deleted."}


@router.get("")
@page()
def values_page(visit: Visit, space: SpaceName) -> Response:
    fields = forms.asked(visit.request)
    after = fields.text("after") or ""
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


@router.post("")
@form()
def set_new(visit: Visit, fields: forms.Fields, space: SpaceName) -> Response:
    visit.caller.memory(space).set(fields.needed("key"), _json(fields.needed("value")), if_version=0)
    return goto(f"{address('spaces', space, 'values')}?done=set")


@router.get("/{key}")
@page()
def value_page(visit: Visit, space: SpaceName, key: Key) -> Response:
    value = visit.caller.memory(space).value(key)
    if value is None:
        raise NotFound(f"no value under {key!r} in the space {space!r}")
    text = json.dumps(value.value, ensure_ascii=False, indent=2)
    is_editable = len(text) <= _EDITABLE
    shown = text if is_editable else clip(text, _EDITABLE)
    return visit.page("value.html", space=space, up="../", value=value, text=shown, is_editable=is_editable)


@router.post("/{key}")
@form()
def change(visit: Visit, fields: forms.Fields, space: SpaceName, key: Key) -> Response:
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


def _json(text: str) -> Any:
    try:
        found = json_value(text.encode())
    except Refused as error:
        raise InvalidInput("value", str(error).replace("the body", "this")) from error
    if found is None:
        raise InvalidInput("value", "null deletes; use the button for that")
    return found
