"""The comparison in the README is a part of the page, and every cell about somebody else names its source."""

from __future__ import annotations

import re

from .api_page import ROOT

PAGE = (ROOT / "docs" / "explanation" / "comparison.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCE = re.compile(r" \[(\w\d)\]\(#[\w-]+\)")


def rows(text: str) -> list[str]:
    """Of the table that begins with the names of the memories."""
    _, names, rest = text.partition("| | Truekeep |")
    return (names + rest).partition("\n\n")[0].splitlines()


def test_the_readme_shows_rows_of_the_page() -> None:
    told = [SOURCE.sub("", row) for row in rows(PAGE)]

    assert [row for row in rows(README) if row not in told] == []
    assert len(rows(README)) > 3


def test_every_cell_about_somebody_else_names_a_source_that_is_told_below() -> None:
    cells = [cell for row in rows(PAGE)[2:] for cell in row.strip("| ").split(" | ")[2:]]

    assert len(cells) % 5 == 0
    assert [cell for cell in cells if not SOURCE.search(cell)] == []
    assert set(SOURCE.findall(PAGE)) == set(re.findall(r"^- (\w\d): ", PAGE, re.MULTILINE))
