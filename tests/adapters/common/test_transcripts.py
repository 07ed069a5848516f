"""A transcript holds what was added to it, once and in order, whoever else writes and whatever fails meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from truekeep import AccessDenied, InvalidInput, Memory
from truekeep.adapters.common import FailOpen, Recording, Remembering, Scopes
from truekeep.adapters.common.transcripts import Transcript, Unsaved, history_key

from .places import PATIENT, opened, patient, spaces

SESSION = ("ana", "history:s")  # where it is


def turn(id: str, *messages: Any) -> dict[str, Any]:
    return {"id": id, "messages": [*messages]}


def saved(memory: Memory) -> Any:
    kept: Any = memory.get("history:s")
    return kept["turns"]


def unlike(known: Sequence[Any], incoming: Sequence[Any]) -> list[Any]:
    return [one for one in incoming if one not in known]


def refuse(*given: object, **named: object) -> None:
    raise AccessDenied("this key may only read")


def test_a_turn_that_is_sent_again_is_saved_once(tmp_path: Path) -> None:
    unsaved, memory = Unsaved(), opened(tmp_path)
    transcript = Transcript(spaces(tmp_path, "ana"), "s", unsaved)

    for _ in range(2):
        unsaved.add(SESSION, turn("1", "a"))
        unsaved.add(SESSION, turn("2", "b", "c"))
        transcript.send(memory)

    assert saved(memory) == [turn("1", "a"), turn("2", "b", "c")]


def test_only_what_is_chosen_is_added(tmp_path: Path) -> None:
    unsaved, memory = Unsaved(unlike), opened(tmp_path)
    transcript = Transcript(spaces(tmp_path, "ana"), "s", unsaved)
    transcript.queue(["a"])
    transcript.send(memory)

    unsaved.add(SESSION, turn("2", "a", "b"))
    transcript.send(memory)

    assert saved(memory)[1] == turn("2", "b")


def test_what_can_never_be_saved_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    unsaved, memory = Unsaved(), opened(tmp_path)
    transcript = Transcript(spaces(tmp_path, "ana"), "s", unsaved)
    unsaved.add(SESSION, turn("1", float("nan")))
    unsaved.add(SESSION, turn("2", "b"))

    with pytest.raises(InvalidInput):
        transcript.send(memory)

    assert transcript.unsaved.waiting == 0
    assert saved(memory) == [turn("2", "b")]


def test_many_writers_lose_nothing_and_pop_takes_each_message_once(tmp_path: Path) -> None:
    transcripts = [Transcript(spaces(tmp_path, "ana"), "s") for _ in range(4)]
    memory = opened(tmp_path)

    def add(number: int) -> None:
        transcripts[number % 4].queue([number])
        transcripts[number % 4].send(memory)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(20)))
        popped = list(pool.map(lambda number: transcripts[number % 4].pop(memory), range(20)))

    assert sorted(popped) == list(range(20))
    assert transcripts[0].pop(memory) is None
    assert transcripts[0].load(memory) == []


def test_what_waits_is_read_and_goes_with_the_next_save(tmp_path: Path) -> None:
    transcript, memory = Transcript(spaces(tmp_path, "ana"), "s"), opened(tmp_path)

    transcript.queue(["a"])
    transcript.queue([])

    assert transcript.load(memory) == ["a"]
    assert (transcript.unsaved.waiting, transcript.late()) == (1, ["a"])
    transcript.send(memory)
    assert (transcript.unsaved.waiting, transcript.late()) == (0, [])


def test_what_waits_is_read_as_it_will_be_saved(tmp_path: Path) -> None:
    transcript, memory = Transcript(spaces(tmp_path, "ana"), "s", Unsaved(unlike)), opened(tmp_path)
    transcript.queue(["a"])
    transcript.send(memory)

    transcript.queue(["a", "b"])
    transcript.queue(["b", "c"])

    assert transcript.load(memory) == ["a", "b", "c"]


def test_reading_never_waits_for_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, go_on = Memory.set, threading.Event()

    def hang(*given: Any, **named: Any) -> object:
        go_on.wait(PATIENT)
        return write(*given, **named)

    memory, guard = opened(tmp_path), FailOpen(tolerance=3)
    remembering = Remembering(memory, recording=Recording(mode=None), guard=guard)
    transcript = Transcript(remembering.spaces, "s")
    transcript.queue(["a"])
    remembering.on_memory(transcript.send, None)
    monkeypatch.setattr(Memory, "set", hang)

    found = []
    for message in ("b", "c", "d"):
        transcript.queue([message])
        guard.deadline = 0.05
        remembering.on_memory(transcript.send, None)
        guard.deadline = 5.0
        found.append(remembering.on_memory(transcript.load, transcript.late()))
    go_on.set()
    transcript.send(memory)

    assert found == [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]]
    assert (guard.failures, guard.is_resting) == (3, False)  # those of the writes
    assert [turn["messages"] for turn in saved(memory)] == [["a"], ["b"], ["c"], ["d"]]


def test_a_turn_that_another_thread_saves_while_it_is_read_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, write = Memory.get, Memory.set

    def read_and_save(memory: Memory, key: str) -> object:
        found = read(memory, key)
        monkeypatch.setattr(Memory, "set", write)
        transcript.send(memory)
        return found

    transcript, memory = Transcript(spaces(tmp_path, "ana"), "s"), opened(tmp_path)
    transcript.queue(["a"])
    transcript.send(memory)
    transcript.queue(["b"])
    monkeypatch.setattr(Memory, "set", refuse)
    monkeypatch.setattr(Memory, "get", read_and_save)

    found = [transcript.load(memory) for _ in range(2)]

    assert found == [["a", "b"], ["a", "b"]]
    assert transcript.unsaved.waiting == 0


def test_what_may_not_be_written_hides_nothing_that_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript, memory = Transcript(spaces(tmp_path, "ana"), "s"), opened(tmp_path)
    transcript.queue(["a"])
    transcript.send(memory)
    monkeypatch.setattr(Memory, "set", refuse)
    transcript.queue(["b"])

    assert transcript.load(memory) == ["a", "b"]
    assert transcript.unsaved.waiting == 1


@pytest.mark.parametrize(("message", "is_kept"), [("a", True), (float("nan"), False)])
def test_a_flush_saves_what_waits_for_every_user(message: object, is_kept: bool, tmp_path: Path) -> None:
    def nobody() -> str:
        raise LookupError("no request is under way here")

    remembering, unsaved = Remembering(spaces(tmp_path, nobody), guard=patient()), Unsaved()
    remembering.entrust(unsaved)
    unsaved.add(SESSION, turn("1", message))
    unsaved.add(("ben", "history:s"), turn("2", "b"))

    assert remembering.flush() is is_kept

    assert unsaved.waiting == 0
    assert opened(tmp_path).get("history:s") == ({"turns": [turn("1", "a")]} if is_kept else None)
    assert saved(opened(tmp_path, "ben")) == [turn("2", "b")]


def test_clear_also_drops_what_waits(tmp_path: Path) -> None:
    transcript, memory = Transcript(spaces(tmp_path, "ana"), "s"), opened(tmp_path)
    transcript.queue(["a"])

    assert transcript.clear(memory) is False

    assert transcript.load(memory) == []


def test_nothing_is_queued_where_nothing_may_be_written(tmp_path: Path) -> None:
    transcript = Transcript(spaces(tmp_path, Scopes(read="ana")), "s")

    transcript.queue(["a"])

    assert (transcript.unsaved.waiting, transcript.late()) == (0, [])


@pytest.mark.parametrize("name", ["s", "x" * 500, "a\nb", "\ud800", ""])
def test_any_session_has_a_key_that_a_memory_takes(tmp_path: Path, name: str) -> None:
    key = history_key(name)

    opened(tmp_path).set(key, 1)

    assert key != history_key(name + "-")
