"""remember, extract, correct."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truekeep import Memory

from .shell import Shell, needs_a_terminal


def test_what_is_remembered_is_there_for_the_library(shell: Shell) -> None:
    shell.ok("remember", "Ana prefers TypeScript", "--kind", "preference", "--tag", "ana", "--tag", "work")

    with Memory("default", at=shell.file) as memory:
        [item] = memory.items()
    assert (item.content, item.kind, item.tags) == ("Ana prefers TypeScript", "preference", ("ana", "work"))


def test_every_option_of_remember_arrives(shell: Shell) -> None:
    options = {
        "--session": "monday",
        "--speaker": "Ana",
        "--source": "crawler",
        "--claim": "ana/language",
        "--ttl": "2d",
        "--when": "2026-01-31T09:00+00:00",
        "--metadata": '{"ticket": 7}',
        "--space": "team",
    }

    said = shell.ok("remember", "Ana uses Rust", *[part for pair in options.items() for part in pair], "--pinned")

    with Memory("team", at=shell.file) as memory:
        [item] = memory.items()
    assert said.out == f"added {item.id}\n"
    assert (item.session, item.speaker, item.source.name, item.key) == ("monday", "Ana", "crawler", "ana/language")
    assert (item.pinned, item.metadata, item.when) == (True, {"ticket": 7}, datetime(2026, 1, 31, 9, tzinfo=UTC))
    assert item.expires is not None
    assert item.expires - item.created == timedelta(days=2)


def test_a_statement_may_come_from_stdin_without_the_newline_of_echo(shell: Shell) -> None:
    said = shell.ok("remember", "-", "--json", given="Ana lives in Lisbon\nand works in Porto\n")

    assert said.json["item"]["content"] == "Ana lives in Lisbon\nand works in Porto"


def test_each_line_of_stdin_may_be_a_statement(shell: Shell) -> None:
    said = shell.ok("remember", "-", "--lines", "--kind", "fact", "--json", given="Ana drinks tea\n\nBob drinks mate\n")

    assert [one["item"]["content"] for one in said.lines] == ["Ana drinks tea", "Bob drinks mate"]


def test_what_is_wrong_with_a_statement_is_told_by_the_name_of_its_option(shell: Shell) -> None:
    assert shell("remember", "").err == "error: content: is empty; say what to remember\n"
    assert shell("remember", "tea", "--kind", "My Kind").err.startswith("error: kind: 'My Kind' is not a slug")


def test_whoever_has_nothing_kept_is_told(shell: Shell) -> None:
    lines = shell("remember", "-", "--lines", given="\n\n")
    said = shell("extract", "-", given="Ana: What time is it?\n")

    assert (lines.out, lines.err) == ("", "note: there was no line to keep\n")
    assert (said.out, said.err) == ("", "note: nothing in it was found durable, so nothing was kept\n")


def test_lines_are_kept_together_or_not_at_all(shell: Shell) -> None:
    said = shell("remember", "-", "--lines", given=f"Ana drinks tea\n{'x' * 70_000}\n")

    assert said.code == 2
    assert shell.ok("items", "--json").out == ""


def test_stdin_that_is_no_text_is_refused(shell: Shell) -> None:
    said = shell("remember", "-", given=b"\xff\xfe")

    assert (said.code, said.out) == (2, "")
    assert said.err == "error: content: stdin is not UTF-8\n"


def test_the_answer_tells_what_was_superseded_and_redacted(shell: Shell) -> None:
    first = shell.ok("remember", "Ana uses Rust", "--claim", "ana/language", "--json").json["id"]

    said = shell.ok("remember", "Ana uses Zig", "--claim", "ana/language")

    assert said.out.startswith("added ")
    assert said.out.endswith(f" in place of {first}\n")


def test_an_idempotency_key_makes_one_memory_and_refuses_another(shell: Shell) -> None:
    first = shell.ok("remember", "Ana drinks tea", "--idempotency-key", "k", "--json").json

    again = shell.ok("remember", "Ana drinks tea", "--idempotency-key", "k", "--json").json
    other = shell("remember", "Ana drinks mate", "--idempotency-key", "k")

    assert (again["id"], again["replayed"]) == (first["id"], True)
    assert other.code == 4


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["remember", "   "], "content"),
        (["remember", "x", "--kind", "No Slug"], "kind"),
        (["remember", "x", "--metadata", "[1]"], "JSON object"),
        (["remember", "x", "--metadata", '{"a": NaN}'], "not JSON"),
        (["remember", "x", "--ttl", "soon"], "no length of time"),
        (["remember", "x", "--ttl", "0s"], "must be positive"),
        (["remember", "x", "--lines"], "--lines"),
        (["remember"], "Missing argument"),
        (["remember", "x", "--colour", "red"], "--colour"),
        (["extract", "nowhere.txt"], "cannot be read"),
        (["correct", "x"], "say what to correct"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(shell: Shell, arguments: list[str], problem: str) -> None:
    said = shell(*arguments)

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
    assert problem in said.err
    assert said.err.count("\n") == 1


def test_a_transcript_is_extracted_from_a_file(shell: Shell, tmp_path: Path) -> None:
    transcript = tmp_path / "chat.txt"
    transcript.write_text("Ana: I prefer tea over coffee.\nBob: What time is it?\n")

    said = shell.ok("extract", str(transcript), "--session", "monday", "--json")

    [kept] = said.lines
    assert kept["item"]["source"]["session"] == "monday"
    assert "tea" in kept["item"]["content"]


def test_messages_are_extracted_from_json_on_stdin(shell: Shell) -> None:
    messages = [{"role": "user", "content": "I prefer tea over coffee.", "name": "Ana"}]

    said = shell.ok("extract", "-", "--json", given=json.dumps(messages))

    assert [kept["item"]["source"]["speaker"] for kept in said.lines] == ["Ana"]


def test_a_transcript_that_begins_with_a_bracket_is_no_json(shell: Shell) -> None:
    said = shell.ok("extract", "-", given="[monday]\nAna: I prefer tea over coffee.\n")

    assert said.out.startswith("added ")


def test_an_extraction_in_the_background_tells_its_job(shell: Shell) -> None:
    said = shell.ok("extract", "-", "--background", "--json", given="Ana: I prefer tea over coffee.\n")

    assert (said.json["task"], said.json["space"]) == ("extract", "default")
    assert len(shell.ok("items", "--json").lines) == 1  # done when the process lets go of the store


def test_a_correction_keeps_the_former_version(shell: Shell) -> None:
    id = shell.ok("remember", "Ana lives in Lisbonn", "--json").json["id"]

    said = shell.ok("correct", id, "Ana lives in Lisbon", "--no-pinned", "--tag", "ana")
    versions = shell.ok("history", id, "--json").lines

    assert said.out == f"corrected {id}, now version 2\n"
    assert [version["content"] for version in versions] == ["Ana lives in Lisbonn", "Ana lives in Lisbon"]
    assert versions[-1]["tags"] == ["ana"]


@pytest.fixture
def unfinished(shell: Shell) -> Shell:
    """A shell whose last command ended at once, before what it kept had its vectors."""
    shell.environment["TRUEKEEP_EXIT_SECONDS"] = "0"
    lines = "\n".join(f"Person {number} bakes bread in the town of {number}ton" for number in range(600))
    shell.ok("remember", "-", "--lines", given=lines)
    shell.environment["TRUEKEEP_EXIT_SECONDS"] = "2"
    return shell


@needs_a_terminal
def test_a_person_is_told_what_the_end_waits_for(unfinished: Shell) -> None:
    assert unfinished.on_a_terminal("remember", "Ana drinks tea") == (
        0,
        "note: finishing vectors and verdicts of new memories, for a few seconds\r\n",
    )


def test_a_program_waits_without_a_word(unfinished: Shell) -> None:
    assert unfinished.process("remember", "Ana drinks tea").err == ""
