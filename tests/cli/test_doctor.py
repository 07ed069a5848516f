"""doctor, stats."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from truekeep import Memory

from .shell import Shell


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell.ok("remember", "-", "--lines", given="Ana drinks tea\nBob lives in Porto\n")
    shell.ok("remember", "Cleo sings", "--space", "choir")
    return shell


def spoil(file: Path, statement: str) -> None:
    """Change rows behind the back of the store."""
    connection = apsw.Connection(str(file))
    connection.execute(statement)
    connection.close()


def test_a_sound_store_is_told_so(filled: Shell) -> None:
    found = filled.ok("doctor", "--json").json

    assert found["ok"] is True
    checks = [finding["check"] for finding in found["findings"]]
    assert checks == ["version", "model", "file", "index of choir", "index of default"]


def test_damaged_vectors_are_noticed_and_repaired(filled: Shell) -> None:
    spoil(filled.file, "UPDATE vectors SET data = zeroblob(length(data))")

    sick = filled("doctor")
    assert sick.code == 1
    assert "WRONG" in sick.out
    repaired = filled.ok("doctor", "--repair", "--json").json

    assert repaired["ok"] is True
    found = filled.ok("recall", "which beverage?", "--json").json
    assert (found["pending"], found["degraded"]) == (0, False)
    assert found["matches"][0]["similarity"] > 0


def test_a_damaged_text_is_noticed_and_never_touched(filled: Shell) -> None:
    spoil(filled.file, "UPDATE items SET content = 'Ana drinks poison' WHERE content = 'Ana drinks tea'")

    said = filled("doctor", "--repair", "--json")

    assert said.code == 1
    assert [finding["check"] for finding in said.json["findings"] if not finding["ok"]] == ["file", "index of default"]
    connection = apsw.Connection(str(filled.file))
    kept = connection.execute("SELECT count(*) FROM items WHERE content = 'Ana drinks poison'").fetchall()
    connection.close()
    assert kept == [(1,)]


def test_a_file_that_is_no_store_is_told_and_left_alone(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_bytes(b"dear diary" * 1000)

    said = shell("doctor", "--at", str(file), "--json")

    assert said.code == 1
    assert [finding["check"] for finding in said.json["findings"] if not finding["ok"]] == ["file", "spaces"]
    assert file.read_bytes() == b"dear diary" * 1000


@pytest.mark.parametrize("command", ["doctor", "stats"])
def test_a_store_that_is_not_there_is_code_3_and_not_made(shell: Shell, tmp_path: Path, command: str) -> None:
    said = shell(command, "--at", str(tmp_path / "mistyped.db"))

    assert (said.code, said.out) == (3, "")
    assert not (tmp_path / "mistyped.db").exists()


def test_stats_tell_what_the_library_tells(filled: Shell) -> None:
    as_json, shown = filled.ok("stats", "--json").json, filled.ok("stats").out

    with Memory("default", at=filled.file) as memory:
        stats = memory.stats()
    assert (as_json["items"], as_json["path"], as_json["kinds"]) == (2, stats.path, {"fact": 2})
    assert str(filled.file) in shown
    assert "fact 2" in shown
