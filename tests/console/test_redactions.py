"""Where secrets were taken out: however far back, nothing is missed and no page reads all of a space at once."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from playwright.sync_api import Browser, expect

from tests.server.served import Served, at
from truekeep.server.console import review

from .browser import Window
from .visitor import Visitor

SECRET = "AKIAIOSFODNN7EXAMPLE"  # the example key of a cloud's own documentation


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a few items were many."""
    monkeypatch.setattr(review, "_LOOKED_AT", 6)
    monkeypatch.setattr(review, "_AT_ONCE", 4)


@pytest.fixture
def key(served: Served) -> str:
    """Of a tenant with forty items, a secret taken out of every tenth and of the five oldest."""
    made: str = served.new_key()["key"]
    with served.caller(made) as caller:
        for number in range(40):
            secret = f" with {SECRET}" if number % 10 == 0 or number < 5 else ""
            draft = {"content": f"statement {number}{secret}", "when": f"2026-01-01T00:{number:02}:00Z"}
            assert caller.post(at("bot", "memories"), json=draft).status_code == 201
    return made


EXPECTED = [30, 20, 10, 4, 3, 2, 1, 0]


def numbers_in(page: str) -> list[int]:
    found = page.partition('id="redactions"')[2] or page
    return [int(number) for number in re.findall(r"statement (\d+)", found)]


def walked(visitor: Visitor) -> list[list[int]]:
    """What each page tells, from link to link."""
    told, path = [], "/console/spaces/bot/review"
    while path:
        page = visitor.get(path)
        assert page.status_code == 200
        told.append(numbers_in(page.text))
        further = re.search(r'href="(review\?after=[^"#]+)#redactions"', page.text)
        path = f"/console/spaces/bot/{further[1]}" if further else ""
    return told


@pytest.mark.usefixtures("small_steps")
def test_every_redaction_is_found_from_link_to_link(served: Served, key: str) -> None:
    with closing(Visitor(served, key)) as visitor:
        told = walked(visitor)

    assert [number for page in told for number in page] == EXPECTED
    assert len(told) == 6  # of four items, then of eight each: whole steps of four until six were looked at


def test_a_page_ends_behind_the_last_one_for_which_there_is_room(
    served: Served, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "_SHOWN", 3)

    with closing(Visitor(served, key)) as visitor:
        told = walked(visitor)

    assert told == [[30, 20, 10], [4, 3, 2], [1, 0]]


@pytest.mark.usefixtures("small_steps")
def test_the_script_looks_further_back_by_itself(browser: Browser, served: Served, key: str) -> None:
    window = Window(browser, served.url)
    window.log_in(key)
    window.page.goto("/console/spaces/bot/review")

    items = window.page.locator("#redactions .item")
    expect(items).to_have_count(len(EXPECTED))
    expect(window.page.get_by_text("Look further back")).to_have_count(0)
    expect(window.page.get_by_text("None further back")).to_have_count(0)
    told = numbers_in(window.page.content())
    serious = window.serious()
    window.close()

    assert told == EXPECTED
    assert serious == []
    assert window.wrong == []


def test_a_cursor_that_is_none_is_told(served: Served, key: str) -> None:
    with closing(Visitor(served, key)) as visitor:
        answer = visitor.get("/console/spaces/bot/review?after=nothing")

    assert answer.status_code == 422
    assert "cursor" in answer.text
