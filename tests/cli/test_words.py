"""What people type, and what is printed: the pure parts."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from truekeep.cli import output, words


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("45s", timedelta(seconds=45)),
        ("30m", timedelta(minutes=30)),
        ("12h", timedelta(hours=12)),
        ("7d", timedelta(days=7)),
        ("2w", timedelta(weeks=2)),
        ("1d12h", timedelta(hours=36)),
        ("90", timedelta(seconds=90)),
    ],
)
def test_a_span_is_read(text: str, length: timedelta) -> None:
    assert words.span(text) == length


@pytest.mark.parametrize("text", ["", "d", "1y", "-1d", "1.5h", "1d 2h", "99999999999999w", "²s", "٣d٣"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        words.span(text)


def test_a_time_is_read_with_its_zone_or_in_the_local_one() -> None:
    assert words.moment("2026-01-31T09:00+01:00") == datetime(2026, 1, 31, 8, tzinfo=UTC)
    assert words.moment("2026-01-31") == datetime(2026, 1, 31).astimezone()


def test_an_age_is_a_time_ago() -> None:
    before = datetime.now(UTC)

    read = words.moment("7d")

    assert before - timedelta(days=7) <= read <= datetime.now(UTC) - timedelta(days=7)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "9999w9999999w", "0001-01-01T00:00+23:00", "7"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        words.moment(text)


@given(st.text())
def test_nothing_printable_can_command_a_terminal(text: str) -> None:
    shown = output.printable(text)

    assert not [letter for letter in shown.translate({9: "", 10: ""}) if ord(letter) < 32 or 127 <= ord(letter) < 160]
    assert shown == text or "\\" in shown


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet="ab\x9b\u202e"), inner),
    )
)
def test_a_line_of_json_is_one_line_and_the_same_data(value: object) -> None:
    line = output.json_line(value)

    assert json.loads(line) == value
    assert output.printable(line) == line
    assert "\n" not in line
