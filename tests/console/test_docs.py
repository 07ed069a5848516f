"""The page of the API, in a browser: fit for everybody, and its examples name the server that it came from."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.server.served import Served

from .browser import Window


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_it_is_fit_for_everybody(browser: Browser, served: Served, width: int, scheme: str) -> None:
    window = Window(browser, served.url, width=width, scheme=scheme)
    window.page.goto("/docs")
    window.page.evaluate("for (const one of document.querySelectorAll('details:nth-of-type(1)')) one.open = true")

    wider, serious = window.overflow(), window.serious()
    window.close()

    assert (wider, serious, window.wrong) == (0, [], [])
    assert [url for url in window.requested if not url.startswith(served.url)] == []


def test_a_link_opens_what_it_leads_to_and_an_example_names_this_server(browser: Browser, served: Served) -> None:
    window = Window(browser, served.url)
    window.page.goto("/docs")
    window.page.click("summary:has-text('POST /v1/spaces/{space}/memories')")

    example = window.page.locator("details[open] pre").inner_text()
    window.page.click("details[open] a:has-text('RememberBody')")
    shown = window.page.locator("#schema-RememberBody").get_by_text("the statement, up to 64 KiB")
    is_shown = shown.is_visible()
    window.close()

    assert example.startswith(f"curl -X POST {served.url}/v1/spaces/support-bot/memories ")
    assert is_shown
    assert window.wrong == []
