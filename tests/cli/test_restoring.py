"""restore --to: a backup becomes a store, whole and sound, or nothing is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from .shell import Shell


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell.ok("remember", "Ana prefers TypeScript", "--kind", "preference")
    shell.ok("remember", "Ana lives in Porto")
    return shell


@pytest.fixture
def backup(filled: Shell, tmp_path: Path) -> Path:
    file = tmp_path / "backup.db"
    filled.ok("backup", str(file))
    return file


def test_a_backup_of_a_file_is_a_store_again_with_all_that_was_in_it(
    filled: Shell, backup: Path, tmp_path: Path
) -> None:
    target = tmp_path / "somewhere" / "memory.db"

    said = filled.ok("restore", str(backup), "--to", str(target), "--json")

    assert said.json == {"to": str(target), "spaces": 1, "items": 2}
    assert filled.ok("items", "--at", str(target)).out == filled.ok("items").out
    assert backup.exists()
    assert [file.name for file in target.parent.iterdir()] == [target.name]  # nothing is left beside it


@pytest.mark.parametrize("left", ["memory.db", "memory.db-wal"])
def test_nothing_is_overwritten(filled: Shell, backup: Path, tmp_path: Path, left: str) -> None:
    (tmp_path / left).write_bytes(b"mine")

    said = filled("restore", str(backup), "--to", str(tmp_path / "memory.db"))

    assert said.code == 2
    assert "move it away first" in said.err
    assert (tmp_path / left).read_bytes() == b"mine"


def test_a_damaged_backup_is_told_and_leaves_nothing_behind(filled: Shell, backup: Path, tmp_path: Path) -> None:
    content = backup.read_bytes()
    assert b"Porto" in content
    backup.write_bytes(content.replace(b"Porto", b"Quito"))
    target = tmp_path / "memory.db"

    said = filled("restore", str(backup), "--to", str(target))

    assert said.code not in (0, 2)
    assert "was not restored" in said.err
    assert not target.exists()


@pytest.mark.parametrize(
    ("what", "to", "told"),
    [
        ("nowhere.db", "memory.db", "there is no backup"),
        ("backup.db", "postgresql://localhost/nothing", "must be a file"),
        ("backup.db", "https://memory.example", "where the store is"),
        ("notes.txt", "memory.db", "notes.txt"),
    ],
)
def test_what_cannot_be_restored_is_told_before_anything_is_made(
    filled: Shell, backup: Path, tmp_path: Path, what: str, to: str, told: str
) -> None:
    (tmp_path / "notes.txt").write_text("these are notes, and no backup of anything" * 100)
    place = to if "://" in to else str(tmp_path / to)

    said = filled("restore", str(backup.with_name(what)), "--to", place)

    assert said.code != 0
    assert told in said.err
    assert not (tmp_path / "memory.db").exists()


def test_a_backup_has_no_dry_run(filled: Shell, backup: Path, tmp_path: Path) -> None:
    said = filled("restore", str(backup), "--to", str(tmp_path / "memory.db"), "--dry-run")

    assert said.code == 2
    assert "truekeep check --at" in said.err
