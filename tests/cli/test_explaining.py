"""explain: why something was found, or not."""

from __future__ import annotations

import pytest

from .shell import Shell


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell.ok("remember", "-", "--lines", given="Ana prefers TypeScript over JavaScript\nBob lives in Porto\n")
    return shell


def test_each_match_is_explained_best_first(filled: Shell) -> None:
    shown = filled.ok("explain", "which language does Ana like?").out.splitlines()
    told = filled.ok("explain", "which language does Ana like?", "--json").lines

    assert shown[0] == "Ana prefers TypeScript over JavaScript"
    assert shown[1].startswith("  rank 1 · score 0.")
    assert [one["rank"] for one in told] == [1, 2]
    assert told[0].keys() == {"id", "found", "rank", "score", "arms", "note"}
    assert told[0]["id"] in shown[1]


def test_an_item_that_was_not_found_says_what_it_lost_to(filled: Shell) -> None:
    [bob] = [one["id"] for one in filled.ok("items", "--json").lines if "Bob" in one["content"]]

    shown = filled.ok("explain", "which language does Ana like?", bob, "--limit", "1").out

    assert shown.startswith("Bob lives in Porto\n  not found · ")
    assert "it lost to" in shown


def test_filters_may_be_why(filled: Shell) -> None:
    [bob] = [one["id"] for one in filled.ok("items", "--json").lines if "Bob" in one["content"]]

    assert "the filters of the query leave it out" in filled.ok("explain", "Bob", bob, "--tag", "ops").out


def test_an_unknown_item_is_code_3_and_an_empty_memory_says_so(shell: Shell) -> None:
    unknown, empty = shell("explain", "tea", "nobody"), shell("explain", "tea")

    assert (unknown.code, unknown.out) == (3, "")
    assert (empty.code, empty.out) == (0, "")
    assert "the space 'default' holds nothing" in empty.err
