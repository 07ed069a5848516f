"""Malformed bodies of every kind, for every route: an answer in the 400s, never a 500 or a hang, nothing written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .route_cases import CASES, Names, Route, name_of
from .served import OPERATOR, Served, at, serving
from .unharmed import unharmed

pytestmark = pytest.mark.long

WRITES = [route for route in CASES if route[0] in ("POST", "PUT", "PATCH") and CASES[route].body is not None]
NAMES = Names(space="bot", id="x", value="v", job="x", key="x")
MOST = 5 * 1024 * 1024
TEN_MEGABYTES = 10 * 1024 * 1024

NOT_JSON: dict[str, bytes] = {
    "nothing": b"",
    "blank": b" \n",
    "half": b'{"content": "tea"',
    "words": b"content=tea",
    "single quotes": b"{'content': 'tea'}",
    "a comment": b'{"content": "tea"} // really',
    "two documents": b'{"content": "tea"}{"content": "tea"}',
    "a byte order mark": b'\xef\xbb\xbf{"content": "tea"}',
    "UTF-16": '{"content": "tea"}'.encode("utf-16"),
    "broken UTF-8": b'{"content": "\xff\xfe"}',
    "an overlong NUL": b'{"content": "\xc0\x80"}',
    "a raw surrogate": b'{"content": "\xed\xa0\x80"}',
    "a lone surrogate": b'{"content": "\\ud800"}',
    "a raw control character": b'{"content": "a\x01b"}',
    "NaN alone": b"NaN",
    "many brackets": b"[" * 100_000 + b"]" * 100_000,
    "open brackets": b"[" * 100_000,
    "many objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep inside": b'{"content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a deep value": b'{"value": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a number without end": b'{"by": ' + b"9" * 100_000 + b"}",
    "gzip": bytes.fromhex("1f8b08000000000000ffab56ca48cdc9c95700"),
    "ten megabytes of noise": b"x" * TEN_MEGABYTES,
    "ten megabytes of text": b'{"content": "' + b"x" * TEN_MEGABYTES + b'"}',
    "ten megabytes of brackets": b"[" * TEN_MEGABYTES,
}
NOT_AN_OBJECT: dict[str, bytes] = {
    "a text": b'"text"',
    "a number": b"5",
    "null": b"null",
    "true": b"true",
    "a list of numbers": b"[1, 2]",
    "a list of lists": b"[[]]",
    "nothing known": b'{"": 1}',
}
WRONG: list[Any] = [None, True, 5, -0.5, [], [[]], {}, {"a": 1}, "", "a\x00b", "\x07", "x" * 70_000, [None], ["\x00"]]
ANY_JSON = {"value", "element", "metadata"}  # where everything is welcome


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("barrage")
    with serving(folder, admin_key=OPERATOR, body_bytes=MOST, import_bytes=MOST) as running:
        yield running


@pytest.fixture(scope="module")
def caller(served: Served) -> Iterator[httpx.Client]:
    with served.tenant() as made:
        made.timeout = httpx.Timeout(10)
        made.post(at("bot", "memories"), json={"content": "Ana likes tea"})
        made.put(at("bot", "values", "v"), json={"value": 1})
        yield made


@pytest.fixture(autouse=True)
def untouched(served: Served, caller: httpx.Client, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with unharmed(served, caller, caplog):
        yield


def send(caller: httpx.Client, route: Route, body: bytes, kind: str = "application/json") -> httpx.Response:
    return caller.request(route[0], NAMES.path(route), content=body, headers={"Content-Type": kind})


def refused(answer: httpx.Response, *statuses: int) -> None:
    assert 400 <= answer.status_code < 500, answer.text[:300]
    assert answer.status_code in (statuses or range(400, 500)), answer.text[:300]
    assert answer.json()["detail"]


@pytest.mark.parametrize("route", WRITES, ids=name_of)
def test_what_is_no_json_is_refused(caller: httpx.Client, route: Route) -> None:
    for name, body in NOT_JSON.items():
        statuses = (413,) if len(body) > MOST else (400, 422)

        answer = send(caller, route, body)

        assert answer.status_code in statuses, (name, answer.text[:300])
        refused(answer)


@pytest.mark.parametrize("route", WRITES, ids=name_of)
def test_what_is_no_object_is_refused(caller: httpx.Client, route: Route) -> None:
    for body in NOT_AN_OBJECT.values():
        refused(send(caller, route, body), 422, 400)


@pytest.mark.parametrize("route", WRITES, ids=name_of)
def test_numbers_that_json_does_not_have_are_refused(caller: httpx.Client, route: Route) -> None:
    given = NAMES.body(CASES[route].body)
    for number in ("NaN", "Infinity", "-Infinity"):
        for field in given:
            text = json.dumps({**given, field: "@"}).replace('"@"', number)
            refused(send(caller, route, text.encode()), 400, 422)
        more = json.dumps({**given, "more": "@"}).replace('"@"', f"[{number}]")
        refused(send(caller, route, more.encode()), 400, 422)


@pytest.mark.parametrize("route", WRITES, ids=name_of)
def test_a_number_too_large_to_keep_is_refused(caller: httpx.Client, route: Route) -> None:
    given = NAMES.body(CASES[route].body)
    for field in given:
        for number in ("1e400", "-1e400", "[1e400]", "1" * 1_500):
            text = json.dumps({**given, field: "@"}).replace('"@"', number)
            if field in ANY_JSON and number.isdecimal():
                continue  # a long number is a number
            refused(send(caller, route, text.encode()), 400, 422)


@pytest.mark.parametrize("route", WRITES, ids=name_of)
def test_wrong_types_are_refused(served: Served, route: Route) -> None:
    """With another tenant: some of these may be right for one of the routes, and leave something there."""
    given = NAMES.body(CASES[route].body)
    with served.tenant() as other:
        other.timeout = httpx.Timeout(10)
        for field in given:
            for wrong in WRONG:
                answer = send(other, route, json.dumps({**given, field: wrong}).encode())
                assert answer.status_code < 500, (field, wrong, answer.text[:300])
                if isinstance(wrong, dict) and field in ("positions", "receipt"):
                    continue  # numbers by any names, and whatever somebody shows
                if isinstance(wrong, dict | list) and field not in ANY_JSON and wrong not in ([], [None], ["\x00"]):
                    refused(answer, 422, 403)  # forbidden: no quotas are quotas, and for the operator to give


@pytest.mark.parametrize("route", [route for route in WRITES if not route[1].endswith("/import")], ids=name_of)
@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/xml", "", "/;;"])
def test_other_media_types_are_refused(caller: httpx.Client, route: Route, kind: str) -> None:
    body = json.dumps(NAMES.body(CASES[route].body)).encode()

    refused(send(caller, route, body, kind), 415, 400)


@pytest.mark.parametrize("route", WRITES, ids=name_of)
def test_a_body_without_an_announced_end_is_cut_off(caller: httpx.Client, route: Route) -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"content": "'
        for _ in range(TEN_MEGABYTES // 65_536):
            yield b"x" * 65_536

    try:
        answer = caller.request(
            route[0], NAMES.path(route), content=endless(), headers={"Content-Type": "application/json"}
        )
    except httpx.WriteError:
        return  # told so, and hung up, before all of it was sent
    refused(answer, 413)
