"""The same is found on every store: item by item, with the same scores, for the same reasons."""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from truekeep import Memory, Recall
from truekeep.testing.fakes import FakeEmbedder, FixedClock

EXAMPLES = 200 if os.environ.get("TEST_TRUEKEEP_CHAOS") == "1" else 12
WORDS = st.sampled_from(
    ["tea", "coffee", "Ana", "Ben", "likes", "not", "the", "server", "in", "Dublin", "2026", "日本", "茶"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)
SAID = st.fixed_dictionaries(
    {"content": TEXTS},
    optional={
        "kind": st.sampled_from(["preference", "decision", "lesson", "temporary"]),
        "tags": st.lists(st.sampled_from(["a", "b"]), max_size=2),
        "key": st.sampled_from(["ana/drink", "ben/drink"]),
        "session": st.sampled_from(["s1", "s2"]),
        "speaker": st.sampled_from(["Ana", "Ben"]),
        "pinned": st.booleans(),
    },
)
ASKED = st.fixed_dictionaries(
    {"query": TEXTS, "limit": st.integers(1, 10)},
    optional={
        "kinds": st.lists(st.sampled_from(["fact", "preference"]), min_size=1),
        "tags": st.just(["a"]),
        "session": st.just("s1"),
        "include_superseded": st.booleans(),
        "order": st.sampled_from(["best", "confidence", "newest"]),
        "min_similarity": st.sampled_from([0.1, 0.5]),
    },
)


def told(found: Recall) -> list[tuple[Any, ...]]:
    """All but the ids, which are made up anew in each store."""
    return [
        (
            match.content,
            match.item.kind,
            match.item.seq,
            match.score,
            match.similarity,
            match.confidence,
            match.item.when,
        )
        for match in (*found, *found.lessons)
    ]


def answers(at: str, said: list[dict[str, Any]], forgotten: int, asked: list[dict[str, Any]]) -> list[Any]:
    """What a memory answers after all that. At any time one thing is said, so that no two ids are equally old."""
    clock = FixedClock()
    space = f"space {secrets.token_hex(8)}"
    with Memory(space, at=at, embedder=FakeEmbedder(16), clock=clock, background=False) as memory:
        ids = []
        for one in said:
            ids.append(memory.remember(**one).id)
            clock.advance(timedelta(hours=1))
        memory.forget(ids[forgotten % len(ids)])
        before = [told(memory.recall(**query)) for query in asked]
    with Memory(space, at=at, embedder=FakeEmbedder(16), clock=clock, background=False) as memory:
        reopened = [told(memory.recall(**query)) for query in asked]
        context = memory.context(asked[0]["query"], max_tokens=200)
    return [*before, *reopened, context]


@pytest.mark.chaos
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # each example opens four memories: shrinking would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    said=st.lists(SAID, min_size=1, max_size=15),
    forgotten=st.integers(0, 30),
    asked=st.lists(ASKED, min_size=1, max_size=3),
)
def test_rankings_are_identical_item_by_item(
    postgres_url: str, said: list[dict[str, Any]], forgotten: int, asked: list[dict[str, Any]], tmp_path: Any
) -> None:
    file = str(tmp_path / "memory.db")

    assert answers(postgres_url, said, forgotten, asked) == answers(file, said, forgotten, asked)
