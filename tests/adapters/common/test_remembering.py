"""What an adapter holds: no method raises, whatever becomes of the memory, in sync and in async code."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.remote.served import served
from truekeep import Memory
from truekeep.adapters.common import AsyncRemembering, FailOpen, Recording, Remembering, Scopes, Spaces
from truekeep.assembly import open_parts
from truekeep.testing.fakes import FakeEmbedder

from .places import kept, opened, patient, silent_server, spaces


def chat(remembering: Remembering) -> list[object]:
    """All that a turn of an agent asks of its memory."""
    said = {"role": "user", "name": "Ana", "content": "I prefer green tea."}
    answers: list[object] = [remembering.block(said, seen=[said]), list(remembering.recall("tea"))]
    remembering.note(said)
    remembering.record([said])
    answers.append(remembering.on_memory(lambda memory: memory.get("mood", "none"), "unknown"))
    return answers


async def async_chat(remembering: Remembering) -> list[object]:
    said = {"role": "user", "name": "Ana", "content": "I prefer green tea."}
    aio = remembering.aio
    answers: list[object] = [await aio.block(said, seen=[said]), list(await aio.recall("tea"))]
    await aio.note(said)
    await aio.record([said])
    answers.append(await aio.on_memory(lambda memory: memory.get("mood", "none"), "unknown"))
    return answers


@pytest.mark.parametrize("is_async", [False, True])
def test_a_turn_with_a_working_memory(is_async: bool, tmp_path: Path) -> None:
    remembering = Remembering(spaces(tmp_path, "ana"), guard=patient(), conversation="chat")

    answers = asyncio.run(async_chat(remembering)) if is_async else chat(remembering)

    assert answers == ["", [], "none"]
    assert remembering.failures == 0
    assert [(item.content, item.session) for item in kept(tmp_path)] == [("I prefer green tea.", "chat")]
    assert "green tea" in remembering.block("what shall I drink?")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_turn_with_a_memory_that_hangs(is_async: bool) -> None:
    with silent_server() as address:
        remembering = Remembering(Spaces("ana", at=address), guard=FailOpen(deadline=0.05, tolerance=3))

        answers = asyncio.run(async_chat(remembering)) if is_async else chat(remembering)
        failures = remembering.failures
        remembering.close(limit=0.05)

    assert answers == ["", [], "unknown"]
    assert failures >= 4  # one for each call; there is nothing to record again while the first one is under way


def test_a_turn_with_a_memory_that_is_gone(tmp_path: Path) -> None:
    opened_parts = open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    with served() as server:
        remembering = Remembering(Memory("ana", at=server.add(opened_parts)), guard=FailOpen(deadline=30))
        before = chat(remembering)
        server.remove(remembering.spaces.memory("ana").stats().path)
    opened_parts.close()
    remembering.guard.deadline = 0.2

    after = chat(remembering)

    assert (before, after) == (["", [], "none"], ["", [], "unknown"])
    assert remembering.failures > 0


def test_a_turn_with_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"this is not a database, and stays as it is" * 100)
    remembering = Remembering(spaces(tmp_path, "ana"), guard=patient())

    assert chat(remembering) == ["", [], "unknown"]
    assert remembering.failures > 0
    assert (tmp_path / "memory.db").read_bytes().startswith(b"this is not")


def test_what_was_said_while_the_file_was_locked_is_kept_afterwards(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Ana likes coffee")
    remembering = Remembering(spaces(tmp_path, "ana"), guard=FailOpen(deadline=0.2, tolerance=1000))
    assert "coffee" in remembering.block("coffee")  # the first call may take longer than the others
    holder = apsw.Connection(str(tmp_path / "memory.db"))
    holder.execute("BEGIN IMMEDIATE")

    remembering.note("I prefer green tea.", speaker="Ana", role="user")
    failures = remembering.failures
    holder.execute("ROLLBACK")
    holder.close()
    remembering.guard.deadline = 60
    remembering.note("Thanks", speaker="Ana", role="user")
    remembering.flush()
    remembering.close()

    assert failures == 1
    assert {item.content for item in kept(tmp_path)} == {"Ana likes coffee", "I prefer green tea.", "Thanks"}


def test_it_works_on_a_served_memory_as_on_a_file(tmp_path: Path) -> None:
    parts = open_parts(at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    scopes = Scopes(read=["ana", "team"], write="ana")
    history = [{"role": "user", "name": "Ana", "content": text} for text in ("I prefer tea.", "Yes", "Yes")]
    with served() as server:
        address = server.add(parts)
        for _ in range(2):
            remembering = Remembering(Spaces(scopes, at=address), guard=patient(), conversation="chat")
            remembering.record(history)
        with Memory("team", at=address) as team:
            team.remember("The team meets on Mondays", pinned=True)
        block = remembering.block("what do I drink?", seen=["nothing"])
        found = remembering.tools.recall("tea", limit=1)
        remembering.close()
        remembering.spaces.close()
        server.remove(address)
    parts.close()

    assert remembering.failures == 0
    assert "- [" in block
    assert "I prefer tea." in block
    assert "The team meets on Mondays" in block
    assert "] I prefer tea. (id: " in found
    assert sorted(item.content for item in kept(tmp_path)) == ["I prefer tea.", "Yes", "Yes"]


class SlowlyLoaded(FakeEmbedder):
    """Takes longer than a deadline the first time, as a model does that has to be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self._is_loaded = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self._is_loaded:
            time.sleep(0.5)
            self._is_loaded = True
        return super().embed(texts)


