"""`truekeep mcp` before a memory on a real server, which goes away and comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.frameworks.live import LiveServer, example
from tests.frameworks.mcp.caller import over_http, over_stdio

EXAMPLE = "mcp/remember_across_processes.py"


def test_one_process_tells_the_server_and_another_one_knows(live: LiveServer, tmp_path: Path) -> None:
    first, second = (example(EXAMPLE, step, "--at", live.address, folder=tmp_path) for step in ("first", "second"))

    assert "Ana is allergic to peanuts" in second
    assert "error" not in first.lower()
    assert [item["content"] for item in live.kept("user:ana")] == ["Ana is allergic to peanuts"]


def test_over_stdio_and_over_http_it_is_the_same_memory(live: LiveServer, tmp_path: Path) -> None:
    async def story() -> list[str]:
        async with over_stdio(tmp_path, "--space", "shared", "--at", live.address) as caller:
            await caller.remember("Ana drinks green tea")
        async with over_http(f"{live.url}/mcp/shared", live.key) as caller:
            return await caller.recall("what does Ana drink?")

    assert asyncio.run(story()) == ["Ana drinks green tea"]


def test_a_host_lives_through_an_outage(live: LiveServer, tmp_path: Path) -> None:
    async def story() -> None:
        async with over_stdio(tmp_path, "--space", "ana", "--at", live.address) as caller:
            await caller.remember("Ana drinks green tea")
            await asyncio.to_thread(live.stop)
            lost = await caller.call("recall", query="what does Ana drink?")
            await asyncio.to_thread(live.start)
            found = await caller.recall("what does Ana drink?")

        assert lost.is_error
        assert live.key not in lost.text
        assert found == ["Ana drinks green tea"]

    asyncio.run(story())
