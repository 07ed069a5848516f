"""Strangers cost nothing: their bodies are not read, their wrong keys are not looked up for long."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from truekeep.server import openapi
from truekeep.server.bodies import SMALL
from truekeep.server.callers import Strangers
from truekeep.server.problems import TooManyTries

from .served import OPERATOR, Served, at, detail, serving

DOCUMENT = json.loads((Path(__file__).parent.parent.parent / "docs/reference/openapi.json").read_text(encoding="utf-8"))
WITH_BODIES = [
    (method.upper(), path)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if "requestBody" in operation
]


def answered(served: Served, request: bytes) -> bytes:
    """The first line of the answer to what was sent so far."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as line:
        line.sendall(request)
        return line.recv(4_096).partition(b"\r\n")[0]


@pytest.mark.parametrize("headers", [b"", b"X-API-Key: tk_wrong\r\n"], ids=["no key", "a wrong key"])
@pytest.mark.parametrize(("method", "path"), [*WITH_BODIES, ("POST", "/mcp"), ("POST", "/mcp/bot")])
def test_a_stranger_is_refused_before_the_body_is_sent(served: Served, method: str, path: str, headers: bytes) -> None:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20000\r\n"

    assert answered(served, head.encode() + headers + b'\r\n{"items":[') == b"HTTP/1.1 401 Unauthorized"


def test_a_form_of_somebody_without_a_session_is_not_read(served: Served) -> None:
    origin = f"Origin: http://127.0.0.1:{served.port}\r\nHost: 127.0.0.1:{served.port}\r\n"
    form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 20000\r\n\r\nname="

    for path in ("/console/keys", "/console/spaces/bot/items", "/console/logout"):
        assert b" 401 " in answered(served, f"POST {path} HTTP/1.1\r\n{origin}{form}".encode())
    login = f"POST /console/login HTTP/1.1\r\n{origin}{form}".replace("20000", "100000")
    assert b" 413 " in answered(served, login.encode())


def lists(schema: Any) -> Iterator[dict[str, Any]]:
    """Every list in the schema of a model, but for those of JSON that may be anything, where nothing is wrong."""
    if isinstance(schema, dict):
        if schema.get("type") == "list" and "JsonValue" not in schema["items_schema"].get("schema_ref", ""):
            yield schema
        for part in schema.values():
            yield from lists(part)
    elif isinstance(schema, list | tuple):
        for part in schema:
            yield from lists(part)


@pytest.mark.parametrize("model", [openapi.BODIES[name] for name in sorted(openapi.BODIES)])
def test_every_list_of_a_body_has_an_end_and_is_left_at_its_first_error(model: Any) -> None:
    for found in lists(model.__pydantic_core_schema__):
        assert found.get("max_length", 10**9) <= 10_000
        assert found.get("fail_fast")


def test_a_million_wrong_items_are_one_error(served: Served) -> None:
    with served.caller() as caller:
        answer = caller.post(
            at("bot", "memories"),
            content=b'{"items":[' + b"{}," * 600_000 + b"{}]}",
            headers={"Content-Type": "application/json"},
        )

    assert detail(answer, 422)["argument"].startswith("items.0")


def test_only_batches_values_and_transcripts_are_large(served: Served) -> None:
    with served.caller() as caller:
        for path in (at("bot", "recall"), at("bot", "forget"), "/v1/keys", "/v1/memory/remember"):
            detail(caller.post(path, json={"query": "x" * SMALL}), 413)
        batch = caller.post(at("bot", "memories"), json=[f"{n} " + "x" * 60_000 for n in range(20)])
        value = caller.put(at("bot", "values", "k"), json={"value": "x" * 2 * SMALL})

    assert (batch.status_code, value.status_code) == (201, 200)


def test_an_address_that_keeps_trying_wrong_keys_is_slowed_down(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR, wrong_keys=3) as running:
        with running.caller() as known:
            assert known.get("/v1/spaces").status_code == 200
        found = []
        for n in range(6):
            with running.caller(f"tk_wrong_{n}") as caller:
                found.append(caller.get("/v1/spaces"))

        assert [answer.status_code for answer in found] == [401] * 3 + [429] * 3
        assert 1 <= int(found[-1].headers["retry-after"]) <= 20
        with running.caller() as known, running.caller(None) as nobody:
            assert known.get("/v1/spaces").status_code == 200  # nobody whom we know is held up
            assert nobody.get("/health").status_code == 200


class Ticking:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_slowed_address_gets_its_tries_back_with_time() -> None:
    clock = Ticking()
    strangers = Strangers(6, clock)
    for _ in range(6):
        strangers.refuse("192.0.2.1", b"wrong")
        strangers.failed("192.0.2.1", b"wrong")

    with pytest.raises(TooManyTries):
        strangers.refuse("192.0.2.1", b"wrong")
    strangers.refuse("192.0.2.2", b"wrong")
    clock.now += 10
    strangers.refuse("192.0.2.1", b"wrong")
    strangers.failed("192.0.2.1", b"wrong")
    with pytest.raises(TooManyTries):
        strangers.refuse("192.0.2.1", b"wrong")


def test_addresses_of_one_ipv6_network_are_one() -> None:
    strangers = Strangers(1, Ticking())
    strangers.failed("2001:db8::1", b"wrong")

    with pytest.raises(TooManyTries):
        strangers.refuse("2001:db8::ffff", b"wrong")
    strangers.refuse("2001:db8:0:1::1", b"wrong")


def test_a_key_is_known_for_a_minute_or_until_it_fails() -> None:
    clock = Ticking()
    strangers = Strangers(1, clock)
    strangers.came_in(b"good")
    strangers.came_in(None)
    seen = strangers.knows(b"good"), strangers.knows(None), strangers.knows(b"other")
    strangers.failed(None, b"good")
    clock.now += 60

    assert seen == (True, True, False)
    assert (strangers.knows(b"good"), strangers.knows(None)) == (False, False)


def test_what_is_remembered_of_strangers_does_not_grow() -> None:
    strangers = Strangers(1, Ticking())
    for n in range(30_000):
        strangers.came_in(n.to_bytes(4))
        strangers.failed(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", b"wrong")

    assert len(strangers._known) <= 10_000
    assert len(strangers._busy) <= 10_000
