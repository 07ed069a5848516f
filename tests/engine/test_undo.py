"""Going back, whatever was done: restoring is an inverse, equal moments do not differ, and forgotten means gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep import Memory
from truekeep.engine.verbs import undo
from truekeep.errors import Conflict, QuotaExceeded
from truekeep.model import Checkpoint, MemoryItem
from truekeep.testing.fakes import FakeEmbedder

WORDS = ("apple", "basil", "cedar", "dahlia")
Deed = Callable[[Memory], object]


def opened(at: Path | str = ":memory:") -> Memory:
    return Memory("bot", at=at, embedder=FakeEmbedder(), judge="rules", background=False)


def _one(memory: Memory, number: int) -> MemoryItem | None:
    found = memory.items(include_superseded=True)
    return found[number % len(found)] if found else None


def remembers(key: int | None, word: str, source: str | None) -> Deed:
    named = None if key is None else f"k/{key}"
    return lambda memory: memory.remember(f"The {key or 'thing'} is {word}", key=named, source=source)


def corrects(number: int, word: str) -> Deed:
    return lambda memory: (one := _one(memory, number)) and memory.correct(one.id, f"Rather {word}")


def forgets(number: int) -> Deed:
    return lambda memory: (one := _one(memory, number)) and memory.forget(one.id)


def sets(key: int, value: int | None) -> Deed:
    return lambda memory: memory.set(f"v{key}", value)


NUMBERS, SOURCES = st.integers(0, 5), st.sampled_from([None, "crawler"])
CHANGES = st.one_of(
    st.builds(remembers, st.none() | st.integers(0, 1), st.sampled_from(WORDS), SOURCES),
    st.builds(corrects, NUMBERS, st.sampled_from(WORDS)),
    st.builds(sets, st.integers(0, 2), st.none() | st.integers(0, 3)),
)
ERASURES = st.builds(forgets, NUMBERS) | st.just(lambda memory: memory.forget(source="crawler"))
FEW, SOME = st.lists(CHANGES, max_size=6), st.lists(CHANGES, min_size=1, max_size=8)


def believed(memory: Memory) -> tuple[dict[str, MemoryItem], dict[str, Any]]:
    """All that counts: current items but for what merely tells of their changes, and values."""
    items = {item.id: undo._belief(item) for item in memory.items(limit=1000)}
    return items, {key: memory.get(key) for key in memory.keys()}  # noqa: SIM118  # no mapping


def do(memory: Memory, *deeds: Deed) -> None:
    for deed in deeds:
        deed(memory)


@given(first=FEW, second=SOME, third=FEW)
@settings(max_examples=40, deadline=None)
def test_restoring_is_an_inverse(first: list[Deed], second: list[Deed], third: list[Deed]) -> None:
    with opened() as memory:
        do(memory, *first)
        memory.checkpoint("one")
        one = believed(memory)
        do(memory, *second)
        memory.checkpoint("two")
        two = believed(memory)
        do(memory, *third)

        for name, then in (("one", one), ("two", two), ("one", one)):
            memory.restore(name)
            assert believed(memory) == then
            assert memory.diff(name).is_empty
            assert memory.restore(name).made is None
        assert memory.check() == []


@given(first=FEW, second=SOME)
@settings(max_examples=25, deadline=None)
def test_equal_moments_do_not_differ_and_different_ones_do(first: list[Deed], second: list[Deed]) -> None:
    with opened() as memory:
        do(memory, *first)
        memory.checkpoint("one")
        memory.checkpoint("same")
        before = believed(memory)
        do(memory, *second)
        memory.checkpoint("two")

        assert memory.diff("one", "same").is_empty
        assert memory.diff("two").is_empty
        assert memory.diff("one").is_empty == (believed(memory) == before)
        assert replace(memory.diff("one"), until="two") == memory.diff("one", "two")


@given(first=FEW, second=FEW)
@settings(max_examples=12, deadline=None)
def test_a_copy_does_not_differ_from_its_origin(first: list[Deed], second: list[Deed]) -> None:
    with TemporaryDirectory() as folder, opened(Path(folder) / "m.db") as memory:
        do(memory, *first)
        memory.checkpoint("one")
        then = believed(memory)
        do(memory, *second)
        memory.fork("then", at="one")
        memory.fork("now")

        for name, expected in (("then", then), ("now", believed(memory))):
            with Memory(name, at=Path(folder) / "m.db", embedder=FakeEmbedder(), background=False) as copy:
                assert believed(copy) == expected
                assert copy.diff("forked").is_empty


@given(first=SOME, second=st.lists(CHANGES | ERASURES, max_size=8), secret=st.sampled_from(["kept", "corrected"]))
@settings(max_examples=15, deadline=None)
def test_forgotten_text_is_in_no_answer_and_no_byte(first: list[Deed], second: list[Deed], secret: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        with opened(path) as memory:
            do(memory, *first)
            item = memory.remember("qzsecretzq one", key="k/0").item
            memory.checkpoint("one")
            if secret == "corrected":
                memory.correct(item.id, "qzsecretzq two")
            do(memory, *second)
            memory.forget(item.id)
            memory.checkpoint("two")

            memory.restore("one")
            memory.fork("copy", at="one")

            answers = [memory.diff("one"), memory.diff("one", "two"), memory.items(include_superseded=True)]
            assert "qzsecretzq" not in repr(answers) + repr(memory.recall("secret", include_superseded=True))
            assert memory.diff("one").forgotten >= 1
            memory.flush()
        for file in Path(folder).iterdir():
            assert b"qzsecretzq" not in file.read_bytes()


def test_many_items_come_back_in_batches_and_an_interrupted_restore_is_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(undo, "BATCH", 3)
    with opened() as memory:
        memory.checkpoint("empty")
        memory.remember_many([{"content": f"Fact {number}", "judged": False} for number in range(10)])
        store = memory._engine._parts.store  # type: ignore[union-attr]  # a local one
        apply, calls = store.apply, []

        def failing(*given: Any, **named: Any) -> Any:
            calls.append(1)
            if len(calls) == 3:
                raise QuotaExceeded("pulled out", timedelta(0))
            return apply(*given, **named)

        with monkeypatch.context() as patch:
            patch.setattr(store, "apply", failing)
            with pytest.raises(QuotaExceeded):
                memory.restore("empty")

        assert len(memory.items()) == 4
        memory.restore("empty")
        assert memory.items() == []
        assert [item.content for item in memory.items(include_superseded=True, limit=20)].count("Fact 0") == 1


def test_others_may_write_while_a_restore_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(undo, "BATCH", 3)
    with opened(tmp_path / "m.db") as memory, opened(tmp_path / "m.db") as other:
        memory.remember("Ana lives in Rome", key="home")
        memory.checkpoint("then")
        memory.remember_many([{"content": f"Fact {number}", "judged": False} for number in range(6)])
        store = memory._engine._parts.store  # type: ignore[union-attr]  # a local one
        apply, meanwhile = store.apply, iter(["Ana lives in Oslo", "Ana lives in Bern"])

        def crowded(*given: Any, **named: Any) -> Any:
            if (text := next(meanwhile, None)) is not None:
                other.remember(text, key="home", judged=False)
            return apply(*given, **named)

        monkeypatch.setattr(store, "apply", crowded)
        memory.restore("then")

        assert [item.content for item in memory.items()] == ["Ana lives in Rome"]


def test_of_two_forks_into_one_space_the_second_is_refused_and_leaves_the_first_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = tmp_path / "m.db"
    with Memory("bot", at=at, embedder=FakeEmbedder(16), background=False) as memory:
        memory.remember("Ana plays the cello")
        copied = undo._copied

        def overtaken(*given: Any) -> Checkpoint:
            monkeypatch.setattr(undo, "_copied", copied)
            with pytest.raises(Conflict, match="another fork fills the space 'trial'"):
                memory.fork("trial")
            return copied(*given)

        monkeypatch.setattr(undo, "_copied", overtaken)
        memory.fork("trial")
        with pytest.raises(Conflict, match="holds something already"):
            memory.fork("trial")

        with Memory("trial", at=at, embedder=FakeEmbedder(16), background=False) as trial:
            assert [item.content for item in trial.items()] == ["Ana plays the cello"]
            assert [one.name for one in trial.checkpoints()] == ["forked"]
        assert memory.checkpoints() == []
