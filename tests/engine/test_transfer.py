"""Export and import beyond what the contract of a memory shows: files, batches, refusals."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from truekeep import Imported, InvalidInput, Memory
from truekeep.ports import Restored
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FakeEmbedder, FixedClock


def memory_in(path: Path, space: str = "bot") -> Memory:
    return Memory(space, at=path, embedder=FakeEmbedder(16), clock=FixedClock(), background=False)


def test_an_export_of_many_batches_is_whole(tmp_path: Path) -> None:
    with memory_in(tmp_path / "m.db", "one") as one, memory_in(tmp_path / "m.db", "other") as other:
        one.remember_many([f"note {n}" for n in range(1234)])

        imported = other.import_(one.export())

        assert imported == Imported(items=1234)
        assert list(other.export())[1:] == list(one.export())[1:]


def test_an_export_tells_the_state_in_which_it_was_begun(tmp_path: Path) -> None:
    with memory_in(tmp_path / "m.db", "one") as one, memory_in(tmp_path / "m.db", "other") as other:
        kept = one.remember_many([f"note {n}" for n in range(1234)])
        one.remember("Ana writes Python", key="ana/language")
        one.set("tone", "brief")
        before = list(one.export())
        lines = one.export()
        begun = [next(lines) for _ in range(10)]
        one.correct(kept[0].id, tags=["changed"])
        one.remember("Ana writes Rust", key="ana/language")
        one.forget(kept[1].id)
        one.set("tone", "long")

        other.import_([*begun, *lines])

        assert list(other.export())[1:] == before[1:]


def test_what_is_written_while_an_export_is_gathered_is_in_it_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory_in(tmp_path / "m.db", "one") as one, memory_in(tmp_path / "m.db", "other") as other:
        one.remember_many([f"note {n}" for n in range(600)])
        claims = ["Ana writes Python", "Ana writes Rust", "Ana writes Go"]
        one.remember(claims[0], key="ana/language")
        keys, waiting = SqliteStore.keys, claims[1:]

        def interrupted(self: SqliteStore, *given: Any, **more: Any) -> list[str]:
            if waiting:
                one.remember(waiting.pop(0), key="ana/language")
            return keys(self, *given, **more)

        monkeypatch.setattr(SqliteStore, "keys", interrupted)
        other.import_(one.export())
        monkeypatch.undo()

        [current] = [item for item in other.items(limit=1000) if item.key]
        assert current.content == claims[-1]
        assert [item.content for item in other.history(current.id)] == claims


def test_a_correction_made_while_an_import_runs_is_not_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FixedClock()
    with (
        Memory("one", at=tmp_path / "m.db", embedder=FakeEmbedder(16), clock=clock, background=False) as one,
        Memory("other", at=tmp_path / "m.db", embedder=FakeEmbedder(16), clock=clock, background=False) as other,
    ):
        kept = one.remember("The key is in vault A")
        other.import_(one.export())
        clock.advance(timedelta(minutes=1))
        one.correct(kept.id, "The key is in vault B")
        lines = list(one.export())
        clock.advance(timedelta(minutes=1))
        restore = SqliteStore.restore

        def overtaken(self: SqliteStore, *given: Any, **more: Any) -> Restored:
            other.correct(kept.id, "The key is in vault C")
            return restore(self, *given, **more)

        monkeypatch.setattr(SqliteStore, "restore", overtaken)
        imported = other.import_(lines)

        assert (imported.items, imported.unchanged) == (0, 1)
        assert other.item(kept.id).content == "The key is in vault C"


def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    with memory_in(tmp_path / "m.db") as memory, pytest.raises(InvalidInput, match="line 1"):
        memory.import_(['{"type": ' + "9" * 10_000 + "}"])


def test_a_file_can_be_imported(tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    with memory_in(tmp_path / "m.db", "one") as one, memory_in(tmp_path / "m.db", "other") as other:
        one.remember("Ana likes tea\u2028and \U0001f375\r\nmilk")
        with file.open("w", encoding="utf-8") as target:
            target.writelines(one.export())

        other.import_(file)

        assert [item.id for item in other.items()] == [item.id for item in one.items()]
        assert other.items()[0].content == "Ana likes tea\u2028and \U0001f375\r\nmilk"


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    file.write_bytes(b"\xff\xfe\x00")

    with memory_in(tmp_path / "m.db") as memory, pytest.raises(InvalidInput, match="UTF-8"):
        memory.import_(file)


def test_blank_lines_are_ignored_and_counted(tmp_path: Path) -> None:
    with memory_in(tmp_path / "m.db") as memory:
        memory.remember("Ana likes tea")
        lines = [line for one in memory.export() for line in (one, "\n")]
        memory.forget(everything=True)

        assert memory.import_(lines).items == 1
        with pytest.raises(InvalidInput, match="line 6"):
            memory.import_([*lines, "", json.dumps({"type": "thing"})])


def test_what_a_memory_holds_can_be_imported_though_nobody_could_say_it_at_once(tmp_path: Path) -> None:
    with memory_in(tmp_path / "m.db") as memory:
        memory.remember("Ana likes tea")
        lines = [json.loads(line) for line in memory.export()]
        lines[1]["tags"] = [f"tag {number}" for number in range(200)]
        lines[1]["metadata"] = {"notes": "x" * 100_000}
        memory.forget(everything=True)

        memory.import_([json.dumps(line) for line in lines])

        [item] = memory.items()
        assert (len(item.tags), len(str(item.metadata["notes"]))) == (200, 100_000)
        for excess in ({"tags": ["t"] * 1_001}, {"metadata": {"n": "x" * 2_000_000}}, {"content": "x" * 100_000}):
            with pytest.raises(InvalidInput, match="line 2"):
                memory.import_([json.dumps(line) for line in (lines[0], lines[1] | excess)])


def test_one_bad_line_at_the_end_of_many_batches_writes_nothing(tmp_path: Path) -> None:
    with memory_in(tmp_path / "m.db", "one") as one, memory_in(tmp_path / "m.db", "other") as other:
        one.remember_many([f"note {n}" for n in range(1100)])

        with pytest.raises(InvalidInput, match="line 1102"):
            other.import_([*one.export(), "{}"])

        assert other.stats().items == 0
