"""recall, context, items, history."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.served import OPERATOR, serving

from .shell import Shell


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell.ok("remember", "Ana prefers TypeScript over JavaScript", "--kind", "preference", "--speaker", "Ana")
    shell.ok("remember", "The deployment with Redis failed", "--kind", "lesson", "--tag", "ops")
    shell.ok("remember", "Bob lives in Porto", "--session", "monday", "--when", "2020-01-01", "--source", "crawler")
    return shell


def test_recall_finds_by_meaning_and_shows_where_it_comes_from(filled: Shell) -> None:
    said = filled.ok("recall", "which programming language for Ana?", "--limit", "1", "--kind", "preference")

    content, about = said.out.splitlines()[:2]
    assert content == "Ana prefers TypeScript over JavaScript"
    assert about.startswith("  preference · confidence ")
    assert "· Ana ·" in about


@pytest.mark.parametrize("command", [["recall", "tea"], ["context", "tea"], ["items"], ["explain", "tea"]])
def test_whoever_looks_where_no_store_is_leaves_none(shell: Shell, command: list[str]) -> None:
    mistyped = shell.file.parent / "new" / "mistyped.db"

    usual, elsewhere = shell(*command), shell(*command, "--at", str(mistyped))

    assert (usual.code, usual.out, elsewhere.code, elsewhere.out) == (0, "", 0, "")
    assert elsewhere.err == (
        f"note: there is no store at {mistyped}; the first `truekeep remember` makes it\n{usual.err}"
    )
    assert not shell.file.parent.exists()


def test_recall_says_when_probably_nothing_answers(shell: Shell) -> None:
    shell.ok("remember", "My daughter Mia is 7 years old.")

    assert shell.ok("recall", "how old is Mia?").err == ""
    assert "probably nothing of this answers it" in shell("recall", "what is the capital of France?").err


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_recall_of_a_server_is_one_request(shell: Shell, tmp_path: Path, form: list[str]) -> None:
    with serving(tmp_path / "served", admin_key=OPERATOR) as served:
        key = served.new_key(quotas={"operations_per_month": 2})["key"]
        place = ["--at", served.url, "--key", key]
        shell.ok("remember", "Ana drinks tea", *place)

        found = shell("recall", "what does Ana drink?", *place, *form)

    assert (found.code, "Ana drinks tea" in found.out) == (0, True), found.err


def test_recall_as_json_is_one_document_with_the_shape_of_the_api(filled: Shell) -> None:
    found = filled.ok("recall", "where does Bob live?", "--json").json

    assert found.keys() == {"matches", "lessons", "answerable", "pending", "degraded", "text"}
    assert found["matches"][0]["content"] == "Bob lives in Porto"


@pytest.mark.parametrize(
    ("filters", "contents"),
    [
        (["--speaker", "Ana"], ["Ana prefers TypeScript over JavaScript"]),
        (["--session", "monday"], ["Bob lives in Porto"]),
        (["--source", "crawler"], ["Bob lives in Porto"]),
        (["--tag", "ops"], ["The deployment with Redis failed"]),
        (["--until", "2021-01-01"], ["Bob lives in Porto"]),
        (["--since", "1w", "--kind", "-lesson"], ["Ana prefers TypeScript over JavaScript"]),
        (["--as-of", "2020-06-01"], ["Bob lives in Porto"]),
        (["--min-trust", "user", "--kind", "fact"], []),
        (["--limit", "1", "--offset", "3"], []),
    ],
)
def test_items_are_filtered(filled: Shell, filters: list[str], contents: list[str]) -> None:
    said = filled.ok("items", "--json", *filters)

    assert [item["content"] for item in said.lines] == contents


def test_items_are_shown_newest_first_in_a_table(filled: Shell) -> None:
    heading, *rows = filled.ok("items", "--kind", "preference", "--kind", "lesson").out.splitlines()

    assert heading.split() == ["id", "when", "kind", "speaker", "tags", "content"]
    assert [row.split("  ")[-1].strip() for row in rows] != []
    assert "Redis failed" in rows[0]
    assert "TypeScript" in rows[1]


def test_nothing_found_is_no_failure_unless_asked_for(shell: Shell) -> None:
    plain, strict = shell("recall", "anything"), shell("recall", "anything", "--exit-code")

    assert (plain.code, plain.out) == (0, "")
    assert (strict.code, strict.out) == (3, "")


@pytest.mark.parametrize("command", [["recall", "anything"], ["context", "anything"], ["items"]])
def test_an_empty_memory_says_so_and_how_to_begin(shell: Shell, command: list[str]) -> None:
    said = shell(*command)

    assert (said.code, said.out) == (0, "")
    assert "the space 'default' holds nothing" in said.err
    assert "truekeep remember" in said.err


def test_what_is_over_is_not_nothing(shell: Shell) -> None:
    shell.ok("remember", "Ana lives in Rome", "--claim", "ana/home")
    newer = shell.ok("remember", "Ana lives in Oslo", "--claim", "ana/home", "--json").json["id"]
    shell.ok("forget", newer, "--yes")

    said = shell("recall", "where does Ana live?")

    assert "the space 'default' holds only what is over: `truekeep items --superseded`" in said.err
    assert "Ana lives in Rome" in shell.ok("items", "--superseded").out


def test_what_finds_nothing_in_a_memory_that_holds_something_says_so(filled: Shell) -> None:
    said = filled("recall", "anything", "--tag", "nowhere")

    assert (said.code, said.out) == (0, "")
    assert said.err == "note: nothing found; the space 'default' holds 3, and `truekeep items` lists them\n"


def test_superseded_items_are_shown_on_request_and_marked(shell: Shell) -> None:
    shell.ok("remember", "Ana uses Rust", "--claim", "ana/language")
    newer = shell.ok("remember", "Ana uses Zig", "--claim", "ana/language", "--json").json["id"]

    plain, all_of_it = shell.ok("recall", "Ana uses"), shell.ok("recall", "Ana uses", "--superseded")

    assert "Rust" not in plain.out
    assert f"superseded by {newer}" in all_of_it.out
    assert "(superseded) Ana uses Rust" in shell.ok("items", "--superseded").out


def test_context_is_ready_for_a_prompt_and_within_its_budget(filled: Shell) -> None:
    whole = filled.ok("context", "Ana").out
    small = filled.ok("context", "Ana", "--max-tokens", "60", "--template", "plain").out

    assert "TypeScript" in whole
    assert "Porto" in whole
    assert "Redis" not in whole  # a lesson that has nothing to do with it
    assert 0 < len(small) < len(whole)


def test_context_of_an_empty_memory_is_nothing_at_all(shell: Shell) -> None:
    assert shell("context").out == ""
    assert shell.ok("context", "tea", "--json").json == {"text": ""}


def test_the_history_of_an_unknown_item_is_code_3(shell: Shell) -> None:
    said = shell("history", "nobody")

    assert (said.code, said.out) == (3, "")
    assert said.err == "error: no item 'nobody' in the space 'default'\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", ""],
        ["recall", "x", "--limit", "0"],
        ["recall", "x", "--limit", "many"],
        ["recall", "x", "--order", "random"],
        ["recall", "x", "--min-similarity", "nan"],
        ["recall", "x", "--since", "yesterday"],
        ["recall", "x", "--min-trust", "nobody"],
        ["context", "x", "--template", "none"],
        ["items", "--offset", "-1"],
        ["recall", "x", "--at", "mongodb://host/db"],
        ["recall", "\ud800"],
    ],
)
def test_wrong_questions_are_code_2_in_json_too(shell: Shell, arguments: list[str]) -> None:
    said = shell(*arguments, "--json")

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith('{"error": ')
    assert said.err.count("\n") == 1


def test_markup_and_control_characters_in_a_memory_do_nothing(shell: Shell) -> None:
    text = "[bold]Ana[/bold] :smile: \x1b]0;title\x07 \x9b31m \u202eevil"
    shell.ok("remember", "-", given=text)

    shown = shell.ok("recall", "Ana").out + shell.ok("items").out

    assert shown.count("[bold]Ana[/bold] :smile: \\x1b]0;title\\x07 \\x9b31m \\u202eevil") == 2
    assert not set(shown) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_json_brings_a_memory_back_character_by_character(shell: Shell) -> None:
    text = "[b]Ana[/b] \x1b[31m \x9b \u202e é 猫 🐈"
    shell.ok("remember", "-", given=text)

    said = shell.ok("items", "--json")

    assert said.json["content"] == text
    assert not set(said.out) & {"\x1b", "\x9b", "\u202e"}
