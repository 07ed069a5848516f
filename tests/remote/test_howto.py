"""The snippets of the how-to page do what it says."""

from __future__ import annotations

from pathlib import Path

from tests.docs.run_page import blocks, run

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "served-memory.md"


def test_the_snippets_of_the_page_do_what_it_says(url: str) -> None:
    page = PAGE.read_text().replace("```py\n", "```python\n").replace("http://127.0.0.1:8420", url)
    namespace: dict[str, object] = {}

    for block in blocks(page):
        run(block, namespace, PAGE.name)

    assert len(list(blocks(page))) == 3
    for name in ("memory", "elsewhere", "fleet"):
        namespace[name].close()  # type: ignore[attr-defined]
