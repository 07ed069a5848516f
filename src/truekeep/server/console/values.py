"""Values: JSON under keys, to read and to mend."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from truekeep.errors import InvalidInput, NotFound
from truekeep.server.bodies import json_value
from truekeep.server.problems import Refused
from truekeep.server.schemas import Key, SpaceName

from .pages import Pages, Visit, goto_page
from .rendering import clip

pages = Pages("/console/spaces/{space}/values", told={"set": "Kept.", "deleted": "Deleted."})

_SHOWN = 40
_EDITABLE = 16_000  # characters of JSON


@pages.get("")
def values_page(visit: Visit, space: SpaceName) -> Response:
    fields, memory = visit.fields, visit.memory
    after = fields.text("after") or ""
    keys = [key for key in memory.keys() if key > after]  # noqa: SIM118  # of a memory, not of a dictionary
    values = [value for key in keys[:_SHOWN] if (value := memory.value(key)) is not None]
    return visit.page(
        "values.html",
        values=[(value, clip(json.dumps(value.value, ensure_ascii=False), 200)) for value in values],
        more=fields.again((), after=keys[_SHOWN - 1]) if len(keys) > _SHOWN else None,
    )


@pages.post("")
def set_new(visit: Visit, space: SpaceName) -> Response:
    fields = visit.fields
    visit.memory.set(fields.needed("key"), _json(fields.needed("value")), if_version=0)
    return goto_page("spaces", space, "values", done="set")


@pages.get("/{key}")
def value_page(visit: Visit, space: SpaceName, key: Key) -> Response:
    value = visit.memory.value(key)
    if value is None:
        raise NotFound(f"no value under {key!r} in the space {space!r}")
    text = json.dumps(value.value, ensure_ascii=False, indent=2)
    is_editable = len(text) <= _EDITABLE
    shown = text if is_editable else clip(text, _EDITABLE)
    return visit.page("value.html", value=value, text=shown, is_editable=is_editable)


@pages.post("/{key}")
def change(visit: Visit, space: SpaceName, key: Key) -> Response:
    memory, fields = visit.memory, visit.fields
    if fields.text("action") == "delete":
        if not memory.delete(key):
            raise NotFound(f"no value under {key!r} in the space {space!r}")
        done = "deleted"
    else:
        version = fields.number("version", 1, 2**53)
        memory.set(key, _json(fields.needed("value")), if_version=version)
        done = "set"
    return goto_page("spaces", space, "values", done=done)


def _json(text: str) -> Any:
    try:
        found = json_value(text.encode())
    except Refused as error:
        raise InvalidInput("value", str(error).replace("the body", "this")) from error
    if found is None:
        raise InvalidInput("value", "null deletes; use the button for that")
    return found
