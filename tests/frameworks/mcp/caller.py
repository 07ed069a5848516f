"""The SDK's own client under both of its major versions, over stdio and HTTP, with the same few methods."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

IS_2 = version("mcp").startswith("2.")
ROOT = Path(__file__).parent.parent.parent.parent


@dataclass(frozen=True)
class Answer:
    """What a tool returned."""

    text: str
    data: Mapping[str, Any]
    is_error: bool


class Caller:
    """A connected client."""

    def __init__(self, session: Any) -> None:
        self._session = session

    async def tools(self) -> dict[str, dict[str, Any]]:
        listed = await self._session.list_tools()
        return {tool.name: tool.model_dump(mode="json", by_alias=True) for tool in listed.tools}

    async def call(self, name: str, /, **arguments: Any) -> Answer:
        result = (await self._session.call_tool(name, arguments)).model_dump(mode="json", by_alias=True)
        text = "\n".join(part["text"] for part in result["content"])
        return Answer(text, result.get("structuredContent") or {}, bool(result.get("isError")))

    async def remember(self, content: str, **more: Any) -> str:
        """The id of what is remembered now."""
        id: str = (await self.call("remember", content=content, **more)).data["id"]
        return id

    async def recall(self, query: str, **more: Any) -> list[str]:
        found = await self.call("recall", query=query, **more)
        assert not found.is_error, found.text
        return [match["content"] for match in found.data["matches"]]

    async def resources(self) -> list[str]:
        return [str(resource.uri) for resource in (await self._session.list_resources()).resources]

    async def templates(self) -> list[str]:
        listed = await self._session.list_resource_templates()
        dumped = listed.model_dump(mode="json", by_alias=True)
        return [template["uriTemplate"] for template in dumped["resourceTemplates"]]

    async def read(self, uri: str) -> dict[str, Any]:
        if not IS_2:
            from pydantic import AnyUrl

            uri = AnyUrl(uri)  # type: ignore[assignment]  # 1.x asks for it
        document: dict[str, Any] = json.loads((await self._session.read_resource(uri)).contents[0].text)
        return document

    async def prompt(self, name: str, **arguments: str) -> str:
        text: str = (await self._session.get_prompt(name, arguments)).messages[0].content.text
        return text


@asynccontextmanager
async def over_stdio(folder: Path, *options: str) -> AsyncIterator[Caller]:
    """Starts `truekeep mcp` as a host does."""
    environment = {**os.environ, "TRUEKEEP_HOME": str(folder), "PYTHONPATH": str(ROOT / "src")}
    arguments = ["-m", "truekeep.cli.main", "mcp", *options]
    with (folder / "stderr").open("a") as stderr:
        parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
        async with _connected(stdio_client(parameters, errlog=stderr)) as caller:
            yield caller


@asynccontextmanager
async def over_http(url: str, key: str | None = None, **headers: str) -> AsyncIterator[Caller]:
    """Connects to a server."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if key is not None:
        given["Authorization"] = f"Bearer {key}"
    async with (
        create_mcp_http_client(headers=given) as http,
        _connected(streamable_http_client(url, http_client=http)) as caller,
    ):
        yield caller


@asynccontextmanager
async def _connected(transport: Any) -> AsyncIterator[Caller]:
    if IS_2:
        from mcp import Client

        async with Client(transport) as client:
            yield Caller(client)
    else:
        from mcp import ClientSession

        async with transport as (read, write, *_), ClientSession(read, write) as session:
            await session.initialize()
            yield Caller(session)
