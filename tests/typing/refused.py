# mypy: ignore-errors
"""What mypy must not accept: `test_typing` expects an error on each line that is marked, and on no other.

The first line keeps them out of `make types`; the test takes it away.
"""

from __future__ import annotations

from datetime import datetime

from truekeep import AsyncMemory, Memory, MemoryItem, Source


class NotAnEmbedder:
    def embed(self, texts: list[str]) -> list[list[float]]:
        return []


def refused(memory: Memory) -> None:
    memory.remember(5)  # error: arg-type
    memory.remember("x", tags=[1])  # error: list-item
    memory.remember("x", ttl="1h")  # error: arg-type
    memory.remember("x", when="2026-01-01")  # error: arg-type
    memory.remember("x", importance=5)  # error: call-arg
    memory.remember("x", "fact")  # error: call-arg
    memory.remember("x", metadata={"when": datetime.now()})  # error: dict-item
    memory.recall("x", limit="5")  # error: arg-type
    memory.recall("x", order="worst")  # error: arg-type
    memory.recall("x", min_trust="god")  # error: arg-type
    memory.recall("x", top_k=5)  # error: call-arg
    memory.recall("x").append(1)  # error: attr-defined
    memory.recall("x")[0].content = "y"  # error: misc
    memory.forget(5)  # error: arg-type
    memory.set("k", object())  # error: arg-type
    memory.context("x", count_tokens=5)  # error: arg-type
    Memory("bot", embedder=NotAnEmbedder())  # error: arg-type
    Memory()  # error: call-arg
    Source(trust="god")  # error: arg-type
    MemoryItem(id="x", content="y")  # error: call-arg


async def refused_async(memory: AsyncMemory) -> None:
    memory.recall("x")[0]  # error: index
    await memory.remember(5)  # error: arg-type
