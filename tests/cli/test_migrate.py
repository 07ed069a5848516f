"""migrate: also when it is killed in the middle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.assembly import open_store
from truekeep.model import AuditEntry, SpaceId
from truekeep.testing.fakes import FakeEmbedder
from truekeep.testing.samples import NOW, keep, put

from .killing import killed_and_resumed
from .shell import Shell

BOT = SpaceId("local", "bot")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "notes.db"
    with Memory("bot", at=file, embedder=FakeEmbedder(16), background=False) as memory:
        memory.remember_many(["Ana drinks tea", "Bob lives in Porto"])
        memory.set("tone", "concise")
    return file


def test_a_store_is_copied_and_compared(shell: Shell, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"

    said = shell.ok("migrate", "--from", str(source), "--to", str(target))
    again = shell.ok("migrate", "--from", str(source), "--to", str(target), "--json")

    assert "copied 1 space, 0 access keys, 0 counts of usage; both sides are the same" in said.out
    assert [space["outcome"] for space in again.json["spaces"]] == ["was there"]
    with Memory("bot", at=target, embedder=FakeEmbedder(16), background=False) as memory:
        assert memory.recall("where does Bob live")[0].content == "Bob lives in Porto"
        assert memory.get("tone") == "concise"


def test_it_is_told_that_the_audit_stays_behind(shell: Shell, source: Path, tmp_path: Path) -> None:
    without = shell.ok("migrate", "--from", str(source), "--to", str(tmp_path / "one.db"))
    with open_store(source) as store:
        store.note_audit({"local": [AuditEntry(at=NOW, key="k", verb="recall", space="bot")]})

    said = shell("migrate", "--from", str(source), "--to", str(tmp_path / "other.db"))

    assert "audit" not in without.err
    assert (said.code, "the audit stays behind" in said.err) == (0, True)


def test_a_dry_run_makes_no_file(shell: Shell, source: Path, tmp_path: Path) -> None:
    said = shell.ok("migrate", "--from", str(source), "--to", str(tmp_path / "copy.db"), "--dry-run")

    assert "would copy 1 space" in said.out
    assert not (tmp_path / "copy.db").exists()


def test_a_target_with_something_else_in_it_is_refused(shell: Shell, source: Path, tmp_path: Path) -> None:
    with open_store(tmp_path / "copy.db") as other:
        keep(other, put("x", "something else"))

    said = shell("migrate", "--from", str(source), "--to", str(tmp_path / "copy.db"))

    assert said.code == 4
    assert "holds something else already in the space 'bot'" in said.err


def test_a_copy_that_differs_is_told_by_the_code(
    shell: Shell, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meddle(*_: object, completed: int, total: int, **told: object) -> None:
        if completed == total:
            with open_store(tmp_path / "copy.db") as store:
                ids = [row.id for row in store.changes(BOT, after=0).rows]
                store.count_accesses({BOT: {ids[0]: 1}}, now=put("x").item.created)

    monkeypatch.setattr("rich.progress.Progress.update", meddle)

    said = shell("migrate", "--from", str(source), "--to", str(tmp_path / "copy.db"))

    assert said.code == 1
    assert "DIFFERS" in said.out


@pytest.mark.parametrize(
    ("source_at", "target_at", "code"),
    [
        ("notes.db", "notes.db", 2),
        ("notes.db", "sqlite:///notes.db", 2),
        ("missing.db", "copy.db", 3),
        ("https://memory.example", "copy.db", 2),
        ("notes.db", "http://127.0.0.1:1", 2),
    ],
)
def test_wrong_places_are_refused(
    shell: Shell, source: Path, monkeypatch: pytest.MonkeyPatch, source_at: str, target_at: str, code: int
) -> None:
    monkeypatch.chdir(source.parent)

    said = shell("migrate", "--from", source_at, "--to", target_at)

    assert said.code == code
    assert not (source.parent / "copy.db").exists()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_a_copy_that_was_killed_goes_on_and_doubles_nothing(shell: Shell, tmp_path: Path) -> None:
    killed_and_resumed(shell, tmp_path / "notes.db", str(tmp_path / "copy.db"))
