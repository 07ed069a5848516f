"""Into a memory, embedded or served: once, in order, and not judged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput, Limits, Memory
from truekeep.importers import FORMATS, BroughtIn, Entry, LeftOut, bring_in, intake, read
from truekeep.testing.fakes import FakeEmbedder

from . import stores


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "notes.jsonl"


def write(file: Path, *records: Any) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_what_was_found_is_remembered_with_its_time_and_speaker(memory: Memory, file: Path) -> None:
    record = {
        "id": "m1",
        "text": "I prefer tea",
        "when": "2025-03-01",
        "speaker": "Ana",
        "session": "s1",
        "tags": ["x"],
    }
    write(file, record)

    done = bring_in(memory, read("jsonl", file))

    (item,) = memory.items()
    assert done == BroughtIn(added=1)
    assert (item.content, item.when) == ("I prefer tea", datetime(2025, 3, 1, tzinfo=UTC))
    assert (item.speaker, item.session, item.tags, item.source.message) == ("Ana", "s1", ("x",), "m1")


def test_a_second_run_changes_nothing(memory: Memory, file: Path) -> None:
    records = [{"text": f"Guest {number} likes tea", "kind": "interaction"} for number in range(3)]
    write(file, *records, records[0], {"text": "Ana naps"})
    bring_in(memory, read("jsonl", file))
    before = memory.items()

    again = bring_in(memory, read("jsonl", file))

    assert again == BroughtIn(unchanged=5)
    assert memory.items() == before
    assert [item.reinforced for item in before] == [0] * 5


def test_a_second_run_brings_what_is_new_in_the_source(memory: Memory, file: Path) -> None:
    bring_in(memory, read("jsonl", write(file, {"id": 1, "text": "Ana naps"})))

    again = bring_in(memory, read("jsonl", write(file, {"id": 2, "text": "Bob sings"}, {"id": 1, "text": "Ana naps"})))

    assert again == BroughtIn(added=1, unchanged=1)


def test_what_expires_is_known_by_its_statement(memory: Memory, file: Path) -> None:
    write(file, {"text": "The pool is closed", "expires": "2999-01-01"})
    bring_in(memory, read("jsonl", file))

    again = bring_in(memory, read("jsonl", file))

    (item,) = memory.items()
    assert again == BroughtIn(reinforced=1)
    assert item.expires is not None
    assert abs((item.expires - datetime(2999, 1, 2, tzinfo=UTC)).total_seconds()) < 60


@pytest.mark.parametrize("size", [2, 64, 65])
def test_imported_items_do_not_retire_or_doubt_each_other(memory: Memory, file: Path, size: int) -> None:
    ana = {"speaker": "Ana", "role": "user"}
    history = [
        {**ana, "text": "I live in Porto", "when": "2024-01-01"},
        {**ana, "text": "I moved to Lisbon and no longer live in Porto", "when": "2025-01-01"},
    ]
    others = [{"text": f"Guest {number} likes tea"} for number in range(size - 2)]

    done = bring_in(memory, read("jsonl", write(file, *history, *others)))

    items = memory.items(limit=100, include_superseded=True)
    assert done == BroughtIn(added=size)
    assert all(item.is_current and not item.suspected_by and item.reinforced == 0 for item in items)


def test_the_same_statements_would_be_judged_if_they_were_said_now(tmp_path: Path) -> None:
    """Or the test before this one could not fail."""
    with Memory("bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False) as memory:
        said = ["I live in Porto", "I moved to Lisbon and no longer live in Porto"]
        memory.remember_many({"content": one, "speaker": "Ana"} for one in said)

        assert not all(item.is_current and not item.suspected_by for item in memory.items(include_superseded=True))


def test_what_was_forgotten_does_not_come_back(memory: Memory, file: Path) -> None:
    write(file, {"text": "Ana naps"}, {"text": "Bob sings"})
    bring_in(memory, read("jsonl", file))
    memory.forget(next(item.id for item in memory.items() if item.content == "Ana naps"))

    again = bring_in(memory, read("jsonl", file))

    assert again == BroughtIn(refused=1, unchanged=1)
    assert [item.content for item in memory.items()] == ["Bob sings"]


def test_an_import_can_be_rolled_back_by_its_source(memory: Memory, file: Path) -> None:
    memory.remember("Ana naps")
    bring_in(memory, read("jsonl", write(file, "Ana naps", "Bob sings")))

    memory.forget(source="import:notes.jsonl")

    assert [item.content for item in memory.items()] == ["Ana naps"]


def test_bad_records_are_told_and_the_others_come_in(memory: Memory, file: Path) -> None:
    file.write_text('"Ana naps"\n{\n"Bob sings"\n')

    done = bring_in(memory, read("jsonl", file))

    assert done == BroughtIn(added=2, left_out=(LeftOut(where="line 2", reason="is not JSON"),))
    assert (done.bad, done.seen) == (1, 3)


def test_a_strict_import_stops_at_the_first_bad_record(memory: Memory, file: Path) -> None:
    file.write_text('"Ana naps"\n{\n')

    with pytest.raises(InvalidInput, match="line 2: is not JSON"):
        bring_in(memory, read("jsonl", file), strict=True)


def test_what_is_left_out_on_purpose_does_not_stop_a_strict_import(memory: Memory, file: Path) -> None:
    write(file, {"text": "old", "expires": "2020-01-01"}, "Ana naps")

    assert bring_in(memory, read("jsonl", file), strict=True).added == 1


def test_what_the_memory_itself_refuses_is_left_out_by_its_place(tmp_path: Path, file: Path) -> None:
    long = {"text": "x" * 200, "id": "long"}
    write(file, "Ana naps", long, "Bob sings")
    with Memory(
        "bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False, limits=Limits(content_bytes=100)
    ) as memory:
        done = bring_in(memory, read("jsonl", file))

        assert done.added == 2
        assert done.left_out == (LeftOut(where="line 2", reason="content: has 200 bytes; at most 100 are accepted"),)
        with pytest.raises(InvalidInput, match="line 2"):
            bring_in(memory, read("jsonl", file), strict=True)


def test_larger_limits_are_told_to_the_reader(tmp_path: Path, file: Path) -> None:
    limits = Limits(content_bytes=1_000_000)
    write(file, "Ana naps", "sings " * 12_000)
    with Memory("bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False, limits=limits) as memory:
        assert bring_in(memory, read("jsonl", file, limits=limits)).added == 2


def test_secrets_are_replaced_and_counted(memory: Memory, file: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    write(file, f"The token is {secret}", "Ana naps")

    done = bring_in(memory, read("jsonl", file))

    assert (done.added, done.redacted) == (2, 1)
    assert all(secret not in item.content for item in memory.items())


def test_what_came_in_under_other_rules_of_redaction_is_left_as_it_is(tmp_path: Path, file: Path) -> None:
    write(file, "The token is ghp_" + "a1B2" * 9, "Ana naps")
    place: dict[str, Any] = {"at": tmp_path / "memory.db", "embedder": FakeEmbedder(), "background": False}
    with Memory("bot", **place) as memory:
        bring_in(memory, read("jsonl", file))
    with Memory("bot", **place, redact="off") as memory:
        again = bring_in(memory, read("jsonl", file))

        assert again == BroughtIn(unchanged=2)
        assert len(memory.items()) == 2


def test_values_come_in_and_a_key_that_has_one_keeps_it(memory: Memory, tmp_path: Path) -> None:
    path = stores.langgraph(
        tmp_path / "store.db", ("a", "1", {"n": 1}, None), ("a", "2", {"n": 2}, "2999-01-01 00:00:00")
    )
    memory.set("a/1", {"n": 7})

    done = bring_in(memory, read("langgraph", path))

    found = memory.value("a/2")
    assert done == BroughtIn(values=1, unchanged=1)
    assert (memory.get("a/1"), memory.get("a/2")) == ({"n": 7}, {"n": 2})
    assert found is not None
    assert found.expires is not None


def test_progress_is_told_after_each_batch(memory: Memory, file: Path) -> None:
    write(file, *[f"Guest {number} has room {number * 7}" for number in range(500)])
    seen: list[int] = []

    done = bring_in(memory, read("jsonl", file), progress=lambda so_far: seen.append(so_far.seen))

    assert (done.added, seen) == (500, [200, 400, 500])


def test_large_texts_travel_in_smaller_batches(memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "_BATCH_BYTES", 10_000)
    write(file, *[f"Guest {number} " + "sings " * 20 for number in range(150)])
    seen: list[int] = []

    done = bring_in(memory, read("jsonl", file), progress=lambda so_far: seen.append(so_far.seen))

    assert done.added == 150
    assert 1 < seen[0] < 150


def test_each_statement_that_the_memory_refuses_is_told(tmp_path: Path, file: Path) -> None:
    write(file, "Ana naps", "x" * 200)
    with Memory(
        "bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False, limits=Limits(content_bytes=7)
    ) as memory:
        done = bring_in(memory, read("jsonl", file))

        assert [one.where for one in done.left_out] == ["line 1", "line 2"]
        assert memory.items() == []


def test_records_may_come_from_elsewhere(memory: Memory) -> None:
    """Anybody can write an importer: what counts is what it yields."""
    entry = Entry(where="here", key="tone", value="concise")

    assert bring_in(memory, [entry]) == BroughtIn(values=1)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_not_there_is_refused(format: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no"):
        read(format, tmp_path / "nothing")


def test_wrong_questions_are_refused_before_anything_is_read(file: Path) -> None:
    write(file, "x")
    for options, problem in [
        ({"format": "zep", "path": file}, "'zep' is not known; there are mem0"),
        ({"format": "mem0", "path": "-"}, "needs a file or a folder"),
        ({"format": "mem0", "path": file, "map": {"content": "x"}}, "is not for mem0"),
        ({"format": "jsonl", "path": file, "source": "\n"}, "source"),
    ]:
        with pytest.raises(InvalidInput, match=problem):
            read(**options)  # type: ignore[arg-type]
