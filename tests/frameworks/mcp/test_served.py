"""`/mcp` on the server: keys, spaces, quotas, the gate before it, and several workers behind one address."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.frameworks.mcp.caller import ROOT, Caller, over_http
from tests.server.served import OPERATOR, Served, detail, serving

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def called(tool: str, **arguments: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, admin_key=OPERATOR) as served:
        yield served


def test_a_request_without_a_valid_key_is_refused_before_the_protocol_begins(keyed: Served) -> None:
    for key in (None, "tk_not-a-key"):
        with keyed.caller(key) as caller:
            answer = caller.post("/mcp", json=called("recall", query="tea"), headers=HEADERS)

        assert "access key" in detail(answer, 401)["detail"]
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_tenants_that_ask_at_the_same_time_see_only_their_own(keyed: Served) -> None:
    keys = [keyed.new_key()["key"] for _ in range(4)]

    async def tenant(number: int) -> list[str]:
        async with over_http(f"{keyed.url}/mcp", keys[number]) as caller:
            await caller.remember(f"Tenant {number} drinks tea")
            await asyncio.sleep(0)
            spaces = await caller.read("truekeep://spaces")
            assert spaces["spaces"] == [{"name": "default", "items": 1}]
            return await caller.recall("who drinks tea?", limit=10)

    async def story() -> list[list[str]]:
        return await asyncio.gather(*(tenant(number) for number in range(4)))

    assert asyncio.run(story()) == [[f"Tenant {number} drinks tea"] for number in range(4)]


def test_a_key_reaches_only_the_spaces_that_it_covers_by_path_and_by_resource(keyed: Served) -> None:
    tenant = keyed.new_key()
    narrow = keyed.new_key(tenant=tenant["tenant"], spaces=["team-a"])["key"]

    async def story() -> None:
        async with over_http(f"{keyed.url}/mcp/team-b", tenant["key"]) as wide:
            await wide.remember("Team B deploys on Mondays")
        async with over_http(f"{keyed.url}/mcp", narrow) as caller:  # its only space, without naming it
            await caller.remember("Team A deploys on Fridays")
            assert await caller.resources() == ["truekeep://spaces", "truekeep://spaces/team-a"]
            assert await caller.recall("who deploys when?") == ["Team A deploys on Fridays"]
            with pytest.raises(Exception, match="does not cover that space"):
                await caller.read("truekeep://spaces/team-b")

    asyncio.run(story())

    with keyed.caller(narrow) as caller:
        detail(caller.post("/mcp/team-b", json=called("recall", query="x"), headers=HEADERS), 403)


def test_a_key_that_may_only_read_is_told_so_when_it_writes(keyed: Served) -> None:
    key = keyed.new_key(scopes=["read"])["key"]

    async def story() -> None:
        async with over_http(f"{keyed.url}/mcp", key) as caller:
            written = await caller.call("remember", content="Ana drinks tea")

            assert written.is_error
            assert "no scope 'write'" in written.text
            assert await caller.recall("tea") == []

    asyncio.run(story())


def test_calls_count_against_the_quotas_of_the_key(keyed: Served) -> None:
    key = keyed.new_key(quotas={"recalls_per_month": 2})["key"]

    async def story() -> None:
        async with over_http(f"{keyed.url}/mcp", key) as caller:
            answers = [await caller.call("recall", query="tea") for _ in range(3)]

        assert [answer.is_error for answer in answers] == [False, False, True]

    asyncio.run(story())


def test_spaces_may_have_any_name(keyed: Served) -> None:
    async def story() -> None:
        for name, address in {"user:ana b/../c%2F": "user:ana%20b%2F..%2Fc%252F", "Ünï": "%C3%9Cn%C3%AF"}.items():
            async with over_http(f"{keyed.url}/mcp/{address}", OPERATOR) as caller:
                id = await caller.remember(f"This is {name}")
                read = await caller.read(f"truekeep://spaces/{address}/items/{id}")

                assert read["item"]["content"] == f"This is {name}"
                assert (await caller.read(f"truekeep://spaces/{address}"))["space"] == name

    asyncio.run(story())


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Host": "evil.example:8420"}]
)
def test_without_keys_a_web_page_cannot_reach_it_under_a_name_of_its_own(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    with serving(tmp_path) as served, served.caller(None) as caller:
        answer = caller.post("/mcp", json=called("recall", query="tea"), headers=HEADERS | headers)

        assert "loopback names" in detail(answer, 403)["detail"]


def test_a_server_under_another_name_is_reached_with_a_key(keyed: Served) -> None:
    async def story() -> None:
        async with over_http(f"{keyed.url}/mcp", OPERATOR, Host="memory.example") as caller:
            await caller.remember("Ana drinks tea")

            assert await caller.recall("tea") == ["Ana drinks tea"]

    asyncio.run(story())


BODIES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"\xff\xfe",
    b'{"jsonrpc": "2.0", "id": 1}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 7}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "no/such/method"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}',
    b"[" * 5_000,
    json.dumps(called("remember", content="\ud83d")).encode(),
    json.dumps(called("remember", content="a\x00b")).encode(),
    json.dumps(called("set_value", key="k", value=[[[[1e308]]]])).encode(),
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_value","arguments":{"key":"k","value":NaN}}}',
]


def test_no_body_however_malformed_yields_an_internal_error_or_a_hang(keyed: Served) -> None:
    with keyed.caller() as caller:
        for body in BODIES:
            answer = caller.post("/mcp", content=body, headers=HEADERS)

            assert answer.status_code < 500, (body[:80], answer.text)
            assert "Traceback" not in answer.text

        assert caller.get("/health").status_code == 200


def test_a_body_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path, body_bytes=2048) as served, served.caller(None) as caller:
        large = caller.post("/mcp", json=called("remember", content="x" * 4000), headers=HEADERS)

        assert large.status_code == 413


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_are_no_sessions_to_listen_to_or_to_end(keyed: Served, method: str) -> None:
    with keyed.caller() as caller:
        answer = caller.request(method, "/mcp", headers=HEADERS)

        assert detail(answer, 405)
        assert answer.headers["allow"] == "POST"


def test_requests_are_counted_by_their_route_and_logged_without_any_text(
    keyed: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="truekeep")
    with keyed.caller() as caller:
        caller.post("/mcp/secret-space", json=called("remember", content="Ana drinks tea"), headers=HEADERS)
        metrics = caller.get("/metrics").text

    assert 'route="/mcp/{space}"' in metrics
    assert "secret-space" not in metrics
    assert "Ana drinks tea" not in caplog.text


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_nobody_can_hold_a_connection_by_listening_for_changes(keyed: Served, version: str) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"_meta": meta}}
    headers = HEADERS | {"MCP-Protocol-Version": version, "Mcp-Method": "subscriptions/listen"}

    with keyed.caller() as caller:
        answer = caller.post("/mcp", json=listen, headers=headers)

    assert answer.status_code < 500
    assert "error" in answer.json()


@contextmanager
def workers(folder: Path, number: int) -> Iterator[str]:
    """`truekeep serve` as a process with several workers."""
    environment = {**os.environ, "TRUEKEEP_HOME": str(folder), "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "truekeep.cli.main", "serve", "--port", "0", "--workers", str(number)]
    log = (folder / "log").open("w")
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url), url
        yield url
    finally:
        process.terminate()
        process.communicate(timeout=60)
        log.close()


def wait_for(url: str) -> None:
    with httpx.Client(transport=httpx.HTTPTransport(retries=20), trust_env=False, timeout=60) as caller:
        assert caller.get(f"{url}/health").status_code == 200


def test_what_the_sdk_cannot_read_is_not_quoted_in_the_log(tmp_path: Path) -> None:
    wrong = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7, "told": "Ana drinks tea"}}

    with workers(tmp_path, 1) as url:
        wait_for(url)
        with httpx.Client(trust_env=False, timeout=60) as caller:
            answer = caller.post(f"{url}/mcp", json=wrong, headers=HEADERS)

    assert answer.status_code < 500
    assert "Ana drinks tea" not in (tmp_path / "log").read_text()


def test_several_workers_answer_one_client_because_none_of_them_keeps_a_session(tmp_path: Path) -> None:
    async def remember(caller: Caller, number: int) -> None:
        await caller.remember(f"Fact number {number} is kept", key=f"fact/{number}")

    async def story(url: str) -> None:
        for number in range(6):  # each connection goes to whichever worker takes it
            async with over_http(f"{url}/mcp/shared") as caller:
                await remember(caller, number)
                shown = await caller.call("forget", ids=[await caller.remember("To be forgotten")])
            async with over_http(f"{url}/mcp/shared") as another:
                ids = [item["id"] for item in shown.data["would_erase"]]
                erased = await another.call("forget", ids=ids, confirm=shown.data["confirm"])
                assert erased.data["erased"] == ids
                assert len(await another.recall("which facts are kept?", limit=10)) == number + 1

    with workers(tmp_path, 2) as url:
        wait_for(url)
        asyncio.run(story(url))

    log = (tmp_path / "log").read_text()
    assert "Fact number" not in log
    assert '"level": "error"' not in log
