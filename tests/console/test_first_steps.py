"""The first minutes: an empty console shows how it works, on examples that come and go by one click each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.server.served import Served, at, serving

from .browser import Window
from .visitor import Visitor

ANA, TRAIN, LOCKED = (
    "Ana prefers TypeScript over JavaScript",
    "The release train leaves on Thursdays at 14:00 UTC",
    "Running the migration twice locked the orders table",
)
OFFER = "Add these three memories"
ODD = "a/b \"c\" 'd' $HOME `e` ü?"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """As on one's own machine: no key is needed, and the model of the package answers."""
    with serving(tmp_path_factory.mktemp("alone"), embedder="minilm") as running:
        yield running


@pytest.fixture
def empty(browser: Browser, alone: Served) -> Iterator[Window]:
    window = Window(browser, alone.url)
    yield window
    window.close()
    with alone.caller(None) as caller:
        for space in spaces(alone):
            caller.delete(at(space))
    assert window.wrong == []


def spaces(served: Served, key: str | None = None) -> list[str]:
    with served.caller(key) as caller:
        return [space["name"] for space in caller.get("/v1/spaces").json()["spaces"]]


def contents(served: Served, space: str, key: str | None = None) -> set[str]:
    with served.caller(key) as caller:
        return {item["content"] for item in caller.get(at(space, "memories")).json()["items"]}


def sent(visitor: Visitor, action: str, space: str = "example") -> None:
    """The form of a button."""
    token = visitor.token("/console/keys")  # which has one without a session, too
    assert visitor.post(f"/console/spaces/{space}/{action}", token=token).status_code == 303


def lines(page: str, where: str) -> str:
    """What a page says that one should type there."""
    block = page.split(f"<h3>{where}</h3>")[1].split("<pre>")[1].split("</pre>")[0]
    return unescape(block.replace("<code>", "").replace("</code>", ""))


def typed(text: str, where: str, folder: Path) -> str:
    """What comes of it, in a shell that knows the way to this environment and to nothing of ours."""
    command = [sys.executable, "-c", text] if where == "Python" else ["sh", "-e", "-c", text]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(folder), "TRUEKEEP_HOME": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_empty_console_shows_how_recall_works_and_forgets_it_again(empty: Window, alone: Served) -> None:
    empty.page.goto("/console")
    expect(empty.page.get_by_role("heading", level=1)).to_have_text("Nothing is remembered yet")
    empty.picture("console-empty", height=1150)

    empty.page.get_by_role("button", name=OFFER).click()

    first = empty.page.locator("#found li.match").first
    expect(empty.page.get_by_role("status")).to_have_text("Three memories are kept.")
    expect(empty.page.get_by_label("Recall: what would")).to_have_value("Which language should I use for Ana?")
    expect(first.get_by_role("link")).to_have_text(ANA)
    expect(first.locator(".why")).to_contain_text("Found by words: ana; meaning: 0.")
    assert contents(alone, "example") == {ANA, TRAIN, LOCKED}

    empty.page.get_by_role("link", name="When can we ship?").click()
    expect(first.get_by_role("link")).to_have_text(TRAIN)
    empty.page.get_by_role("link", name="Can I run the migration again?").click()
    expect(empty.page.get_by_role("heading", name="Lessons to avoid")).to_be_visible()

    empty.page.get_by_role("button", name="Forget the examples").click()
    expect(empty.page.get_by_role("status")).to_have_text("The examples are forgotten.")
    expect(empty.page.get_by_role("button", name=OFFER)).to_be_visible()
    assert spaces(alone) == []


def test_examples_that_were_forgotten_can_be_added_again(alone: Served, empty: Window) -> None:
    with closing(Visitor(alone)) as visitor:
        for action in ("examples", "examples/forget", "examples"):
            sent(visitor, action)

    assert contents(alone, "example") == {ANA, TRAIN, LOCKED}


def test_it_all_works_without_scripts(browser: Browser, alone: Served, empty: Window) -> None:
    window = Window(browser, alone.url, scripts=False)
    window.page.goto("/console")
    expect(window.page.get_by_role("button", name="Copy")).to_have_count(0)

    window.page.get_by_role("button", name=OFFER).click()
    expect(window.page.locator("#found li.match").first).to_contain_text(ANA)
    window.page.get_by_role("button", name="Forget the examples").click()
    expect(window.page.get_by_role("status")).to_have_text("The examples are forgotten.")
    window.close()

    assert spaces(alone) == []


def test_what_came_beside_the_examples_stays(empty: Window, alone: Served) -> None:
    empty.page.goto("/console")
    empty.page.get_by_role("button", name=OFFER).click()
    with alone.caller(None) as caller:
        caller.post(at("example", "memories"), json={"content": "Bob lives in Porto"})

    empty.page.get_by_role("button", name="Forget the examples").click()
    expect(empty.page.get_by_role("status")).to_have_text("The examples are forgotten.")
    empty.page.get_by_role("link", name="example").click()

    expect(empty.page.get_by_role("link", name="Bob lives in Porto")).to_be_visible()
    expect(empty.page.get_by_role("button", name="Forget the examples")).to_have_count(0)
    assert contents(alone, "example") == {"Bob lives in Porto"}