def test_the_first_call_may_take_as_long_as_loading_the_model_does(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Ana likes green tea")
    with Memory("ana", at=tmp_path / "memory.db", embedder=SlowlyLoaded()) as memory:
        remembering = Remembering(memory, guard=FailOpen(deadline=0.1))

        assert "green tea" in remembering.block("tea")
        assert remembering.deadline == 0.1


def test_what_waits_for_a_full_batch_is_kept_on_close(tmp_path: Path) -> None:
    remembering = Remembering(
        spaces(tmp_path, "ana"), guard=patient(), recording=Recording(mode="extract"), conversation="chat"
    )
    remembering.note("I prefer green tea.", speaker="Ana", role="user")

    remembering.close()

    assert [(item.content, item.kind) for item in kept(tmp_path)] == [("I prefer green tea.", "preference")]


def test_async_close_keeps_it_too(tmp_path: Path) -> None:
    async def talk() -> bool:
        remembering = Remembering(spaces(tmp_path, "ana"), guard=patient(), recording=Recording(mode="extract"))
        await remembering.aio.note("I prefer green tea.", speaker="Ana", role="user")
        await remembering.aio.rewind()
        done = await remembering.aio.flush()
        await remembering.aio.close()
        return done

    assert asyncio.run(talk())
    assert [item.content for item in kept(tmp_path)] == ["I prefer green tea."]


ENDS = """
import sys
from truekeep.adapters.common import FailOpen, Recording, Remembering, Spaces
from truekeep.testing.fakes import FakeEmbedder

spaces = Spaces("ana", at=sys.argv[1], embedder=FakeEmbedder())
remembering = Remembering(spaces, recording=Recording(mode="extract"), guard=FailOpen(deadline=60))
remembering.note("I prefer green tea.", speaker="Ana", role="user")
"""


def test_what_waits_is_kept_when_the_process_ends_without_a_word(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", ENDS, str(tmp_path / "memory.db")], check=True, timeout=120)

    assert [item.content for item in kept(tmp_path)] == ["I prefer green tea."]


HANGS = """
import sys
from truekeep.adapters.common import FailOpen, Remembering, Spaces

remembering = Remembering(Spaces("ana", at=sys.argv[1]), guard=FailOpen(deadline=0.05))
remembering.note("I prefer green tea.", speaker="Ana", role="user")
print("failures:", remembering.failures)
"""


@pytest.mark.timeout(60)
def test_a_memory_that_hangs_does_not_keep_a_process_from_ending() -> None:
    with silent_server() as address:
        done = subprocess.run([sys.executable, "-c", HANGS, address], capture_output=True, text=True, timeout=50)

    assert done.stdout == "failures: 1\n"
    assert done.returncode == 0


def test_closing_deletes_nothing_and_may_be_repeated(tmp_path: Path) -> None:
    remembering = Remembering(spaces(tmp_path, "ana"), guard=patient())
    remembering.note("I prefer green tea.")

    remembering.close()
    remembering.close()

    assert "green tea" in remembering.block("tea")
    remembering.close()


def test_a_conversation_that_is_replayed_message_by_message_is_recorded_once(tmp_path: Path) -> None:
    remembering = Remembering(spaces(tmp_path, "ana"), guard=patient())
    chat = [("Ana", "hello"), ("Bot", "hello"), ("Ana", "hello")]

    for _ in range(2):
        remembering.rewind()
        for speaker, text in chat:
            remembering.note(text, speaker=speaker)

    assert [(item.speaker, item.content) for item in kept(tmp_path)] == chat
    assert remembering.conversation == kept(tmp_path)[0].session


def test_recorders_of_many_conversations_are_not_kept_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truekeep.adapters.common.plans.MOST_CONVERSATIONS", 2)
    remembering = Remembering(spaces(tmp_path, "ana"), guard=patient())

    for number in range(5):
        remembering.note("hello", conversation=f"chat {number}", id="m1")
        remembering.note("hello", conversation="chat 0", id="m1")

    assert len(remembering.plans._recorders) == 2
    assert len(kept(tmp_path)) == 5


def test_both_doors_have_the_same_methods_with_the_same_arguments() -> None:
    verbs = [name for name, _ in inspect.getmembers(AsyncRemembering, inspect.iscoroutinefunction) if name[0] != "_"]

    assert verbs == ["block", "close", "flush", "note", "on_memory", "recall", "record", "rewind", "run"]
    for name in verbs:
        sync, awaited = (
            inspect.signature(getattr(Remembering, name)),
            inspect.signature(getattr(AsyncRemembering, name)),
        )
        assert sync == awaited, name
