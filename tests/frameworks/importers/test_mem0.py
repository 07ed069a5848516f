"""Stores that mem0 itself wrote."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import mem0
import pytest

from truekeep import Memory
from truekeep.importers import BroughtIn, bring_in, read

from .offline import take_mem0s_models_away

SAID = [
    {"role": "user", "content": "I prefer window seats", "name": "Ana M."},
    {"role": "assistant", "content": "Noted."},
]


@pytest.fixture(params=["qdrant", "chroma", "faiss"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What mem0 holds after adding, updating and deleting; its folder, its history and what it says of itself."""
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "home"))
    take_mem0s_models_away(monkeypatch)
    options: dict[str, Any] = {"collection_name": "mem0", "path": str(tmp_path / "store")}
    options |= {} if request.param == "chroma" else {"embedding_model_dims": 8}
    options |= {"on_disk": True} if request.param == "qdrant" else {}
    config = {"provider": request.param, "config": options}
    history = tmp_path / "history.db"
    with mem0.Memory.from_config({"vector_store": config, "history_db_path": str(history)}) as memory:
        memory.add(SAID, user_id="ana", run_id="trip-1", infer=False, metadata={"topic": "travel", "n": 3})
        added = memory.add("Ana is vegetarian", user_id="ana", agent_id="concierge", infer=False)
        memory.update(added["results"][0]["id"], "Ana is vegan")
        gone = memory.add("Ben hates mondays", user_id="ben", infer=False)
        memory.delete(gone["results"][0]["id"])
        told = memory.get_all(filters={"user_id": "ana"})
    export = tmp_path / "export.json"
    export.write_text(json.dumps(told))
    return {"folder": tmp_path / "store", "history": history, "export": export, "told": told["results"]}


@pytest.mark.parametrize("form", ["folder", "export"])
def test_a_store_and_an_export_come_in_whole_and_once(memory: Memory, store: dict[str, Any], form: str) -> None:
    done = bring_in(memory, read("mem0", store[form]))
    again = bring_in(memory, read("mem0", store[form]))

    items = {item.content: item for item in memory.items()}
    theirs = {one["memory"]: one for one in store["told"]}
    said, noted, vegan = items["I prefer window seats"], items["Noted."], items["Ana is vegan"]
    assert (done, again) == (BroughtIn(added=3), BroughtIn(unchanged=3))
    assert items.keys() == theirs.keys()
    assert {item.source.message for item in items.values()} == {one["id"] for one in theirs.values()}
    assert all(item.when == _time(theirs[content]["updated_at"]) for content, item in items.items())
    assert (said.speaker, said.session, said.source.trust) == ("Ana M.", "trip-1", "user")
    assert (noted.speaker, noted.source.trust) == ("assistant", "agent")
    assert said.metadata == {"topic": "travel", "n": 3}
    assert vegan.tags == ("user:ana", "agent:concierge")


def test_a_history_tells_the_same_texts(memory: Memory, store: dict[str, Any]) -> None:
    bring_in(memory, read("mem0", store["history"]))

    assert {item.content for item in memory.items()} == {one["memory"] for one in store["told"]}


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
