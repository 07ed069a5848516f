"""The recall box, the list and the map, with the script at work."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.server.served import Served, at

from .browser import Window
from .household import SPACE, Household

RELEASES = "Releases are cut on Thursdays after the review"
LOCKED = "Running the migration twice locked the orders table"


def recalled(house: Household) -> list[str]:
    found = house.caller.post(at(SPACE, "recall"), json={"query": "when are releases cut"}).json()
    return [match["content"] for match in found["matches"]]


def typed(window: Window, query: str) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items")
    window.page.get_by_label("Recall: what would").press_sequentially(query, delay=5)
    window.page.get_by_role("region", name="What an agent would get").wait_for()


def test_matches_come_while_one_types_and_are_those_of_an_agent(window: Window, house: Household) -> None:
    typed(window, "when are releases cut")

    expect(window.page.locator("#found .matches a").first).to_have_text(RELEASES)
    expected = recalled(house)
    matches = window.page.locator("#found ol.matches").first.locator("li > a")
    expect(matches).to_have_text(expected)  # those for what was typed so far may be there first
    first = window.page.locator("#found li.match").first
    for part in ("score", "similarity", "recency", "frequency", "confidence"):
        expect(first).to_contain_text(part)
    widths = [float(bar.get_attribute("width") or 0) for bar in first.locator("svg.bar rect").all()]
    assert len(widths) == 5
    assert 0 < max(widths) <= 120
    assert window.serious() == []


def test_lessons_and_the_packed_context_are_shown_with_its_tokens(window: Window, house: Household) -> None:
    typed(window, "running the migration on the orders table")

    expect(window.page.get_by_role("heading", name="Lessons to avoid")).to_be_visible()
    given = {"query": "running the migration on the orders table", "max_tokens": 1000}
    packed = house.caller.post(at(SPACE, "context"), json=given).json()
    context = window.page.locator("pre.context")
    expect(context).to_contain_text(LOCKED)
    assert context.text_content() == packed["context"]
    expect(window.page.locator("#tokens")).to_have_text(f"{packed['tokens']} of 1,000 tokens")


def test_looking_does_not_count_as_a_recall_of_the_items(window: Window, house: Household) -> None:
    def frequency() -> float:
        page = window.page.request.get(f"/console/spaces/{SPACE}/items?query=releases").text()
        return float(page.split("frequency</span>")[1].split('class="number">')[1].split("<")[0])

    before = frequency()
    for _ in range(3):
        typed(window, "when are releases cut")

    assert frequency() == before


def test_a_chosen_miss_is_explained(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items")
    window.page.get_by_text("Filters, for recall").click()
    window.page.get_by_label("Matches").fill("1")
    window.page.get_by_label("Recall: what would").press_sequentially("when are releases cut", delay=5)
    expect(window.page.locator("#found li.match")).to_have_count(1)
    row = window.page.locator("#items .item").filter(has_text="Okada-Lund")

    row.get_by_role("button", name="Why not?").click()

    explanation = window.page.get_by_role("region", name="Explanation")
    expect(explanation).to_contain_text("Not found")
    for arm in ("words", "meaning", "together"):
        expect(explanation.get_by_role("rowheader", name=arm)).to_be_visible()
    window.page.get_by_label("Missing something? Its id").fill(house.ids[RELEASES])
    window.page.get_by_role("button", name="Explain").click()
    expect(explanation).to_contain_text("Found")
    assert window.serious() == []


def test_without_a_query_nothing_asks_why_it_was_not_found(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items")
    buttons = window.page.get_by_role("button", name="Why not?")
    expect(buttons).to_have_count(0)

    window.page.get_by_label("Recall: what would").press_sequentially("releases", delay=5)

    expect(buttons.first).to_be_visible()


def test_what_was_asked_goes_along_to_older_items(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items?query=releases&limit=2&tokens=300")

    window.page.get_by_role("link", name="Older items").click()

    expect(window.page.get_by_label("Recall: what would")).to_have_value("releases")
    expect(window.page.locator("#found ol.matches").first.locator("li")).to_have_count(2)
    expect(window.page.locator("#tokens")).to_contain_text("of 300 tokens")
    expect(window.page.locator("#items .item")).to_have_count(len(house.contents()) - 10)


def test_an_id_that_is_not_there_is_told(window: Window, house: Household) -> None:
    typed(window, "when are releases cut")
    window.page.get_by_label("Missing something? Its id").fill("no such id")
    window.page.get_by_role("button", name="Explain").click()

    expect(window.page.get_by_role("alert")).to_contain_text("no item")
    assert [message for message in window.wrong if "404" not in message] == []
    window.wrong.clear()  # the browser notes the status of the answer


def test_filters_hold_for_the_list_and_for_recall(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items")
    window.page.get_by_text("Filters, for recall").click()
    asking = window.page.locator("#asking")
    asking.get_by_label("Kind").select_option("lesson")
    asking.get_by_role("button", name="Filter").click()
    expect(window.page.locator("#items .item")).to_have_count(1)
    expect(window.page.locator("#items")).to_contain_text(LOCKED)

    for label, text, expected in (
        ("Tags, all of them", "style", 1),
        ("Session", "monday", 2),
        ("Speaker", "Cleo", 2),
        ("Since", "2199-01-01", 0),
        ("Until", "2020-01-01", 0),
    ):
        window.page.goto(f"/console/spaces/{SPACE}/items")
        window.page.get_by_text("Filters, for recall").click()
        asking.get_by_label(label, exact=True).fill(text)
        asking.get_by_role("button", name="Filter").click()
        expect(window.page.locator("#items .item")).to_have_count(expected)

    window.page.goto(f"/console/spaces/{SPACE}/items?trust=user&superseded=1&query=surname")
    expect(window.page.locator("#items")).to_contain_text("Ana works with Java")
    assert "Okada-Lund" not in window.page.locator("#items").inner_text()
    assert "Okada-Lund" not in window.page.locator("#found ol").first.inner_text()


def test_the_list_is_moved_through_by_key(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items")
    links = window.page.locator("#items .open")
    links.first.focus()

    window.page.keyboard.press("j")
    window.page.keyboard.press("ArrowDown")
    expect(links.nth(2)).to_be_focused()
    window.page.keyboard.press("k")
    window.page.keyboard.press("x")
    expect(links.nth(1)).to_be_focused()
    expect(window.page.locator("#items input[type=checkbox]").nth(1)).to_be_checked()
    window.page.keyboard.press("End")
    expect(links.last).to_be_focused()
    content = links.last.inner_text()
    window.page.keyboard.press("Enter")

    expect(window.page.locator("pre.text").first).to_have_text(content)


def test_the_list_is_entered_by_key_and_enter_opens_from_a_box_too(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/items")
    first = window.page.locator("#items .item").first
    content = first.locator(".open").inner_text()

    window.page.keyboard.press("j")
    expect(first.locator(".open")).to_be_focused()
    window.page.keyboard.press("Shift+Tab")
    expect(first.get_by_role("checkbox")).to_be_focused()
    window.page.keyboard.press("Enter")

    expect(window.page.locator("pre.text").first).to_have_text(content)


def test_a_point_of_the_map_tells_its_text(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/map")
    window.page.wait_for_selector("#map[data-ready]")
    circles = window.page.locator("#map circle")
    assert circles.count() == len(house.contents())
    assert len({circle.get_attribute("class") for circle in circles.all()}) > 3

    circles.first.dispatch_event("pointerover", {"bubbles": True})
    told = window.page.locator("#point")
    assert told.inner_text() in house.contents()

    first = told.inner_text()
    window.page.locator("#map").focus()
    window.page.keyboard.press("ArrowLeft")
    window.page.keyboard.press("ArrowRight")
    assert told.inner_text() in house.contents()
    told.get_by_role("link").click()
    assert window.page.locator("pre.text").first.inner_text() in house.contents()
    assert first


def test_only_a_point_of_the_map_opens_an_item(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/map")
    window.page.wait_for_selector("#map[data-ready]")
    point = window.page.locator("#map circle").first
    point.hover()
    content = window.page.locator("#point").inner_text()

    window.page.locator("#map").click(position={"x": 1, "y": 1})
    assert window.page.url.endswith("/map")
    point.click()

    expect(window.page.locator("pre.text").first).to_have_text(content)


def test_a_finger_chooses_a_point_first_and_then_opens_it(browser: Browser, served: Served, house: Household) -> None:
    window = Window(browser, served.url, width=360, touch=True)
    window.log_in(house.key)
    window.page.goto(f"/console/spaces/{SPACE}/map")
    window.page.wait_for_selector("#map[data-ready]")
    point = window.page.locator("#map circle").first

    point.tap()
    expect(window.page.locator("#point a")).to_be_visible()
    assert window.page.url.endswith("/map")
    content = window.page.locator("#point").inner_text()
    point.tap()
    expect(window.page.locator("pre.text").first).to_have_text(content)
    window.close()

    assert window.wrong == []


def test_the_timeline_of_claims_tells_what_was_believed_when(window: Window, house: Household) -> None:
    window.page.goto(f"/console/spaces/{SPACE}/map")

    row = window.page.get_by_role("row").filter(has_text="ana/language")
    bars = row.locator("rect.belief")
    expect(bars).to_have_count(3)
    expect(row.locator("rect.past")).to_have_count(2)
    expect(row).to_contain_text("Ana works with TypeScript")
    ends = [float(bar.get_attribute("x") or 0) for bar in bars.all()]
    assert ends == sorted(ends)
