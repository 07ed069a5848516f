"""CSV."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from truekeep import InvalidInput
from truekeep.importers import lines

from .looking import contents, left_out, statements


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "notes.csv"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_first_row_names_the_columns(file: Path, separator: str) -> None:
    rows = [["Text", "Created At", "Speaker", "Tags", "Room"], ["Ana drinks tea", "2025-03-01", "Bob", "tea", "4"]]
    file.write_text("\n".join(separator.join(row) for row in rows))

    (found,) = statements("csv", file)

    assert (found["content"], found["when"]) == ("Ana drinks tea", datetime(2025, 3, 1, tzinfo=UTC))
    assert (found["source"].speaker, found["tags"], found["metadata"]) == ("Bob", ("tea",), {"Room": "4"})


def test_tags_in_one_cell_are_several_and_a_column_of_json_is_metadata(file: Path) -> None:
    file.write_text('text,tags,metadata\nAna drinks tea,"tea; ana,","{""cups"": 2}"\n')

    (found,) = statements("csv", file)

    assert found["tags"] == ("tea", "ana")
    assert found["metadata"] == {"cups": 2}


def test_a_text_may_go_over_several_lines_and_empty_rows_and_cells_do_not_count(file: Path) -> None:
    file.write_text('text,speaker\r\n"Ana\ndrinks tea",\r\n\r\nBob naps,\r\n', newline="")

    found = statements("csv", file)

    assert [one["content"] for one in found] == ["Ana\ndrinks tea", "Bob naps"]
    assert [one["source"].speaker for one in found] == [None, None]


def test_a_row_with_too_many_or_too_few_columns_is_told_with_its_line(file: Path) -> None:
    file.write_text('text,speaker\nAna drinks tea,Bob\n"two\nlines"\nBob naps,Ana,today\n')

    assert left_out("csv", file) == [
        ("line 4", "has 1 columns; the first row names 2", True),
        ("line 5", "has 3 columns; the first row names 2", True),
    ]


def test_a_long_cell_is_refused_with_its_size(file: Path) -> None:
    file.write_text(f"text\n{'x' * 200_000}\nshort\n")

    assert left_out("csv", file) == [("line 2", "content: has 200,000 bytes; at most 65,536 are accepted", True)]


def test_without_a_column_of_text_every_row_is_bad(file: Path) -> None:
    file.write_text("beverage\ntea\n")

    assert left_out("csv", file) == [("line 2", "has no text", True)]
    assert contents("csv", file, map={"content": "beverage"}) == ["tea"]


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"", "is empty"), (b"text\nRen\xe9\n", "is not UTF-8"), (b"text,a,a\nx,1,2\n", "two columns of the name 'a'")],
)
def test_what_is_no_table_is_refused(file: Path, data: bytes, problem: str) -> None:
    file.write_bytes(data)

    with pytest.raises(InvalidInput, match=problem):
        contents("csv", file)


def test_the_setting_of_the_process_for_long_cells_is_left_as_it_was(file: Path) -> None:
    import csv

    before = csv.field_size_limit()
    file.write_text("text\nAna drinks tea\n")

    contents("csv", file)

    assert csv.field_size_limit() == before


def test_a_cell_that_is_far_too_long_is_told_and_the_rows_after_it_come_in(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_LONGEST", 100)
    file.write_text(f"text\n{'x' * 200}\nshort\n")

    assert left_out("csv", file) == [("line 2", "is not CSV: field larger than field limit (100)", True)]


def test_metadata_in_a_cell_that_is_no_json_is_a_text(file: Path) -> None:
    file.write_text("text,metadata\nAna drinks tea,two cups\n")

    assert statements("csv", file)[0]["metadata"] == {"metadata": "two cups"}


def test_the_name_of_a_column_may_go_over_two_lines(file: Path) -> None:
    file.write_text('text,"how\nmany"\nAna drinks tea,2\n')

    assert statements("csv", file)[0]["metadata"] == {"how\nmany": "2"}
