"""What a host can open and attach: the spaces, and the memories in them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import quote

from truekeep import wire
from truekeep.errors import NotFound

from .doors import Door, Reach, SpaceLine
from .results import NOTICE, excuse
from .versions import Resource, ResourceError, ResourceNotFoundError, named

_T = TypeVar("_T")
ROOT = "truekeep://spaces"
JSON_TYPE = "application/json"
NEWEST = 50
MOST_LISTED = 100


class MemoryResources:
    """Spaces and items as JSON documents."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def add_to(self, server: Any) -> None:
        """Register them."""

        async def spaces() -> str:
            return _document(spaces=[wire.record(line) for line in await _told(self._door.spaces)])

        async def space(space: str) -> str:
            return await self._read(_overview, named(space))

        async def item(space: str, id: str) -> str:
            return await self._read(lambda reach: _item(reach, named(id)), named(space))

        def add(address: str, name: str, title: str, about: str, function: Callable[..., Awaitable[str]]) -> None:
            server.resource(address, name=name, title=title, description=about, mime_type=JSON_TYPE)(function)

        add(ROOT, "spaces", "Spaces", "The memories that can be read here, by name.", spaces)
        add(f"{ROOT}/{{space}}", "space", "A space", f"Its {NEWEST} newest memories, and the keys of values.", space)
        add(f"{ROOT}/{{space}}/items/{{id}}", "item", "A memory", "One memory with all that is known of it.", item)

    async def listed(self) -> list[Any]:
        """The spaces as resources of their own, for hosts that let people pick; none if the memory fails."""
        try:
            lines = await self._door.spaces()
        except Exception as error:  # the fixed ones can be listed anyway
            excuse(error)
            return []
        return [_resource(line) for line in lines[:MOST_LISTED]]

    async def _read(self, work: Callable[[Reach], str], space: str) -> str:
        return await _told(lambda: self._door.run(work, needs="read", space=space))


async def _told(ask: Callable[[], Awaitable[_T]]) -> _T:
    try:
        return await ask()
    except NotFound as error:
        raise ResourceNotFoundError(str(error)) from None
    except Exception as error:  # as for tools
        raise ResourceError(excuse(error)) from None


def _overview(reach: Reach) -> str:
    memory = reach.own
    items = [wire.record(item) for item in memory.items(limit=NEWEST)]
    return _document(space=memory.space, items=items, values=memory.keys())


def _item(reach: Reach, id: str) -> str:
    return _document(item=wire.record(reach.own.item(id)))


def _document(**fields: object) -> str:
    return json.dumps({"notice": NOTICE, **fields}, ensure_ascii=False, indent=1)


def _resource(line: SpaceLine) -> Any:
    about = f"The space {line.name!r}, with {line.items} memories."
    return Resource.model_validate(
        {
            "uri": f"{ROOT}/{quote(line.name, safe=':')}",
            "name": line.name,
            "description": about,
            "mimeType": JSON_TYPE,
        }
    )
