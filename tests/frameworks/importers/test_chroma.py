"""Folders that autogen-ext, Teachability and Chroma itself wrote."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import chromadb
import pytest
from autogen.agentchat.contrib.capabilities.teachability import MemoStore
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_ext.experimental.task_centric_memory._memory_bank import MemoryBank
from autogen_ext.memory.chromadb import ChromaDBVectorMemory, PersistentChromaDBVectorMemoryConfig

from truekeep import Memory
from truekeep.importers import BroughtIn, bring_in, read

from .offline import take_chromas_model_away, vector


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    take_chromas_model_away(monkeypatch)


def test_a_memory_of_autogen_comes_in_whole_and_once(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "autogen"
    config = PersistentChromaDBVectorMemoryConfig(collection_name="prefs", persistence_path=str(folder))

    async def write() -> None:
        theirs = ChromaDBVectorMemory(config=config)
        metadata = {"category": "units", "n": 3, "share": 0.5, "sure": True}
        await theirs.add(MemoryContent(content="Ana uses Celsius", mime_type=MemoryMimeType.TEXT, metadata=metadata))
        await theirs.add(MemoryContent(content="# Notes", mime_type=MemoryMimeType.MARKDOWN))
        await theirs.close()

    asyncio.run(write())
    done = bring_in(memory, read("chroma", folder))
    again = bring_in(memory, read("chroma", folder))

    items = {item.content: item for item in memory.items()}
    celsius = items["Ana uses Celsius"]
    assert (done, again) == (BroughtIn(added=2), BroughtIn(unchanged=2))
    assert celsius.metadata.items() >= {"category": "units", "n": 3, "share": 0.5, "sure": True}.items()
    assert celsius.tags == ("collection:prefs",)
    assert abs(celsius.when - datetime.now(UTC)) < timedelta(minutes=5)


def test_what_chroma_updated_and_deleted_is_as_chroma_has_it(memory: Memory, tmp_path: Path) -> None:
    client = chromadb.PersistentClient(str(tmp_path / "chroma"))
    for name in ("one", "two"):
        collection = client.create_collection(name)
        collection.add(ids=["a", "b", "c"], documents=[f"{name}: tea", f"{name}: coffee", f"{name}: milk"])
        collection.update(ids=["a"], documents=[f"{name}: green tea"])
        collection.delete(ids=["b"])
    client.get_collection("one").add(ids=["v"], embeddings=[vector("x")])
    client.delete_collection("two")

    done = bring_in(memory, read("chroma", tmp_path / "chroma"))

    assert {item.content for item in memory.items()} == {"one: green tea", "one: milk"}
    assert (done.added, len(done.left_out), done.bad) == (2, 1, 0)


def test_many_documents_all_come_in(memory: Memory, tmp_path: Path) -> None:
    """Chroma writes into a queue first: nothing may be left there."""
    collection = chromadb.PersistentClient(str(tmp_path / "chroma")).create_collection("many")
    for start in range(0, 2_500, 500):
        numbers = range(start, start + 500)
        collection.add(ids=[str(n) for n in numbers], documents=[f"Guest {n} has room {n * 7}" for n in numbers])

    assert bring_in(memory, read("chroma", tmp_path / "chroma")) == BroughtIn(added=2_500)


def test_what_teachability_was_taught_comes_in_with_its_time(memory: Memory, tmp_path: Path) -> None:
    theirs = MemoStore(path_to_db_dir=str(tmp_path / "teach"))
    theirs.add_input_output_pair("Which seat does Ana like?", "A window seat")
    theirs.add_input_output_pair("Ana is vegan", "Ana is vegan")
    theirs._save_memos()

    done = bring_in(memory, read("teachability", tmp_path / "teach"))

    items = memory.items()
    assert done == BroughtIn(added=2)
    assert {item.content for item in items} == {"Which seat does Ana like?\nA window seat", "Ana is vegan"}
    assert all(abs(item.when - datetime.now(UTC)) < timedelta(minutes=5) for item in items)
    assert len({item.when for item in items} - {item.created for item in items}) > 0


def test_insights_of_task_centric_memory_come_in(memory: Memory, tmp_path: Path) -> None:
    theirs = MemoryBank(reset=True, config={"path": str(tmp_path / "bank")})
    theirs.add_memo("Ask for the window", ["seats"], task_str="Book a seat")
    theirs.add_memo("Trains are better than planes", ["travel"])

    bring_in(memory, read("teachability", tmp_path / "bank"))

    assert {item.content for item in memory.items()} == {
        "Book a seat\nAsk for the window",
        "Trains are better than planes",
    }