@pytest.mark.parametrize("space", ["example", ODD])
@pytest.mark.parametrize("where", ["Python", "Command line", "curl"])
def test_the_lines_do_what_they_say(alone: Served, empty: Window, tmp_path: Path, where: str, space: str) -> None:
    path = "/console" if space == "example" else f"/console/spaces/{quote(space, safe='')}/items"
    with closing(Visitor(alone)) as visitor:
        shown = lines(visitor.get(path).text, where)

    told = typed(shown, where, tmp_path)

    assert ANA in told
    assert "meaning: 0." in told or where == "Command line"
    assert "tk_" not in shown
    assert contents(alone, space) == {ANA}


@pytest.mark.parametrize("where", ["Python", "Command line", "curl"])
def test_where_a_key_is_needed_the_lines_have_a_place_for_it(served: Served, tmp_path: Path, where: str) -> None:
    key = served.new_key()["key"]
    with closing(Visitor(served, key)) as visitor:
        shown = lines(visitor.get("/console").text, where)
    assert key not in shown

    told = typed(shown.replace("tk_...", key), where, tmp_path)

    assert ANA in told
    assert contents(served, "example", key) == {ANA}


def test_lines_repeat_an_example_rather_than_add_another(alone: Served, empty: Window, tmp_path: Path) -> None:
    with closing(Visitor(alone)) as visitor:
        sent(visitor, "examples")
        shown = lines(visitor.get("/console/spaces/example/items").text, "Python")

        typed(shown, "Python", tmp_path)
        sent(visitor, "examples/forget")

    assert spaces(alone) == []


def test_lines_name_the_server_as_the_visitor_reached_it(served: Served) -> None:
    with closing(Visitor(served, served.new_key()["key"])) as visitor:
        page = visitor.get("/console", **{"Host": "memory.acme.dev", "X-Forwarded-Proto": "https"}).text

    assert 'Memory("example", at="https://memory.acme.dev", key="tk_...")' in lines(page, "Python")
    assert "https://memory.acme.dev/v1/spaces/example/recall" in lines(page, "curl")
    assert "--at https://memory.acme.dev" in lines(page, "Command line")


def test_lines_are_copied_by_one_click(empty: Window) -> None:
    empty.page.goto("/console")

    empty.page.get_by_role("button", name="Copy the lines for Python").click()

    expect(empty.page.get_by_role("button", name="Copied the lines for Python")).to_be_visible()
    copied = empty.page.evaluate("navigator.clipboard.readText()")
    assert copied == lines(empty.page.request.get("/console").text(), "Python")


def test_a_reader_sees_the_lines_and_no_offer(browser: Browser, served: Served) -> None:
    window = Window(browser, served.url)
    window.log_in(served.new_key(scopes=["read"])["key"])
    window.page.goto("/console")

    python = window.page.locator(".lines").first.inner_text()
    hint = window.page.locator(".hint").inner_text()
    forms = window.page.locator("main form").count()
    serious = window.serious()
    window.page.goto("/console/spaces/unused/items")
    forms += window.page.locator("main form").count()
    window.close()

    assert "memory.recall(" in python
    assert "Yours may only read" in hint
    assert forms == 0
    assert serious == []


@pytest.mark.parametrize(("patterns", "space"), [(["team-*"], "team-example"), (["solo"], "solo"), (["[ab]"], None)])
def test_examples_go_where_the_key_may_put_them(served: Served, patterns: list[str], space: str | None) -> None:
    key = served.new_key(spaces=patterns)["key"]
    with closing(Visitor(served, key)) as visitor:
        page = visitor.get("/console").text
        if space is None:
            assert OFFER not in page
            return

        sent(visitor, "examples", space)

        assert f'action="/console/spaces/{space}/examples"' in page
        assert "Forget the examples" in visitor.get(f"/console/spaces/{space}/items").text
    assert spaces(served, key) == [space]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
@pytest.mark.parametrize("path", ["/console", "/console/spaces/unused/items", "/console/spaces/example/items"])
def test_first_steps_are_fit_for_everybody(
    browser: Browser, served: Served, path: str, width: int, scheme: str
) -> None:
    window = Window(browser, served.url, width=width, scheme=scheme)
    window.log_in(key := served.new_key()["key"])
    if "example" in path:
        with closing(Visitor(served, key)) as visitor:
            sent(visitor, "examples")
    window.page.goto(path)

    wider, serious = window.overflow(), window.serious()
    headings = window.page.locator("h1").count()
    window.close()

    assert (wider, serious, headings) == (0, [], 1)
    assert window.wrong == []


def test_a_console_with_something_in_it_offers_no_examples(served: Served) -> None:
    key = served.new_key()["key"]
    with served.caller(key) as caller:
        caller.put(at("bot", "values", "v"), json={"value": 1})

    with closing(Visitor(served, key)) as visitor:
        assert OFFER not in visitor.get("/console").text
        assert OFFER not in visitor.get("/console?search=nothing").text
