"""What `make docs` does to the pages before and after it makes HTML of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .site_pages import ROOT, SHIM, WORKER, lay_out, nav, outside, seal, within


@pytest.fixture
def html(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "how-to").mkdir()
    return tmp_path


def test_the_order_of_the_pages_is_that_of_the_index() -> None:
    index = (
        "# All\n\n## How to\n\n- [Run](how-to/run.md)\n\nWith:\n\n- [AG2](how-to/ag2.md)\n\n## Why\n\n- [Why](why.md)\n"
    )

    assert nav(index) == [
        {"Home": "README.md"},
        {"How to": [{"Run": "how-to/run.md"}, {"AG2": "how-to/ag2.md"}]},
        {"Why": [{"Why": "why.md"}]},
    ]


def test_what_a_page_links_to_outside_comes_along(tmp_path: Path) -> None:
    lay_out(tmp_path)

    pages = sorted((tmp_path / "pages").rglob("*.md"))
    names = [path.relative_to(tmp_path / "pages").as_posix() for path in pages]
    assert names == sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    left = [link for name, path in zip(names, pages, strict=True) for link in outside(name, path.read_text())]
    assert left == []
    assert (tmp_path / "pages" / "examples" / "mcp" / "remember_across_processes.py").exists()


def test_a_link_that_leads_out_is_turned_inwards_and_others_stay() -> None:
    text = "[a](../../examples/a.py) [b](../reference/api.md#recall) [c](run.md)"

    assert list(outside("how-to/mcp.md", text)) == [("../../examples/a.py", "examples/a.py")]
    assert within("how-to/mcp.md", text) == "[a](../examples/a.py) [b](../reference/api.md#recall) [c](run.md)"


def test_a_sealed_page_has_our_script_for_the_search(html: Path) -> None:
    page = html / "how-to" / "run.html"
    page.write_text(f'<head>{SHIM}</head><a href="https://example.org">elsewhere</a>')

    seal(html)

    assert page.read_text() == (
        '<head><script src="../assets/frame_worker.js"></script></head><a href="https://example.org">elsewhere</a>'
    )
    assert (html / "assets" / WORKER.name).read_text() == WORKER.read_text()


@pytest.mark.parametrize(
    "element",
    [
        '<script async src="https://cdn.example/x.js"></script>',
        "<img src=//cdn.example/x.png>",
        '<link rel="stylesheet" href="https://fonts.example/css">',
    ],
)
def test_a_page_that_would_fetch_something_is_refused(html: Path, element: str) -> None:
    (html / "index.html").write_text(element)

    with pytest.raises(SystemExit, match=r"index\.html would fetch something: .*example"):
        seal(html)


def test_the_pins_name_no_address() -> None:
    text = (ROOT / "constraints-docs.txt").read_text()

    assert re.search(r"^zensical==", text, re.MULTILINE)
    assert re.search(r"://|^-|@", text, re.MULTILINE) is None
