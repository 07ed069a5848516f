"""checkpoint, checkpoints, diff, restore and fork."""

from __future__ import annotations

import pytest

from truekeep.cli import output

from .shell import Shell


def filled(shell: Shell) -> dict[str, str]:
    """A memory, a checkpoint and what came after it; ids by their first words."""

    def remember(content: str, *options: str) -> str:
        return str(shell.ok("remember", content, *options, "--json").json["id"])

    ids = {"rome": remember("Ana lives in Rome", "--claim", "ana/home"), "baker": remember("Ben is a baker")}
    shell.ok("values", "set", "tone", '"concise"')
    shell.ok("checkpoint", "before")
    ids["oslo"] = remember("Ana lives in Oslo", "--claim", "ana/home")
    shell.ok("correct", ids["baker"], "Ben is a smith")
    shell.ok("values", "set", "tone", '"loud"')
    return ids


def test_a_moment_gets_a_name_and_is_listed(shell: Shell) -> None:
    assert "checkpoint NAME" in shell("checkpoints").err

    assert shell.ok("checkpoint", "before").out.startswith("checkpoint 'before'")

    [listed] = shell.ok("checkpoints", "--json").lines
    assert (listed["name"], listed["seq"]) == ("before", 0)
    assert "before" in shell.ok("checkpoints").out
    assert shell.ok("checkpoint", "before", "--drop").out == "dropped the checkpoint 'before'\n"
    assert shell("diff", "before").code == 3


def test_a_difference_is_a_line_for_each_thing(shell: Shell) -> None:
    ids = filled(shell)

    said = shell.ok("diff", "before")

    assert said.out.splitlines() == [
        f"+ Ana lives in Oslo ({ids['oslo']})",
        f"- Ana lives in Rome ({ids['rome']}), superseded by {ids['oslo']}",
        f"~ Ben is a baker -> Ben is a smith ({ids['baker']})",
        '~ value tone: "concise" -> "loud"',
    ]
    assert [item["id"] for item in shell.ok("diff", "before", "--json").json["added"]] == [ids["oslo"]]


def test_it_is_coloured_on_a_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(shell)
    styles: list[str | None] = []
    monkeypatch.setattr(output, "say", lambda text, style=None: styles.append(style))

    shell.ok("diff", "before")

    assert styles == ["green", "red", "yellow", "yellow"]


def test_a_change_without_another_text_names_the_fields(shell: Shell) -> None:
    ids = filled(shell)
    shell.ok("checkpoint", "then")
    shell.ok("correct", ids["baker"], "--kind", "preference")

    assert shell.ok("diff", "then").out == f"~ Ben is a smith ({ids['baker']}): kind\n"


def test_a_restore_is_shown_done_and_undone(shell: Shell) -> None:
    filled(shell)

    shown = shell("restore", "before", "--dry-run")
    assert shown.out == shell.ok("diff", "before").out
    assert "nothing was changed" in shown.err

    done = shell.ok("restore", "before", "--json").json
    assert sorted(item["content"] for item in shell.ok("items", "--json").lines) == [
        "Ana lives in Rome",
        "Ben is a baker",
    ]
    assert shell.ok("values", "get", "tone").out == '"concise"\n'

    back = shell.ok("restore", done["made"]["name"])
    assert "back again with: truekeep restore" in back.out
    assert "Ana lives in Oslo" in shell.ok("items").out
    assert "nothing is believed otherwise" in shell("diff", done["made"]["name"]).err


def test_a_fork_is_another_space(shell: Shell) -> None:
    filled(shell)

    shell.ok("fork", "trial", "--as-of", "before")

    assert "Ana lives in Rome" in shell.ok("items", "--space", "trial").out
    assert "Ana lives in Oslo" not in shell.ok("items", "--space", "trial", "--superseded").out
    assert shell("fork", "trial").code != 0
