"""Fields that no page sends: told in words on a page, never a 500."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote

import pytest

from tests.server.route_cases import CONSOLE, MISSING, Names, Route, name_of
from tests.server.served import Served, at

from .visitor import Visitor

ODD = ["", "\x00", "a\x00b", "\ud800", "-1", "NaN", "1e400", "9" * 400, "²", "0", "2026-99-99", "<b>"]
FIELDS = (
    *("query", "id", "after", "search", "limit", "tokens", "kind", "tag", "session", "speaker", "since", "until"),
    *("trust", "superseded", "name", "next", "done"),
)
ODD_PATHS = [
    "/console/spaces/%00/items",
    "/console/spaces/%20/items",
    "/console/spaces/" + "n" * 300 + "/items",
    "/console/spaces/%0d%0aX-Evil:%20yes/items",
    "/console/spaces/bot/items/%00",
    "/console/spaces/bot/values/%00",
    "/console/spaces/%ed%a0%80/items",
    "/console/nothing",
    "/console/static/x/%00",
]


@pytest.fixture(scope="module")
def house(served: Served) -> Iterator[tuple[Visitor, Names]]:
    made = served.new_key()
    with served.caller(made["key"]) as caller:
        id = caller.post(at("bot", "memories"), json={"content": "Ana likes tea"}).json()["id"]
        caller.put(at("bot", "values", "v"), json={"value": 1})
    with closing(Visitor(served, made["key"])) as visitor:
        yield visitor, Names(space="bot", id=id, value="v", job=MISSING, key=MISSING)


def encoded(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def odd_queries() -> Iterator[str]:
    for field in FIELDS:
        for text in ODD:
            usual = {"query": "tea", "id": MISSING} | {field: encoded(text)}
            yield "&".join(f"{name}={value}" for name, value in usual.items())


GETS = [route for route in CONSOLE if route[0] == "GET"]
POSTS = [route for route in CONSOLE if route[0] == "POST" and not route[1].endswith(("/login", "/logout"))]


@pytest.mark.parametrize("route", GETS, ids=name_of)
def test_odd_fields_of_an_address(house: tuple[Visitor, Names], route: Route) -> None:
    visitor, names = house
    path = names.path((route[0], route[1].replace("{version}", "x").replace("{name}", "y")))

    for query in odd_queries():
        answer = visitor.get(f"{path}?{query}")
        assert answer.status_code < 500, (query, answer.text)


@pytest.mark.parametrize("route", POSTS, ids=name_of)
def test_odd_fields_of_a_form(house: tuple[Visitor, Names], route: Route) -> None:
    visitor, names = house
    token = visitor.token()
    usual = names.body(CONSOLE[route].body)
    headers = {"Origin": visitor.origin, "Content-Type": "application/x-www-form-urlencoded"}
    path = names.path(route)

    for field in {*usual, "tags", "action", "expires", "kind", "limit"}:
        for text in (*ODD, "x" * 70_000):
            given = {**usual, "token": token, field: text}
            body = "&".join(f"{name}={encoded(value)}" for name, value in given.items())
            if field != "action" and route[1].endswith(("/bulk", "/forget")):
                body = body.replace(names.id, MISSING)  # what is there shall stay there
            answer = visitor.client.post(path, content=body, headers=headers)
            assert answer.status_code < 500, (field, text[:20], answer.text)


@pytest.mark.parametrize("path", ODD_PATHS, ids=lambda path: str(path)[:40])
def test_odd_paths(house: tuple[Visitor, Names], path: str) -> None:
    answer = house[0].get(path)

    assert 400 <= answer.status_code < 500
    assert "x-evil" not in answer.headers
