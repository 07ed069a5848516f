"""Recalled, injected, recorded, extracted, again and again: what was known before is never learned as new."""

from __future__ import annotations

import pytest

from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder

ROUNDS = 100
CHAT = [
    {"role": "user", "name": "Mara", "id": "1", "content": "I prefer trains over planes for anything under 800 km."},
    {"role": "assistant", "name": "Guide", "id": "2", "content": "Noted. We decided to book everything by rail."},
    {
        "role": "user",
        "name": "Mara",
        "id": "3",
        "content": "The night train to Vienna failed us twice, it was cancelled, so avoid it. My dog is called Pavel.",
    },
]
QUESTION = "how does Mara like to travel?"


def state(memory: Memory) -> list[tuple[str, str, str | None]]:
    return sorted((item.id, item.content, item.superseded_by) for item in memory.items(include_superseded=True))


@pytest.mark.parametrize("session", ["journey", None])
def test_a_hundred_rounds_over_the_same_chat_grow_the_memory_by_nothing(session: str | None) -> None:
    memory = Memory("loop", at=":memory:", embedder=FakeEmbedder())
    with memory:
        memory.extract(CHAT, session=session)
        before = state(memory)

        for _ in range(ROUNDS):
            block = memory.context(QUESTION)
            prompt = {"role": "user", "name": "Mara", "id": "4", "content": f"{block}\n\n{QUESTION}"}
            echo = {"role": "assistant", "name": "Guide", "id": "5", "content": f"As I recall:\n{block}"}
            memory.extract([*CHAT, prompt, echo], session=session)

        assert len(before) >= 3
        assert state(memory) == before
