"""import --from: what other memories hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.importers import stores
from tests.remote.served import served
from truekeep.assembly import open_parts
from truekeep.importers import FORMATS
from truekeep.testing.fakes import FakeEmbedder

from .shell import Shell


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notes.csv"
    file.write_text(
        "text,speaker,when,kind\n"
        "I prefer window seats,Ana,2025-03-01,preference\n"
        "The night train leaves at ten,Bob,2025-03-02,\n"
    )
    return file


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.jsonl"
    file.write_text('"Ana naps"\n{\n"Bob sings"\n')
    return file


def test_a_table_comes_in_and_is_found_by_its_meaning(shell: Shell, notes: Path) -> None:
    said = shell.ok("import", "--from", "csv", str(notes))

    assert said.out == ("brought in: 2 added, 0 reinforced, 0 unchanged, 0 refused, 0 values, 0 redacted, 0 left out\n")
    found = shell.ok("recall", "where does Ana like to sit?", "--json").json
    assert found["pending"] == 0
    best = found["matches"][0]
    assert (best["content"], best["source"]["speaker"]) == ("I prefer window seats", "Ana")


def test_a_second_run_adds_nothing(shell: Shell, notes: Path) -> None:
    shell.ok("import", "--from", "csv", str(notes))

    again = shell.ok("import", "--from", "csv", str(notes), "--json").json

    assert (again["added"], again["unchanged"]) == (0, 2)
    assert len(shell.ok("items", "--json").lines) == 2


def test_a_dry_run_tells_what_would_come_in_and_opens_no_store(shell: Shell, notes: Path) -> None:
    said = shell.ok("import", "--from", "csv", str(notes), "--dry-run")

    lines = [line.split() for line in said.out.splitlines()]
    assert ["memories", "2"] in lines
    assert ["kind", "1", "preference"] in lines
    assert ["speaker", "1", "Ana"] in lines
    assert any(line[:1] == ["first"] for line in lines)
    assert "I prefer window seats" in said.out
    assert not shell.file.exists()


def test_a_dry_run_speaks_json_too(shell: Shell, notes: Path) -> None:
    told = shell.ok("import", "--from", "csv", str(notes), "--dry-run", "--json").json

    assert (told["memories"], told["values"], told["bad"]) == (2, 0, 0)
    assert told["speakers"] == {"Ana": 1, "Bob": 1}
    assert told["first"].startswith("2025-03-01T00:00:00")


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_bad_row_is_told_with_its_line_and_in_the_exit_code(shell: Shell, broken: Path, options: list[str]) -> None:
    said = shell("import", "--from", "jsonl", str(broken), *options)

    assert said.code == 1
    assert said.err == "note: line 2: is not JSON\n"


def test_bad_rows_are_part_of_the_json_and_the_good_ones_come_in(shell: Shell, broken: Path) -> None:
    said = shell("import", "--from", "jsonl", str(broken), "--json")

    assert said.json["added"] == 2
    assert said.json["problems"] == [{"where": "line 2", "reason": "is not JSON"}]
    assert len(shell.ok("items", "--json").lines) == 2


def test_many_bad_rows_do_not_flood_the_terminal(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("{\n" * 100)

    said = shell("import", "--from", "jsonl", str(tmp_path / "x.jsonl"))

    assert len(said.err.splitlines()) == 21
    assert said.err.endswith("note: ... and 80 more were left out\n")


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_strict_import_ends_with_code_2(shell: Shell, broken: Path, options: list[str]) -> None:
    said = shell("import", "--from", "jsonl", str(broken), "--strict", *options)

    assert (said.code, said.err) == (2, "error: line 2: is not JSON\n")


def test_what_is_left_out_on_purpose_is_told_and_is_no_failure(shell: Shell, tmp_path: Path) -> None:
    folder = stores.chroma(tmp_path / "chroma", {"7": None, "8": "Ana naps"})

    dry = shell.ok("import", "--from", "chroma", str(folder), "--dry-run")
    said = shell.ok("import", "--from", "chroma", str(folder), "--json")

    assert "has no document, only a vector" in dry.out
    assert (said.json["added"], said.json["left_out"], said.json["bad"]) == (1, 1, 0)


def test_names_of_columns_and_of_the_source_can_be_given(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("body,who\nAna naps,Bob\n")

    options = ["--map", "content=body", "--map", "speaker=who", "--source", "crm", "--space", "other"]
    shell.ok("import", "--from", "csv", str(tmp_path / "x.csv"), *options)

    (item,) = shell.ok("items", "--space", "other", "--json").lines
    assert (item["content"], item["source"]["speaker"], item["source"]["name"]) == ("Ana naps", "Bob", "crm")
    assert shell.ok("forget", "--source", "crm", "--space", "other", "--yes").out.startswith("forgot 1 item")


def test_text_comes_through_a_pipe(shell: Shell) -> None:
    said = shell.ok("import", "--from", "markdown", "-", "--json", given="# Ana\n- naps\n- sings\n")

    assert said.json["added"] == 2
    assert {item["source"]["name"] for item in shell.ok("items", "--json").lines} == {"import:stdin"}


def test_it_goes_into_a_served_memory_too(shell: Shell, notes: Path, tmp_path: Path) -> None:
    opened = open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    with served() as server:
        url = server.add(opened)
        try:
            said = shell.ok("import", "--from", "csv", str(notes), "--at", url, "--json")
            again = shell.ok("import", "--from", "csv", str(notes), "--at", url, "--json")
        finally:
            server.remove(url)
            opened.close()

    assert (said.json["added"], again.json["unchanged"]) == (2, 2)
    assert not shell.file.exists()


def test_our_own_export_can_be_named(shell: Shell, tmp_path: Path) -> None:
    shell.ok("remember", "Ana naps")
    shell.ok("export", str(tmp_path / "out.jsonl"))

    said = shell.ok("import", "--from", "truekeep", str(tmp_path / "out.jsonl"), "--space", "other")

    assert said.out == "imported 1 items, 0 versions, 0 values, 0 unchanged, 0 refused\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["x.jsonl", "--dry-run"],
        ["x.jsonl", "--strict"],
        ["x.jsonl", "--source", "crm"],
        ["x.jsonl", "--map", "content=body"],
        ["--from", "zep", "x.jsonl"],
        ["--from", "jsonl", "nowhere.jsonl"],
        ["--from", "jsonl", "x.jsonl", "--map", "content"],
        ["--from", "jsonl", "x.jsonl", "--map", "colour=x"],
        ["--from", "mem0", "-"],
    ],
)
def test_wrong_usage_is_code_2_and_keeps_nothing(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_text('"Ana naps"\n')

    said = shell("import", *arguments)

    assert (said.code, said.out) == (2, "")
    assert shell.ok("items", "--json").out == ""


def test_every_format_is_named_in_the_help(shell: Shell) -> None:
    said = shell.ok("import", "--help")

    assert [format for format in FORMATS if format not in said.out] == []


def test_remembered_text_never_speaks_to_the_terminal(shell: Shell, tmp_path: Path) -> None:
    record: dict[str, Any] = {"text": "red \x1b[31m alert", "speaker": "Ana"}
    (tmp_path / "x.jsonl").write_text(json.dumps(record))

    said = shell.ok("import", "--from", "jsonl", str(tmp_path / "x.jsonl"), "--dry-run")

    assert "\x1b" not in said.out
    assert "\\x1b[31m" in said.out
