"""Values over HTTP: JSON under keys, versions as ETags, atomic edits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest

from .served import Served, at, detail

VALUES: list[Any] = [
    0,
    -1.5,
    "",
    "null",
    "\x00 \U0001f375",
    True,
    False,
    [],
    {},
    {"a": [None, {"b": 1}]},
    2**70,
    [1, "x"],
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_any_json_comes_back_as_it_was(ana: httpx.Client, value: Any) -> None:
    kept = ana.put(at("bot", "values", "k"), json={"value": value})

    read = ana.get(at("bot", "values", "k"))

    assert kept.status_code == read.status_code == 200
    assert read.json() == kept.json()
    assert read.json()["value"] == value
    assert type(read.json()["value"]) is type(value)
    assert read.json().keys() == {"key", "value", "version", "created", "updated", "expires"}


def test_the_etag_is_the_version_and_it_grows(ana: httpx.Client) -> None:
    first = ana.put(at("bot", "values", "k"), json={"value": 1})
    second = ana.put(at("bot", "values", "k"), json={"value": 2})

    assert first.headers["etag"] == f'"{first.json()["version"]}"'
    assert second.json()["version"] > first.json()["version"]
    assert ana.get(at("bot", "values", "k")).headers["etag"] == second.headers["etag"]


def test_a_write_with_the_right_version_goes_through_and_one_with_another_does_not(ana: httpx.Client) -> None:
    etag = ana.put(at("bot", "values", "k"), json={"value": 1}).headers["etag"]

    right = ana.put(at("bot", "values", "k"), json={"value": 2}, headers={"If-Match": etag})
    wrong = ana.put(at("bot", "values", "k"), json={"value": 3}, headers={"If-Match": etag})

    assert right.status_code == 200
    assert detail(wrong, 412)["type"] == "urn:truekeep:precondition-failed"
    assert ana.get(at("bot", "values", "k")).json()["value"] == 2


@pytest.mark.parametrize("etag", ['"nonsense"', '"-1"', '"' + "9" * 40 + '"', "", '"1", "2"'])
def test_a_version_that_never_was_does_not_match(ana: httpx.Client, etag: str) -> None:
    ana.put(at("bot", "values", "k"), json={"value": 1})

    detail(ana.put(at("bot", "values", "k"), json={"value": 2}, headers={"If-Match": etag}), 412)

    assert ana.get(at("bot", "values", "k")).json()["value"] == 1


def test_a_star_matches_whatever_is_there(ana: httpx.Client) -> None:
    detail(ana.put(at("bot", "values", "k"), json={"value": 1}, headers={"If-Match": "*"}), 412)

    created = ana.put(at("bot", "values", "k"), json={"value": 1}, headers={"If-None-Match": "*"})
    again = ana.put(at("bot", "values", "k"), json={"value": 2}, headers={"If-None-Match": "*"})
    changed = ana.put(at("bot", "values", "k"), json={"value": 3}, headers={"If-Match": "*"})

    assert created.status_code == changed.status_code == 200
    detail(again, 412)
    assert ana.get(at("bot", "values", "k")).json()["value"] == 3


def test_only_one_of_many_creates_the_value(served: Served, ana: httpx.Client) -> None:
    def create(number: int) -> int:
        return ana.put(at("bot", "values", "k"), json={"value": number}, headers={"If-None-Match": "*"}).status_code

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(create, range(16)))

    assert sorted(statuses) == [200, *[412] * 15]


def test_null_deletes(ana: httpx.Client) -> None:
    ana.put(at("bot", "values", "k"), json={"value": 1})

    deleted = ana.put(at("bot", "values", "k"), json={"value": None})

    assert deleted.status_code == 200
    assert deleted.json() == {"key": "k", "deleted": True}
    detail(ana.get(at("bot", "values", "k")), 404)


def test_a_value_is_deleted_once(ana: httpx.Client) -> None:
    ana.put(at("bot", "values", "k"), json={"value": 1})

    assert ana.delete(at("bot", "values", "k")).json() == {"key": "k", "deleted": True}
    detail(ana.delete(at("bot", "values", "k")), 404)
    assert ana.get(at("bot", "values")).json() == {"keys": []}


def test_keys_are_listed_in_order(ana: httpx.Client) -> None:
    for key in ("b", "a", "c/d"):
        ana.put(at("bot", "values", key), json={"value": key})

    assert ana.get(at("bot", "values")).json() == {"keys": ["a", "b", "c/d"]}


def test_a_value_with_a_ttl_ends(served: Served, ana: httpx.Client) -> None:
    ana.put(at("bot", "values", "k"), json={"value": 1, "ttl": 60})

    served.clock.advance(timedelta(seconds=59))
    assert ana.get(at("bot", "values", "k")).status_code == 200
    served.clock.advance(timedelta(seconds=1))
    detail(ana.get(at("bot", "values", "k")), 404)
    assert ana.get(at("bot", "values")).json() == {"keys": []}


def test_no_append_and_no_increment_is_lost_among_many(ana: httpx.Client) -> None:
    def edit(number: int) -> None:
        assert ana.post(at("bot", "values", "log", "append"), json={"element": number}).status_code == 200
        assert ana.post(at("bot", "values", "n", "increment"), json={"by": 2}).status_code == 200

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(edit, range(40)))

    assert sorted(ana.get(at("bot", "values", "log")).json()["value"]) == list(range(40))
    assert ana.get(at("bot", "values", "n")).json()["value"] == 80


def test_one_is_added_where_nothing_is_said(ana: httpx.Client) -> None:
    assert ana.post(at("bot", "values", "n", "increment"), json={}).json()["value"] == 1


def test_edits_of_the_wrong_kind_of_value_change_nothing(ana: httpx.Client) -> None:
    ana.put(at("bot", "values", "k"), json={"value": "text"})

    detail(ana.post(at("bot", "values", "k", "append"), json={"element": 1}), 422)
    detail(ana.post(at("bot", "values", "k", "increment"), json={"by": 1}), 422)

    assert ana.get(at("bot", "values", "k")).json()["value"] == "text"


@pytest.mark.parametrize(
    ("method", "rest", "body", "other"),
    [
        ("PUT", (), {"value": 1}, {"value": 2}),
        ("POST", ("append",), {"element": 1}, {"element": 2}),
        ("POST", ("increment",), {"by": 1}, {"by": 2}),
    ],
    ids=["set", "append", "increment"],
)
def test_a_retry_with_the_same_idempotency_key_edits_once(
    ana: httpx.Client, method: str, rest: tuple[str, ...], body: dict[str, int], other: dict[str, int]
) -> None:
    path, headers = at("bot", "values", "k", *rest), {"Idempotency-Key": "once"}
    first = ana.request(method, path, json=body, headers=headers)

    again = ana.request(method, path, json=body, headers=headers)

    assert again.status_code == 200
    assert again.json() == first.json()
    detail(ana.request(method, path, json=other, headers=headers), 409)
    assert ana.get(at("bot", "values", "k")).json()["version"] == first.json()["version"]


def test_a_large_value_is_kept(ana: httpx.Client) -> None:
    value = "é" * 2_000_000

    ana.put(at("bot", "values", "k"), json={"value": value})

    assert ana.get(at("bot", "values", "k")).json()["value"] == value
