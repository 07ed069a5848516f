"""What somebody finds who only has the address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from truekeep import __version__

from .served import Served, serving

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture(scope="module")
def stranger(served: Served) -> Iterator[httpx.Client]:
    with served.caller(None) as caller:
        yield caller


def test_a_browser_is_sent_to_the_console(stranger: httpx.Client) -> None:
    answer = stranger.get("/", headers={"Accept": BROWSER})

    assert (answer.status_code, answer.headers["location"]) == (303, "/console")
    assert answer.headers["vary"] == "Accept"


@pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
def test_a_program_is_told_where_everything_is(stranger: httpx.Client, accept: str) -> None:
    answer = stranger.get("/", headers={"Accept": accept})

    card = answer.json()
    assert (answer.status_code, answer.headers["vary"]) == (200, "Accept")
    assert (card["name"], card["version"]) == ("Truekeep", __version__)
    assert card["links"].keys() == {"console", "docs", "openapi", "health", "mcp", "v1"}


def test_every_link_of_the_card_leads_somewhere(tmp_path: Path) -> None:
    with serving(tmp_path) as open_server, open_server.caller(None) as caller:
        links = caller.get("/").json()["links"]

        answers = {name: caller.get(path).status_code for name, path in links.items()}

    assert answers == {**dict.fromkeys(links, 200), "mcp": 405}  # that one is asked with POST
