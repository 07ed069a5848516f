"""Markdown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from truekeep import InvalidInput

from .looking import all_of, contents, statements

PAGE = """\
---
title: Notes of spring
session: spring
tags: [notes, "2025"]
nested:
  - left alone
id: page-7
---
# Ana

Ana drinks
tea.

## Travel

- Window seats
- Trains
  over planes:

  1. night trains
* No rush

<!-- not
shown -->
Setext
------
Under an underline.

# 2025-03-01

1. Moved to Porto

***

```python
x = 1

# no heading
```
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "notes.md"
    file.write_text(PAGE)
    return file


def test_paragraphs_entries_and_code_are_statements(file: Path) -> None:
    assert contents("markdown", file) == [
        "Ana drinks\ntea.",
        "Window seats",
        "Trains\nover planes:\n\n1. night trains",
        "No rush",
        "Under an underline.",
        "Moved to Porto",
        "```python\nx = 1\n\n# no heading\n```",
    ]


def test_headings_are_tags_and_a_date_is_a_time(file: Path) -> None:
    found = statements("markdown", file)

    assert found[0]["tags"] == ("notes", "2025", "Ana")
    assert found[1]["tags"] == ("notes", "2025", "Ana", "Travel")
    assert found[4]["tags"] == ("notes", "2025", "Ana", "Setext")
    assert (found[5]["tags"], found[5]["when"]) == (("notes", "2025"), datetime(2025, 3, 1, tzinfo=UTC))
    assert found[0]["when"] is None


def test_front_matter_holds_for_all_statements(file: Path) -> None:
    found = statements("markdown", file)

    assert {one["source"].session for one in found} == {"spring"}
    assert {one["source"].message for one in found} == {None}
    assert [one["metadata"] for one in found] == [{"title": "Notes of spring"}] * len(found)


def test_a_statement_says_on_which_line_it_stands(file: Path) -> None:
    lines = PAGE.split("\n")

    wheres = [one.where for one in all_of("markdown", file)]

    assert wheres[0] == f"line {lines.index('Ana drinks') + 1}"
    assert wheres[5] == f"line {lines.index('1. Moved to Porto') + 1}"


def test_line_ends_of_windows_and_an_open_fence_do_no_harm(file: Path) -> None:
    file.write_bytes(b"# Ana\r\n\r\n- tea\r\n- coffee\r\n\r\n~~~\r\nopen")

    assert contents("markdown", file) == ["tea", "coffee", "~~~\nopen"]


@pytest.mark.parametrize("text", ["", "\n\n", "# Only a heading\n", "---\n", "---\ntitle: x\n---\n"])
def test_a_page_without_statements_has_none(file: Path, text: str) -> None:
    file.write_text(text)

    assert contents("markdown", file) == []


def test_a_heading_that_only_begins_like_a_date_is_a_tag(file: Path) -> None:
    file.write_text("# 2025-13-45\n\nNo such day.\n")

    assert statements("markdown", file)[0]["tags"] == ("2025-13-45",)


def test_a_page_that_is_not_utf_8_is_refused(file: Path) -> None:
    file.write_bytes(b"Ren\xe9\n")

    with pytest.raises(InvalidInput, match="not UTF-8"):
        contents("markdown", file)
