"""values: get, set, delete, list."""

from __future__ import annotations

import pytest

from .shell import Shell


@pytest.mark.parametrize("text", ['{"tone": "concise", "n": [1, 2.5, null]}', '"tea"', "3", "true", "[]"])
def test_a_value_comes_back_as_the_json_it_was(shell: Shell, text: str) -> None:
    shell.ok("values", "set", "profile", text)

    assert shell.ok("values", "get", "profile").out.strip() == text


def test_a_value_may_come_from_stdin_and_tells_its_version(shell: Shell) -> None:
    said = shell.ok("values", "set", "profile", "-", "--ttl", "1h", given='{"tone": "concise"}\n')
    kept = shell.ok("values", "get", "profile", "--json").json

    assert said.out == "set profile, version 1\n"
    assert (kept["value"], kept["version"]) == ({"tone": "concise"}, 1)
    assert kept["expires"] is not None


def test_another_version_than_expected_is_code_4(shell: Shell) -> None:
    shell.ok("values", "set", "n", "1")

    said = shell("values", "set", "n", "2", "--if-version", "0")

    assert said.code == 4
    assert shell.ok("values", "get", "n").out == "1\n"


def test_values_are_listed_and_deleted(shell: Shell) -> None:
    for name in ("a", "b", "c"):
        shell.ok("values", "set", name, "1")

    deleted = shell.ok("values", "delete", "a", "--json").json
    by_null = shell.ok("values", "set", "b", "null").out

    assert (deleted, by_null) == ({"deleted": "a"}, "deleted b\n")
    assert shell.ok("values", "list").out == "c\n"
    assert shell.ok("values", "list", "--json").lines == ["c"]


@pytest.mark.parametrize("verb", ["get", "delete"])
def test_a_missing_value_is_code_3(shell: Shell, verb: str) -> None:
    said = shell("values", verb, "nothing")

    assert (said.code, said.out) == (3, "")


@pytest.mark.parametrize("text", ["tea", "NaN", "{", "[" * 100_000])
def test_what_is_no_json_is_code_2(shell: Shell, text: str) -> None:
    said = shell("values", "set", "x", "-", given=text)

    assert (said.code, said.out) == (2, "")
    assert "is not JSON" in said.err
