"""HEAD is answered wherever GET is: with its headers, without its body, and noted once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from .route_cases import CASES, CONSOLE, MISSING, Names, Route, name_of
from .served import OPERATOR, Served, at, serving

GETS = [route for route in (CASES | CONSOLE) if route[0] == "GET" and "/static/" not in route[1]]
# By time, request or copy. What is sent in chunks has no length, and without a body there are no chunks.
CHANGING = {"content-length", "date", "etag", "last-modified", "set-cookie", "transfer-encoding", "x-request-id"}


@pytest.fixture(scope="module")
def operator(served: Served) -> Iterator[httpx.Client]:
    with served.caller() as made:
        yield made


@pytest.fixture(scope="module")
def names(operator: httpx.Client) -> Names:
    made = operator.post(at("bot", "memories"), json={"content": "Ana likes tea"}).json()
    operator.put(at("bot", "values", "profile"), json={"value": 1})
    return Names(space="bot", id=made["id"], value="profile", job=MISSING, key=MISSING)


@pytest.mark.parametrize("route", GETS, ids=name_of)
def test_it_carries_the_headers_of_get_and_no_body(operator: httpx.Client, names: Names, route: Route) -> None:
    given = (CASES | CONSOLE)[route]
    path = names.path(route) + (f"?{given.query}" if given.query else "")

    get, head = operator.get(path), operator.head(path)

    assert (head.status_code, head.content) == (get.status_code, b"")
    assert _steady(head) == _steady(get)
    assert ("content-length" in head.headers) is ("content-length" in get.headers)


def _steady(answer: httpx.Response) -> list[tuple[str, str]]:
    return [(name, value) for name, value in answer.headers.multi_items() if name not in CHANGING]


def test_where_there_is_no_get_it_is_refused_and_where_there_is_one_it_is_offered(operator: httpx.Client) -> None:
    refused = operator.head(at("bot", "recall"))
    offered = operator.post("/health").headers["allow"]

    assert (refused.status_code, refused.content, refused.headers["allow"]) == (405, b"", "POST")
    assert offered == "GET, HEAD"


def test_it_is_counted_once_and_by_its_own_name(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.caller(None) as caller:
        caller.head("/v1/usage")

        lines = caller.get("/metrics").text.splitlines()

    counted = [line for line in lines if line.startswith("truekeep_requests_total")]
    assert counted == ['truekeep_requests_total{method="HEAD",route="/v1/usage",status="200"} 1.0']


def test_a_recall_by_head_counts_against_the_quota_as_one(served: Served) -> None:
    with served.tenant(quotas={"recalls_per_month": 2}) as caller:
        answers = [caller.head("/v1/memory/recall?q=tea").status_code for _ in range(3)]

    assert answers == [200, 200, 429]


def test_a_stranger_learns_no_more_by_it(served: Served) -> None:
    with served.caller(None) as stranger:
        answer = stranger.head("/v1/spaces")

    assert (answer.status_code, answer.content) == (401, b"")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert OPERATOR not in str(answer.headers)
