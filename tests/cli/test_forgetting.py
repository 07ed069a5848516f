"""forget, and the question before it."""

from __future__ import annotations

import pytest

from .shell import Shell, needs_a_terminal


def remembered(shell: Shell, content: str, *options: str) -> str:
    return str(shell.ok("remember", content, *options, "--json").json["id"])


def test_forgetting_prints_a_receipt(shell: Shell) -> None:
    id = remembered(shell, "Ana drinks tea")

    said = shell.ok("forget", id, "--yes", "--json")

    done = {"erased": [id], "remaining": 0, "pending": False}
    assert said.json == {**done, "dry_run": False, "going": [], "revived": []}
    assert shell.ok("items", "--json").out == ""


def test_all_that_filters_match_is_forgotten(shell: Shell) -> None:
    remembered(shell, "Buy cheap watches", "--source", "crawler", "--tag", "web")
    remembered(shell, "Ana drinks tea", "--speaker", "Ana")

    said = shell.ok("forget", "--source", "crawler", "--tag", "web", "--kind", "fact", "--yes")

    assert said.out == "forgot 1 item; 0 can still be found\n"
    assert [item["content"] for item in shell.ok("items", "--json").lines] == ["Ana drinks tea"]


def test_a_roll_back_can_be_looked_at_first(shell: Shell) -> None:
    rome = remembered(shell, "Ana lives in Rome", "--claim", "ana/home")
    oslo = remembered(shell, "Ana lives in Oslo", "--claim", "ana/home", "--source", "crawler")

    said = shell("forget", "--source", "crawler", "--dry-run")

    assert said.out == f"- Ana lives in Oslo ({oslo})\n+ Ana lives in Rome ({rome}), believed again\n"
    assert "nothing was changed" in said.err
    assert shell.ok("forget", "--source", "crawler", "--dry-run", "--json").json["erased"] == [oslo]
    assert [item["id"] for item in shell.ok("items", "--json").lines] == [oslo]


def test_an_age_says_what_is_old(shell: Shell) -> None:
    remembered(shell, "Ana drinks tea")

    assert shell.ok("forget", "--before", "1d", "--yes").out.startswith("forgot 0 items")
    assert shell.ok("forget", "--before", "0s", "--yes").out.startswith("forgot 1 item;")


def test_everything_goes_with_the_values(shell: Shell) -> None:
    remembered(shell, "Ana drinks tea")
    shell.ok("values", "set", "tone", '"concise"')

    shell.ok("forget", "--everything", "--yes")

    assert shell.ok("items", "--json").out == shell.ok("values", "list").out == ""


def test_an_unknown_id_is_code_3(shell: Shell) -> None:
    said = shell("forget", "01a1e268-665a-79c3-a1e6-752a12409561", "--yes")

    assert (said.code, said.out) == (3, "forgot 0 items; 0 can still be found\n")
    assert "`truekeep items`" in said.err


def test_a_text_is_no_id_and_is_told_so(shell: Shell) -> None:
    remembered(shell, "The IBAN is DE02 1203 0000 0000 2020 51")

    said = shell("forget", "IBAN", "--yes")

    assert (said.code, said.out) == (3, "")
    assert "no item 'IBAN' in the space 'default'; forget takes an id" in said.err
    assert len(shell.ok("items", "--json").lines) == 1


@pytest.mark.parametrize("arguments", [[], ["x", "--everything"], ["x", "--kind", "fact"], ["--before", "never"]])
def test_it_must_be_clear_what_to_forget(shell: Shell, arguments: list[str]) -> None:
    said = shell("forget", *arguments, "--yes")

    assert (said.code, said.out) == (2, "")


@pytest.mark.parametrize("arguments", [["forget", "--everything"], ["forget", "x"], ["spaces", "delete", "default"]])
def test_without_a_terminal_nobody_is_asked_and_nothing_is_done(shell: Shell, arguments: list[str]) -> None:
    remembered(shell, "Ana drinks tea")

    said = shell(*arguments, given="y\n")

    assert (said.code, said.out) == (2, "")
    assert "--yes" in said.err
    assert len(shell.ok("items", "--json").lines) == 1


@needs_a_terminal
def test_on_a_terminal_the_question_tells_how_much_goes_and_a_no_keeps_it(shell: Shell) -> None:
    remembered(shell, "Ana drinks tea")
    remembered(shell, "Bob drinks mate")

    code, shown = shell.on_a_terminal("forget", "--kind", "fact", typed=b"n\n")

    assert "Forget 2 items in the space 'default' for good?" in shown
    assert code == 1
    assert len(shell.ok("items", "--json").lines) == 2


@needs_a_terminal
def test_on_a_terminal_a_yes_erases(shell: Shell) -> None:
    remembered(shell, "Ana drinks tea")

    code, _ = shell.on_a_terminal("forget", "--everything", typed=b"y\n")

    assert code == 0
    assert shell.ok("items", "--json").out == ""
