"""What a newcomer may run into when they start the server: one line that names the remedy, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from truekeep import Memory
from truekeep.extras import to_install
from truekeep.testing.fakes import FakeEmbedder

from .shell import Shell


def refused(shell: Shell, *arguments: str) -> str:
    """What `serve` says when it does not start."""
    said = shell("serve", "--port", "0", *arguments)
    assert (said.code in (1, 2), said.out) == (True, ""), said
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    return said.err


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with Memory("bot", at=tmp_path / "notes.db", embedder=FakeEmbedder(), background=False) as memory:
        memory.remember("Ana drinks tea")
    return tmp_path / "notes.db"


def test_a_file_of_a_newer_version_asks_for_an_upgrade(shell: Shell, file: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    said = refused(shell, "--at", str(file))

    assert f"{file} was written by a newer Truekeep" in said
    assert "upgrade truekeep" in said


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder where nobody may write")
def test_a_folder_that_cannot_be_made_asks_for_another(shell: Shell) -> None:
    said = refused(shell, "--at", "/proc/truekeep/notes.db")

    assert "cannot open /proc/truekeep/notes.db" in said
    assert "choose a folder that you may write to" in said


@pytest.fixture
def guarded(file: Path) -> Iterator[Path]:
    """The file, in a folder where nobody may write."""
    if sys.platform == "win32" or os.geteuid() == 0:
        pytest.skip("permissions do not hold here")
    file.parent.chmod(0o555)
    yield file
    file.parent.chmod(0o755)


def test_a_folder_that_is_read_only_is_named_with_what_to_do(shell: Shell, guarded: Path) -> None:
    said = refused(shell, "--at", str(guarded.with_name("another.db")))

    assert "check that the folder exists and that you may write there" in said


def test_a_file_that_is_read_only_is_named_with_what_to_do(shell: Shell, guarded: Path) -> None:
    guarded.chmod(0o444)

    said = refused(shell, "--at", str(guarded))

    assert f"{guarded} is read-only" in said
    assert "make the folder writable" in said


@pytest.mark.parametrize("package", ["fastapi", "jinja2", "pydantic_settings", "uvicorn"])
def test_a_missing_extra_is_named(shell: Shell, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    said = refused(shell)

    assert said == f"error: the server needs {package}: {to_install('server')}\n"
