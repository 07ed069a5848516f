"""Answers get lost on the way back; what was done is done once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count

import pytest

from truekeep.errors import Conflict, StoreError
from truekeep.memory import Memory, handle
from truekeep.remote import Patience, Remote

from .scripted import Asked, Step, drop, forward, lose, scripted

TURN = {"kind": "interaction"}  # the same words twice are two memories
PATIENCE = Patience(first_pause=timedelta(milliseconds=1))


@contextmanager
def through(*steps: Step) -> Iterator[Memory]:
    with scripted(*steps) as way, handle(Remote("bot", at=way.url, patience=PATIENCE)) as memory:
        yield memory


def test_a_memory_whose_answer_got_lost_is_kept_once(url: str) -> None:
    with through(lose(url), drop, forward(url)) as memory:
        kept = memory.remember("thanks", kind="interaction")
        again = memory.remember("thanks", kind="interaction")

        assert (kept.outcome, kept.replayed) == ("added", False)
        assert [item.id for item in memory.items()] == [again.id, kept.id]


def test_a_moment_is_not_named_twice_when_the_answer_got_lost(url: str) -> None:
    with through(lose(url), forward(url)) as memory:
        with pytest.raises(
            StoreError
        ):  # whether it has the name is not known: rather than to tell a Conflict of our own
            memory.checkpoint("before")

        assert [one.name for one in memory.checkpoints()] == ["before"]

    with through(drop, lose(url), forward(url)) as memory:
        memory.remember("thanks")
        assert memory.restore("before").checkpoint.name == "before"
        assert memory.items() == []


def test_a_caller_who_repeats_an_idempotency_key_is_told(url: str) -> None:
    with through(lose(url), forward(url)) as memory:
        memory.remember("thanks", idempotency_key="r1")

        assert memory.remember("thanks", idempotency_key="r1").replayed


def test_a_batch_whose_answer_got_lost_is_kept_once(url: str) -> None:
    batch: list[str | dict[str, str]] = [
        {"content": "thanks", **TURN},
        {"content": "bye", **TURN, "idempotency_key": "r1"},
        "Ana likes tea",
    ]

    with through(lose(url), forward(url)) as memory:
        kept = memory.remember_many(batch)

        assert [one.replayed for one in kept] == [False, True, False]
        assert {item.id for item in memory.items()} == {one.id for one in kept}
        assert len(kept) == 3


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda memory: memory.increment("k", 2), 2),
        (lambda memory: memory.append("k", "x"), ["x"]),
        (lambda memory: memory.set("k", 1, if_version=0), 1),
    ],
)
def test_a_value_whose_answer_got_lost_is_changed_once(
    url: str, edit: Callable[[Memory], object], expected: object
) -> None:
    with through(lose(url), lose(url), forward(url)) as memory:
        edit(memory)

        assert memory.get("k") == expected
        present = memory.value("k")
        assert present is not None
        with pytest.raises(Conflict):
            memory.set("k", 5, if_version=present.version + 1)


@pytest.mark.parametrize("wait", [True, False])
def test_an_extraction_whose_answer_got_lost_is_done_once(url: str, wait: bool) -> None:
    with through(lose(url), forward(url)) as memory:
        extraction = memory.extract("Ana: I prefer tea.", wait=wait)
        memory.flush()

        [item] = memory.items()
        assert item.reinforced == 0
        assert (extraction.job is None) is wait
        assert [one.replayed for one in extraction.remembered] == [False] * wait


def test_an_import_whose_answer_got_lost_changes_nothing_the_second_time(url: str) -> None:
    with through(forward(url)) as memory:
        memory.remember("Ana likes tea")
        lines = list(memory.export())
        memory.forget(everything=True)

    with through(lose(url), forward(url)) as memory:
        imported = memory.import_(lines)

        assert (imported.items, imported.unchanged) == (0, 1)
        assert list(memory.export()) == lines


def test_what_was_forgotten_stays_so_when_the_answer_got_lost(url: str) -> None:
    with through(forward(url)) as memory:
        kept = memory.remember("Ana likes tea")

    with through(lose(url), forward(url)) as memory:
        receipt = memory.forget(kept.id)

        assert (receipt.erased, receipt.remaining) == ((), 0)  # as the second attempt saw it
        assert memory.items() == []


def test_a_correction_whose_answer_got_lost_is_made_once(url: str) -> None:
    with through(forward(url)) as memory:
        kept = memory.remember("Ana plays cello")

    with through(lose(url), forward(url)) as memory:
        corrected = memory.correct(kept.id, "Ana plays violin")

        assert (corrected.content, corrected.version) == ("Ana plays violin", 2)
        assert memory.item(kept.id).version == 2


def test_many_threads_over_a_bad_line_count_exactly(url: str) -> None:
    numbers = count()
    good, bad = forward(url), lose(url)

    def every_third_is_lost(connection: object, asked: Asked) -> None:
        step = (good, good, bad, good, drop)[next(numbers) % 5]
        step(connection, asked)  # type: ignore[arg-type]

    patience = Patience(attempts=30, span=timedelta(seconds=60), first_pause=timedelta(microseconds=1))
    with scripted(every_third_is_lost) as way, handle(Remote("bot", at=way.url, patience=patience)) as memory:

        def work() -> None:
            for _ in range(10):
                memory.increment("n")
                memory.remember("tick", kind="interaction")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert memory.get("n") == 40
        assert memory.stats().items == 40
        assert len(way.asked) > 80
