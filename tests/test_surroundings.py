"""Places that mean the same from every working folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from truekeep import surroundings


@pytest.mark.parametrize("given", ["notes.db", "sqlite:notes.db", "sqlite://notes.db", "sqlite:///notes.db"])
def test_a_relative_file_is_meant_from_here(given: str) -> None:
    assert surroundings.place({"TRUEKEEP_AT": given}) == (str(Path.cwd() / "notes.db"), "")


def test_a_file_of_the_user_is_found() -> None:
    assert surroundings.place({"TRUEKEEP_AT": "~/notes.db"}) == (str(Path.home() / "notes.db"), "")


@pytest.mark.parametrize(
    "at",
    ["", ":memory:", "sqlite:", "sqlite::memory:", "https://memory.example", "postgresql:///notes", "localhost:8420"],
)
def test_what_is_no_file_stays_as_it_is(at: str) -> None:
    assert surroundings.place({"TRUEKEEP_AT": f" {at} ", "TRUEKEEP_KEY": " tk_1 "}) == (at, "tk_1")


@pytest.mark.parametrize("name", ["TRUEKEEP_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"])
def test_home_is_absolute(name: str) -> None:
    assert Path(surroundings.home({name: "memories"})).is_absolute()
