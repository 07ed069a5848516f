"""Every page, in a browser: it shows what it should, nothing goes wrong on it, and everybody can use it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Browser, expect

from tests.server.served import OPERATOR, Served

from .browser import Window
from .household import INJECTED, NEW, OLD, SECRET, SPACE, Household

PAGES = {
    "spaces": "/console",
    "space": f"/console/spaces/{SPACE}/items?query=when+are+releases+cut",
    "item": f"/console/spaces/{SPACE}/items/ID",
    "edit": f"/console/spaces/{SPACE}/items/ID/edit",
    "forget": f"/console/spaces/{SPACE}/forget?id=ID",
    "review": f"/console/spaces/{SPACE}/review",
    "map": f"/console/spaces/{SPACE}/map",
    "values": f"/console/spaces/{SPACE}/values",
    "value": f"/console/spaces/{SPACE}/values/profile",
    "explain": f"/console/spaces/{SPACE}/explain?id=ID&query=walnuts",
    "jobs": "/console/jobs",
    "usage": "/console/usage",
    "keys": "/console/keys",
    "chosen key": "/console/keys?id=KEY",
}
PICTURED = {"spaces", "space", "item", "review", "map", "values", "jobs", "usage", "keys"}


@pytest.fixture(scope="module")
def house(served: Served) -> Iterator[Household]:
    """One for all of these tests: they only look."""
    house = Household(served)
    with closing(house.caller):
        house.caller.post(f"/v1/spaces/{SPACE}/flush", json={"limit": 10})
        yield house


def opened(window: Window, house: Household, name: str) -> None:
    path = PAGES[name].replace("ID", house.ids["Ana works with TypeScript"]).replace("KEY", house.key_id)
    answer = window.page.goto(path)
    assert answer is not None
    assert answer.status == 200, answer.text()
    if name == "map":
        window.page.wait_for_selector("#map[data-ready]")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_fit_for_everybody(window: Window, house: Household, name: str) -> None:
    opened(window, house, name)

    assert window.page.locator("h1").count() == 1
    assert window.serious() == []
    assert window.overflow() == 0
    if name in PICTURED:
        window.picture(name)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_telephone_and_the_dark(browser: Browser, served: Served, house: Household, name: str) -> None:
    window = Window(browser, served.url, width=360, scheme="dark")
    window.log_in(house.key)
    opened(window, house, name)

    wider, serious = window.overflow(), window.serious()
    if name == "space":
        window.picture("dark-and-narrow")
    window.close()

    assert wider == 0
    assert serious == []
    assert window.wrong == []


def test_the_login_page_is_fit_for_everybody(browser: Browser, served: Served) -> None:
    window = Window(browser, served.url)
    window.page.goto("/console/login")

    serious = window.serious()
    window.picture("login")
    window.close()

    assert serious == []
    assert window.wrong == []


def test_spaces_are_listed_with_their_kinds_and_what_happens_in_them(window: Window, house: Household) -> None:
    window.page.goto("/console")

    row = window.page.get_by_role("row").filter(has_text=SPACE)
    expect(row).to_contain_text("fact")
    expect(row).to_contain_text("decision 1")
    expect(row.get_by_role("img", name="New items: 16 in 30 days")).to_be_visible()
    expect(row.get_by_role("img", name="Recalls: 1 in 30 days")).to_be_visible()
    expect(row.locator("polyline")).to_have_count(2)


def test_spaces_are_searched_and_opened_by_name(window: Window, house: Household) -> None:
    window.page.goto("/console")

    window.page.get_by_label("Find a space").fill("SUPPORT")
    window.page.get_by_role("button", name="Find").click()
    expect(window.page.get_by_role("link", name=SPACE)).to_be_visible()

    window.page.get_by_label("Find a space").fill("no such name")
    window.page.get_by_role("button", name="Find").click()
    expect(window.page.get_by_text("No space has")).to_be_visible()

    window.page.get_by_label("Open or begin one").fill("a/new space?")
    window.page.get_by_role("button", name="Open").click()
    expect(window.page.get_by_role("heading", level=1)).to_have_text("a/new space?")
    expect(window.page.get_by_text("Nothing is remembered here yet.")).to_be_visible()


def test_an_item_tells_its_source_validity_and_history(window: Window, house: Household) -> None:
    opened(window, house, "item")

    main = window.page.locator("main")
    for told in ("Ana works with TypeScript", "ana/language", "trust", "True", "Believed", "Recalled"):
        expect(main).to_contain_text(told, ignore_case=True)
    versions = window.page.locator("ol.timeline li")
    expect(versions).to_have_count(3)
    expect(versions.first).to_contain_text("Ana works with Java")
    expect(versions.first).to_contain_text("Rule: superseded by")
    assert window.page.locator("ol.matches li").count() > 0


def test_review_shows_doubts_quarantine_and_redactions(window: Window, house: Household) -> None:
    opened(window, house, "review")

    expect(window.page.get_by_role("region", name="Doubt 1")).to_contain_text(OLD)
    expect(window.page.get_by_role("region", name="Doubt 1")).to_contain_text(NEW)
    expect(window.page.get_by_role("region", name="Quarantined 1")).to_contain_text(INJECTED)
    expect(window.page.locator("main")).to_contain_text("The key of the bucket is")
    assert SECRET not in window.page.content()


def test_jobs_are_listed_with_their_state(window: Window, house: Household) -> None:
    opened(window, house, "jobs")

    row = window.page.get_by_role("row").filter(has_text=SPACE)
    expect(row).to_contain_text("extract")
    expect(row).to_contain_text("done")


def test_usage_shows_requests_and_quotas(window: Window, house: Household) -> None:
    opened(window, house, "usage")

    expect(window.page.get_by_role("region", name="Quotas")).to_contain_text("recalls this month")
    expect(window.page.get_by_role("region", name="Counts")).to_contain_text("the house key")
    assert window.page.get_by_role("region", name="Latencies").count() == 0


def test_only_the_operator_sees_how_long_answers_took(browser: Browser, served: Served, house: Household) -> None:
    window = Window(browser, served.url)
    window.log_in(OPERATOR)
    window.page.goto("/console/usage")

    told = window.page.get_by_role("region", name="Latencies").inner_text()
    serious = window.serious()
    window.close()

    assert "/v1/spaces/{space}/memories" in told
    assert " ms" in told
    assert serious == []
    assert window.wrong == []
