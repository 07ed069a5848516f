"""Listing memories over HTTP: pages, offsets, filters."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest

from .served import Served, at, detail
from .test_native_memories import remember


def test_pages_neither_repeat_nor_lose_while_items_come_in(ana: httpx.Client, served: Served) -> None:
    expected = []
    for number in range(25):
        served.clock.advance(timedelta(seconds=1))
        expected.append(remember(ana, "bot", f"statement number {number}")["id"])
    seen: list[str] = []
    cursor: str | None = None

    while True:
        page = ana.get(at("bot", "memories"), params={"limit": 4, **({"cursor": cursor} if cursor else {})}).json()
        seen += [item["id"] for item in page["items"]]
        served.clock.advance(timedelta(seconds=1))
        remember(ana, "bot", f"latecomer {len(seen)}")
        cursor = page["cursor"]
        if cursor is None:
            break

    assert seen == expected[::-1]


def test_a_page_that_is_just_full_is_the_last(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=["one thing", "another thing"])

    page = ana.get(at("bot", "memories"), params={"limit": 2}).json()

    assert len(page["items"]) == 2
    assert page["cursor"] is None


def test_an_offset_does_as_well(ana: httpx.Client, served: Served) -> None:
    for number in range(4):
        served.clock.advance(timedelta(seconds=1))
        remember(ana, "bot", f"statement number {number}")

    page = ana.get(at("bot", "memories"), params={"limit": 2, "offset": 1}).json()

    assert [item["content"] for item in page["items"]] == ["statement number 2", "statement number 1"]


def test_filters_choose_what_is_listed(ana: httpx.Client) -> None:
    remember(ana, "bot", "Ana likes tea", kind="preference", tags=["ana", "drink"], session="s1", speaker="Ana")
    remember(ana, "bot", "Bo likes coffee", kind="preference", tags=["bo", "drink"], session="s2", speaker="Bo")
    remember(ana, "bot", "The sky is blue", source="crawler", when="2020-01-01T00:00:00Z")

    def listed(**params: object) -> list[str]:
        answer = ana.get(at("bot", "memories"), params=params)  # type: ignore[arg-type]
        assert answer.status_code == 200, answer.text
        return sorted(item["content"] for item in answer.json()["items"])

    assert listed(kinds="preference") == ["Ana likes tea", "Bo likes coffee"]
    assert listed(kinds=["preference", "fact"]) == ["Ana likes tea", "Bo likes coffee", "The sky is blue"]
    assert listed(kinds="-preference") == ["The sky is blue"]
    assert listed(tags=["drink", "bo"]) == ["Bo likes coffee"]
    assert listed(session="s1") == ["Ana likes tea"]
    assert listed(speaker="Bo") == ["Bo likes coffee"]
    assert listed(source="crawler") == ["The sky is blue"]
    assert listed(until="2021-01-01T00:00:00Z") == ["The sky is blue"]
    assert listed(since="2021-01-01T00:00:00Z") == ["Ana likes tea", "Bo likes coffee"]
    assert listed(before="2021-01-01T00:00:00Z") == []
    assert listed(min_trust="user") == ["Ana likes tea", "Bo likes coffee"]


@pytest.mark.parametrize(
    "params",
    [
        {"limit": 0},
        {"limit": 1001},
        {"limit": "many"},
        {"cursor": "made up"},
        {"cursor": "!" * 22},
        {"offset": -1},
        {"kinds": "No Slug"},
        {"since": "yesterday"},
        {"since": "1700000000"},
        {"since": "2026-01-01T00:00:00"},
        {"min_trust": "god"},
        {"include_superseded": "perhaps"},
        {"session": ""},
    ],
    ids=str,
)
def test_a_wrong_parameter_is_named(ana: httpx.Client, params: dict[str, str]) -> None:
    problem = detail(ana.get(at("bot", "memories"), params=params), 422)

    assert problem["argument"].partition(".")[0] == next(iter(params))
