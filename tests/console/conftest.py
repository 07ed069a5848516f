"""A server with a household, and a browser. Playwright ends with each module: its loop must not meet other tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Browser

from tests.server.served import OPERATOR, Served, serving

from .browser import PICTURES, Window, launched
from .household import Household


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    embedder = "minilm" if PICTURES else None  # which shall show what a reader will see
    with serving(tmp_path_factory.mktemp("console"), admin_key=OPERATOR, embedder=embedder) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture
def house(served: Served) -> Iterator[Household]:
    """A tenant with something of everything, new for each test."""
    house = Household(served)
    with closing(house.caller):
        yield house


@pytest.fixture
def window(browser: Browser, served: Served, house: Household) -> Iterator[Window]:
    """A page that has logged in; nothing may go wrong on it."""
    window = Window(browser, served.url)
    window.log_in(house.key)
    yield window
    window.close()
    assert window.wrong == []
    assert window.dialogs == []
    assert [url for url in window.requested if not url.startswith(served.url)] == []
