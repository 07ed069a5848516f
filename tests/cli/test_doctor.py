"""doctor, stats."""

from __future__ import annotations

import os
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from truekeep import Job, Memory
from truekeep.assembly import open_store
from truekeep.model import SpaceId
from truekeep.testing.fakes import FakeEmbedder

from .shell import Said, Shell

MACHINE = ["python", "sqlite", "model", "languages", "judge", "disk", "permissions"]


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
    assert checks == [*MACHINE, "file", "index of choir", "index of default", "work", "clock"]
    assert all(finding["detail"] for finding in found["findings"])


def test_without_a_store_the_machine_is_checked_and_nothing_is_made(shell: Shell) -> None:
    found, shown = shell.ok("doctor", "--json").json, shell.ok("doctor").out

    assert found["ok"] is True
    assert [finding["check"] for finding in found["findings"]] == [*MACHINE, "clock", "file"]
    assert found["findings"][-1]["advice"] == 'the first one makes it: truekeep remember "..."'
    assert f"nothing is remembered yet; {shell.file} is not there" in shown
    assert not shell.file.exists()


def wrong(said: Said) -> dict[str, dict[str, str]]:
    """What is wrong, by the name of the check; each says what to do."""
    found = {finding["check"]: finding for finding in said.json["findings"] if not finding["ok"]}
    assert all(finding["advice"] for finding in found.values())
    assert said.code == bool(found)
    return found


@pytest.mark.parametrize(("limit", "least", "check"), [("_SQLITE", (99, 0), "sqlite"), ("_SCARCE", 2**70, "disk")])
def test_what_the_machine_lacks_is_told(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, limit: str, least: object, check: str
) -> None:
    monkeypatch.setattr(f"truekeep.cli.machine.{limit}", least)

    assert wrong(shell("doctor", "--json")).keys() == {check}


def test_a_judge_that_is_missing_is_told(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("truekeep.judges.learned.judge.FOLDER", tmp_path)

    found = wrong(shell("doctor", "--json"))

    assert found["judge"]["detail"] == f"{tmp_path / 'model.onnx'} is missing; rules decide alone"


def test_a_model_that_is_missing_is_told(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("truekeep.embedders.minilm.loading.FOLDER", tmp_path)

    found = wrong(shell("doctor", "--json"))

    assert found["model"]["detail"] == f"{tmp_path / 'model.onnx'} is missing"
    assert "pip install" in found["model"]["advice"]


def test_a_model_that_is_not_the_one_that_was_shipped_is_told(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "model.onnx").write_bytes(b"another")
    monkeypatch.setattr("truekeep.embedders.minilm.loading.FOLDER", tmp_path)

    found = wrong(shell("doctor", "--json"))

    assert found["model"]["detail"].startswith(f"{tmp_path / 'model.onnx'} is not the file that was shipped")


def test_a_clock_before_the_newest_item_is_told(shell: Shell) -> None:
    def ahead() -> datetime:
        return datetime.now(UTC) + timedelta(days=3)

    with Memory("default", at=shell.file, clock=ahead, embedder=FakeEmbedder(16), background=False) as memory:
        memory.remember("Ana drinks tea")

    found = wrong(shell("doctor", "--json"))

    assert "but the newest item is of" in found["clock"]["detail"]
    assert "set the clock" in found["clock"]["advice"]


def test_work_that_failed_is_told_with_what_to_do(filled: Shell) -> None:
    now = datetime.now(UTC)
    job = Job(
        id="x", space=SpaceId("local", "choir"), task="extract", payload={}, state="failed", created=now, updated=now
    )
    with open_store(filled.file) as store:
        store.add_job(job)

    found = filled.ok("doctor", "--json").json["findings"]

    [work] = [finding for finding in found if finding["check"] == "work"]
    assert work["detail"].endswith("0 jobs wait, 1 failed")
    assert "extract those conversations again" in work["advice"]
    assert re.search(r"^note +work ", filled.ok("doctor").out, re.MULTILINE)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX")
def test_a_file_that_others_can_read_is_noted_and_no_failure(tmp_path: Path, shell: Shell) -> None:
    with TemporaryDirectory() as name:  # the folders of pytest are closed to others
        folder = Path(name)
        folder.chmod(0o755)
        shell.ok("remember", "Ana drinks tea", "--at", str(folder / "notes.db"))
        (folder / "notes.db").chmod(0o644)

        noted = shell.ok("doctor", "--at", str(folder / "notes.db"), "--json").json["findings"]
        (folder / "notes.db").chmod(0o600)
        closed = shell.ok("doctor", "--at", str(folder / "notes.db"), "--json").json["findings"]

    assert [f"chmod 600 {folder / 'notes.db'}" in finding["advice"] for finding in noted].count(True) == 1
    assert [finding["advice"] for finding in closed if finding["check"] == "permissions"] == [""]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, shell: Shell) -> None:
    shell.file.parent.mkdir()
    shell.file.parent.chmod(0o555)

    assert wrong(shell("doctor", "--json")).keys() == {"permissions"}


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
    assert [finding["check"] for finding in said.json["findings"] if not finding["ok"]] == ["file"]
    assert file.read_bytes() == b"dear diary" * 1000


@pytest.mark.parametrize("command", ["doctor", "stats"])
def test_a_store_that_is_not_there_is_code_3_and_not_made(shell: Shell, tmp_path: Path, command: str) -> None:
    said = shell(command, "--at", str(tmp_path / "mistyped.db"))

    assert (said.code, said.out) == (3, "")
    assert not (tmp_path / "mistyped.db").exists()


def test_a_store_that_cannot_be_opened_tells_its_own_remedy_and_no_other(filled: Shell) -> None:
    connection = apsw.Connection(str(filled.file))
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    [found] = [one for one in filled("doctor", "--json").json["findings"] if not one["ok"]]

    assert found["detail"].endswith("; upgrade truekeep")
    assert found["advice"] == ""  # a backup would not help


def test_stats_tell_what_the_library_tells(filled: Shell) -> None:
    as_json, shown = filled.ok("stats", "--json").json, filled.ok("stats").out

    with Memory("default", at=filled.file) as memory:
        stats = memory.stats()
    assert (as_json["items"], as_json["path"], as_json["kinds"]) == (2, stats.path, {"fact": 2})
    assert str(filled.file) in shown
    assert "fact 2" in shown
