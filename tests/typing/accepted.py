"""The public API as people use it: mypy --strict accepts every line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from truekeep import (
    AsyncMemory,
    Draft,
    Explanation,
    Extraction,
    Imported,
    Job,
    Limits,
    Match,
    Memory,
    MemoryItem,
    Message,
    Recall,
    Receipt,
    Remembered,
    Session,
    Source,
    Stats,
    Value,
)


class MyEmbedder:
    name = "mine"
    dimension = 3
    in_process = True

    def passages(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 3), dtype=np.float32)


class MyExtractor:
    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        return [Draft(content=message.content) for message in messages]


def use(memory: Memory) -> None:
    kept = memory.remember(
        "Ana prefers TypeScript",
        kind="preference",
        tags=["ana"],
        metadata={"n": 1, "deep": {"list": [1, None]}},
        source=Source(name="chat", trust="user"),
        ttl=timedelta(days=1),
        when=datetime.now(UTC),
    )
    assert_type(kept, Remembered)
    assert_type(kept.item, MemoryItem)
    assert_type(memory.remember_many(["a", {"content": "b", "tags": {"x"}}]), list[Remembered])
    found = memory.recall("language?", limit=3, kinds=("preference",), min_trust="tool", order="newest")
    assert_type(found, Recall)
    assert_type(found[0], Match)
    assert_type(found[1:], tuple[Match, ...])
    assert_type([match.content for match in found], list[str])
    assert_type(memory.context("draft", count_tokens=len, tags=["ana"]), str)
    assert_type(memory.extract([{"role": "user", "content": "x"}, "y", Message(content="z")]), Extraction)
    assert_type(memory.extract("Ana: I like tea.", wait=False).job, Job | None)
    assert_type(memory.forget(kept.id), Receipt)
    assert_type(memory.history(kept.id), list[MemoryItem])
    assert_type(memory.correct(kept.id, "x", pinned=True), MemoryItem)
    assert_type(memory.items(session="s"), list[MemoryItem])
    assert_type(memory.sessions(), list[Session])
    assert_type(memory.explain("x", kept.id), list[Explanation])
    assert_type(memory.set("k", {"tone": "kind", "list": [1, 2.5, True, None]}, ttl=60), Value | None)
    assert_type(memory.append("k", {"a": 1}), Value)
    assert_type(memory.increment("n", 0.5), Value)
    assert_type(memory.delete("k"), bool)
    assert_type(memory.keys(), list[str])
    assert_type(memory.stats(), Stats)
    assert_type(memory.import_(memory.export()), Imported)
    memory.import_(Path("export.jsonl"))
    memory.backup("copy.db")


def open_it() -> None:
    with Memory(
        "bot", at=Path("m.db"), embedder=MyEmbedder(), extractor=MyExtractor(), limits=Limits(tags=9)
    ) as memory:
        assert_type(memory, Memory)
        use(memory)


async def use_async() -> None:
    async with AsyncMemory("bot", at=":memory:", clock=lambda: datetime.now(UTC)) as memory:
        assert_type(memory, AsyncMemory)
        assert_type(await memory.remember("Ana prefers TypeScript"), Remembered)
        assert_type(await memory.recall("language?"), Recall)
        assert_type([line async for line in memory.export()], list[str])
