"""Every page, in a browser: it shows what it should, nothing goes wrong on it, and everybody can use it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.server.served import OPERATOR, Served, at, serving
from truekeep import Limits
from truekeep.engine.webhooks import Webhooks
from truekeep.errors import EmbedderError
from truekeep.testing.fakes import ChoosyEmbedder

from .browser import Window
from .household import INJECTED, NEW, OLD, SECRET, SPACE, Household
from .visitor import Visitor

PAGES = {
    "spaces": "/console",
    "space": f"/console/spaces/{SPACE}/items?query=when+are+releases+cut",
    "item": f"/console/spaces/{SPACE}/items/ID",
    "edit": f"/console/spaces/{SPACE}/items/ID/edit",
    "forget": f"/console/spaces/{SPACE}/forget?id=ID",
    "review": f"/console/spaces/{SPACE}/review",
    "history": f"/console/spaces/{SPACE}/history",
    "restore": f"/console/spaces/{SPACE}/history/restore?since=before",
    "map": f"/console/spaces/{SPACE}/map",
    "values": f"/console/spaces/{SPACE}/values",
    "value": f"/console/spaces/{SPACE}/values/profile",
    "explain": f"/console/spaces/{SPACE}/explain?id=ID&query=walnuts",
    "jobs": "/console/jobs",
    "usage": "/console/usage",
    "keys": "/console/keys",
    "chosen key": "/console/keys?id=KEY",
    "audit": "/console/audit",
}
PICTURED = {  # with the height of the picture
    "spaces": 400,
    "space": 900,
    "item": 1000,
    "review": 900,
    "map": 1130,
    "values": 400,
    "jobs": 400,
    "usage": 620,
    "keys": 560,
}


CONTROLS = """() => {
  const all = document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary");
  window.controls = [...all].filter((one) => one.checkVisibility());
  return window.controls.length;
}"""
FOCUSED = """() => {
  const one = document.activeElement, place = one.getBoundingClientRect();
  const isRinged = getComputedStyle(one).outlineStyle !== "none" || one.type === "date";  // a part of it has the ring
  const isSeen = place.width > 0 && place.bottom > 0 && place.top < innerHeight;
  return [window.controls.indexOf(one), isRinged && isSeen];
}"""


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
        window.picture(f"console-{name}", height=PICTURED[name])


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_telephone_and_the_dark(browser: Browser, served: Served, house: Household, name: str) -> None:
    window = Window(browser, served.url, width=360, scheme="dark")
    window.log_in(house.key)
    opened(window, house, name)

    wider, serious = window.overflow(), window.serious()
    if name == "space":
        window.picture("console-dark-and-narrow")
    window.close()

    assert wider == 0
    assert serious == []
    assert window.wrong == []


@pytest.mark.parametrize("name", PAGES)
def test_every_control_is_reached_by_key_and_shows_it(window: Window, house: Household, name: str) -> None:
    opened(window, house, name)
    left = set(range(window.page.evaluate(CONTROLS)))
    assert left

    for _ in range(3 * len(left)):  # a date has several stops, a region that scrolls is one
        window.page.keyboard.press("Tab")
        number, is_shown = window.page.evaluate(FOCUSED)
        assert is_shown or number == -1
        left.discard(number)
        if not left:
            break

    assert not left


def test_the_login_page_is_fit_for_everybody(browser: Browser, served: Served) -> None:
    window = Window(browser, served.url)
    window.page.goto("/console/login")

    serious = window.serious()
    window.picture("console-login", height=300)
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


def test_the_last_change_is_not_that_of_the_newest_statement(served: Served) -> None:
    with served.tenant() as caller:
        caller.post(at("archive", "memories"), json={"content": "It is shut", "when": "2020-01-01T00:00:00Z"})
        served.clock.advance(timedelta(days=2))
        caller.post(at("archive", "memories"), json={"content": "It opened", "when": "2019-01-01T00:00:00Z"})
        key = caller.headers["Authorization"].removeprefix("Bearer ")

        with closing(Visitor(served, key)) as visitor:
            page = visitor.get("/console").text

    assert "just now" in page
    assert "2 days ago" not in page


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


def test_an_agent_is_told_what_is_believed_now_and_what_was_before(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items?query=How+should+I+answer+Ana%3F&limit=3")

    expect(window.page.locator("#found .matches").first).to_contain_text("Ana works with TypeScript")
    expect(window.page.locator("#found .matches").first).not_to_contain_text("Kotlin")
    expect(window.page.locator("pre.context")).to_contain_text("(earlier: Ana works with Kotlin)")
    window.page.reload()  # it tells how long it took, and the first question opens the index
    window.picture("console", height=810)


def test_an_item_tells_its_source_validity_and_history(window: Window, house: Household) -> None:
    opened(window, house, "item")

    main = window.page.locator("main")
    for told in ("Ana works with TypeScript", "ana/language", "trust", "True from", "Believed from", "Recalled"):
        expect(main).to_contain_text(told, ignore_case=True)
    versions = window.page.locator("ol.timeline li")
    expect(versions).to_have_count(3)
    expect(versions.first).to_contain_text("Ana works with Java")
    expect(versions.first).to_contain_text("Rule: superseded by")
    rule = versions.first.locator(".why a")
    assert (rule.get_attribute("href") or "").endswith(f"/items/{house.ids['Ana works with Kotlin']}")
    assert window.page.locator("ol.matches li").count() > 0


def test_review_shows_doubts_quarantine_and_redactions(window: Window, house: Household) -> None:
    opened(window, house, "review")

    expect(window.page.get_by_role("region", name="Doubt 1")).to_contain_text(OLD)
    expect(window.page.get_by_role("region", name="Doubt 1")).to_contain_text(NEW)
    expect(window.page.get_by_role("region", name="Doubt 1")).to_contain_text("Rule: perhaps outdated by")
    expect(window.page.get_by_role("region", name="Quarantined 1")).to_contain_text(INJECTED)
    expect(window.page.locator("main")).to_contain_text("The key of the bucket is")
    assert SECRET not in window.page.content()


def test_what_went_wrong_is_told_on_a_page_from_which_one_can_go_on(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items/nothing")

    expect(window.page.get_by_role("alert")).to_contain_text("no item")
    assert window.serious() == []
    expect(window.page.get_by_role("navigation", name="Console")).to_contain_text("Keys")
    expect(window.page.get_by_role("button", name="Log out")).to_be_visible()
    window.page.get_by_role("link", name=f"Back to {SPACE}").click()
    expect(window.page.get_by_role("heading", level=1)).to_have_text(SPACE)
    assert [message for message in window.wrong if "404" not in message] == []
    window.wrong.clear()  # the browser notes the status of the answer


def test_jobs_are_listed_with_their_state(window: Window, house: Household) -> None:
    opened(window, house, "jobs")

    row = window.page.get_by_role("row").filter(has_text=SPACE)
    expect(row).to_contain_text("extract")
    expect(row).to_contain_text("done")


def test_usage_shows_requests_and_quotas(window: Window, house: Household) -> None:
    opened(window, house, "usage")

    expect(window.page.get_by_role("region", name="Quotas")).to_contain_text("recalls this month")
    expect(window.page.get_by_role("row").filter(has_text="writes today")).to_contain_text("not counted")
    expect(window.page.get_by_role("region", name="Counts")).to_contain_text("key: the house key")
    assert window.page.get_by_role("region", name="Latencies").count() == 0


def test_usage_shows_webhooks_to_those_who_may_add_them(browser: Browser, served: Served, house: Household) -> None:
    webhooks = Webhooks(served.opened.parts.store, house.tenant)
    webhooks.add("https://example.org/<b>hook</b>", from_start=True, now=served.clock(), limits=Limits())
    reader = served.new_key(tenant=house.tenant, scopes=["read", "write"])["key"]
    told, serious = [], []
    for key in (house.key, reader):
        window = Window(browser, served.url, width=360)
        window.log_in(key)
        window.page.goto("/console/usage")
        told.append(window.page.get_by_role("region", name="Webhooks").all_inner_texts())
        serious += window.serious()
        window.close()

    [[seen], none] = told
    assert "https://example.org/<b>hook</b>" in seen
    assert "active" in seen
    assert none == []
    assert serious == []


def test_usage_shows_how_much_of_a_quota_is_used(browser: Browser, served: Served) -> None:
    key = served.new_key(quotas={"writes_per_day": 4, "recalls_per_month": 10})["key"]
    with served.caller(key) as caller:
        for number in range(3):
            caller.post(at("bot", "memories"), json={"content": f"statement {number}"})
    window = Window(browser, served.url, width=360)
    window.log_in(key)
    window.page.goto("/console/usage")

    told = window.page.get_by_role("row").filter(has_text="writes today").inner_text().split()
    width = window.page.get_by_role("row").filter(has_text="writes today").locator("rect").get_attribute("width")
    serious = window.serious()
    window.close()

    assert told[-4:] == ["3", "4", "75", "%"]
    assert width == "90.0"
    assert serious == []


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


def test_texts_that_the_embedder_did_not_take_are_told_with_the_space(tmp_path: Path) -> None:
    refusal = EmbedderError("the embedder refused: status 400")
    with serving(tmp_path, embedder=ChoosyEmbedder(16, refusal), background=False, admin_key=OPERATOR) as served:
        with served.caller() as caller:
            caller.post(at("bot", "memories"), json=["a poison text", "Ana likes tea"])
        with closing(Visitor(served, OPERATOR)) as visitor:
            page = visitor.get("/console/spaces/bot/items").text

    assert "1 wait for their vectors · 1 set aside: the embedder refused: status 400" in page
