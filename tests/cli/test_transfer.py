"""import, export, backup."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from truekeep import Memory

from .shell import Shell


@pytest.fixture
def filled(shell: Shell) -> Shell:
    shell.ok("remember", "-", "--lines", given="Ana drinks tea\nBob lives in Porto\n")
    shell.ok("values", "set", "tone", '"concise"')
    return shell


def test_an_export_goes_into_another_space(filled: Shell, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"

    exported = filled.ok("export", str(target))
    imported = filled.ok("import", str(target), "--space", "other")

    assert exported.out == f"exported 4 lines to {target}\n"
    assert imported.out == "imported 2 items, 0 versions, 1 values, 0 unchanged, 0 refused\n"
    assert filled.ok("recall", "city of Bob", "--space", "other", "--json").json["pending"] == 0
    assert filled.ok("values", "get", "tone", "--space", "other").out == '"concise"\n'


def test_an_export_through_a_pipe_is_byte_by_byte_that_of_the_library(filled: Shell) -> None:
    said = filled.ok("export", "-")

    with Memory("default", at=filled.file) as memory:
        assert said.out == "".join(memory.export())
    assert filled.ok("import", "-", "--space", "other", "--json", given=said.out).json["items"] == 2


def test_an_export_that_fails_leaves_the_former_file(filled: Shell, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("the former one")
    damage(filled.file)

    said = filled("export", str(target))

    assert said.code == 1
    assert target.read_text() == "the former one"
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["out.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_an_export_is_for_the_eyes_of_its_owner(filled: Shell, tmp_path: Path) -> None:
    filled.ok("export", str(tmp_path / "out.jsonl"), "--json")

    assert (tmp_path / "out.jsonl").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "no json\n", '{"type": "header"}\n'])
def test_a_malformed_import_is_code_2_and_keeps_nothing(filled: Shell, text: str) -> None:
    said = filled("import", "-", "--space", "other", given=text)

    assert said.code == 2
    assert filled.ok("items", "--space", "other", "--json").out == ""


def test_an_export_of_a_store_that_is_not_there_makes_none(shell: Shell, tmp_path: Path) -> None:
    said = shell("export", "-", "--at", str(tmp_path / "mistyped.db"))

    assert (said.code, said.out) == (3, "")
    assert not (tmp_path / "mistyped.db").exists()


def test_an_export_into_a_folder_that_is_not_there_is_code_2(filled: Shell, tmp_path: Path) -> None:
    said = filled("export", str(tmp_path / "nowhere" / "out.jsonl"))

    assert said.code == 2


def test_a_backup_is_a_store_of_its_own_and_overwrites_nothing(filled: Shell, tmp_path: Path) -> None:
    target = tmp_path / "backup.db"

    said = filled.ok("backup", str(target), "--json")
    again = filled("backup", str(target))

    assert said.json == {"file": str(target), "bytes": target.stat().st_size}
    assert again.code == 2
    assert len(filled.ok("items", "--at", str(target), "--json").lines) == 2


def damage(file: Path) -> None:
    """Change one letter of a text inside the file."""
    content = file.read_bytes()
    assert b"Porto" in content
    file.write_bytes(content.replace(b"Porto", b"Quito"))


def test_the_lines_of_an_export_are_json(filled: Shell) -> None:
    lines = filled.ok("export", "-").out.splitlines()

    assert [json.loads(line)["type"] for line in lines] == ["header", "item", "item", "value"]
