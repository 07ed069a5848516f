"""What a person sees at a prompt: one short line, whatever is kept."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from truekeep import AsyncMemory, Memory
from truekeep.testing.fakes import FakeEmbedder

TEA = "Ana drinks tea"
LONG = "Ana " + "talks and " * 5_000


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False) as opened:
        yield opened


@pytest.mark.parametrize("taken", [pickle.dumps, copy.deepcopy])
def test_a_memory_that_is_handed_to_another_process_says_to_open_it_there(
    memory: Memory, taken: Callable[[object], object]
) -> None:
    for handle in (memory, memory.remember):  # as a pool of processes does with a function and its arguments
        with pytest.raises(TypeError, match=r"open it where it is used, as Memory\('bot', at=':memory:'\)"):
            taken(handle)


def test_an_item_and_a_match_show_their_content_kind_and_id(memory: Memory) -> None:
    kept = memory.remember(TEA, kind="preference")
    [match] = memory.recall("tea")

    told = f"'{TEA}', kind='preference', id='{kept.id}')"
    assert repr(kept) == f"Remembered('added', {told}"
    assert repr(kept.item) == f"MemoryItem({told}"
    assert repr(match) == f"Match({match.score:.2f}, {told}"


def test_a_recall_shows_the_best_and_how_sure_it_is(memory: Memory) -> None:
    memory.remember_many([TEA, *(f"Ana drinks tea number {n}" for n in range(5))])

    found = memory.recall("Ana drinks tea")

    assert repr(found).startswith(f"Recall([{found[0].score:.2f} {found[0].content!r}, ")
    assert repr(found).endswith(", ...])")  # no judge is asked for it
    assert f", ...], answerable={found.answerable:.2f})" in repr(found)
    assert repr(memory.recall("tea", kinds=["decision"])).startswith("Recall([], answerable=0.")


def test_what_is_superseded_shows_by_what(memory: Memory) -> None:
    memory.remember(TEA, key="ana/drink")
    newer = memory.remember("Ana drinks cocoa", key="ana/drink")

    assert repr(newer).endswith(", superseded=1)")
    assert repr(newer.superseded[0]).endswith(f", superseded_by='{newer.id}')")


def test_numbers_stand_for_what_would_be_long(memory: Memory) -> None:
    kept = memory.remember(TEA)

    assert repr(memory.stats()).startswith("Stats('bot', 1 item, 1 current, bytes=")
    assert repr(memory.page()) == "Page(1 item)"
    assert repr(memory.changes()) == f"Changes(1 event, cursor={memory.changes().cursor})"
    assert repr(memory.review()) == "Review(0 suspicions, 0 quarantined)"
    assert repr(memory.forget(kept.id)) == "Receipt(1 erased, 0 remaining)"


def test_an_extraction_shows_what_was_kept_or_the_job(memory: Memory) -> None:
    assert repr(memory.extract("Ana: I prefer tea.")) == "Extraction(['I prefer tea.'])"
    assert repr(memory.extract("Ana: I prefer tea.", wait=False)).startswith("Extraction([], job=Job('extract', ")


def test_however_long_the_text_the_line_is_short(memory: Memory) -> None:
    kept = memory.remember(LONG)
    found = memory.recall("talks")
    job = memory.extract(f"Ana: I prefer {LONG}", wait=False)
    shown = [kept, kept.item, found, found[0], job, memory.set("k", {"text": LONG}), memory.set("k", [LONG] * 100)]

    assert [one for one in shown if len(repr(one)) > 250 or "\n" in repr(one)] == []


def test_a_handle_shows_where_it_lives(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    with Memory("bot", at=file, embedder=FakeEmbedder(16), background=False) as memory:
        assert repr(memory) == f"Memory('bot', at={str(file)!r})"
    assert repr(memory) == f"Memory('bot', at={str(file)!r})"  # also when it is closed


def test_a_served_handle_shows_no_key() -> None:
    with Memory("bot", at="https://:tk_secret@memory.example:444/") as memory:
        assert repr(memory) == "Memory('bot', at='https://memory.example:444')"
    assert (
        repr(AsyncMemory("bot", at="http://127.0.0.1:1", key="tk_x")) == "AsyncMemory('bot', at='http://127.0.0.1:1')"
    )
