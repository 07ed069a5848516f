"""Whatever is done to them, our store and LangGraph's own answer alike."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from tests.adapters.common.places import patient
from truekeep import Memory
from truekeep.adapters.langgraph import TruekeepStore
from truekeep.testing.fakes import FakeEmbedder

LABELS = st.sampled_from(["a", "b", "a/b", "ü"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "l", "a"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "tea", "Ana lives in Rome", "until 2020"])
)
VALUES = st.dictionaries(
    st.sampled_from(["n", "text", "deep"]),
    SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.sampled_from(["x", "y"]), SCALARS, max_size=2),
    max_size=3,
)
FILTERS = st.none() | st.dictionaries(
    st.sampled_from(["n", "text", "deep"]),
    SCALARS | st.builds(lambda value: {"$eq": value}, SCALARS) | st.builds(lambda value: {"$ne": value}, SCALARS),
    max_size=2,
)
CONDITIONS = st.builds(
    MatchCondition,
    st.sampled_from(["prefix", "suffix"]),
    st.lists(LABELS | st.just("*"), min_size=1, max_size=2).map(tuple),
)
OPERATIONS = st.one_of(
    st.builds(PutOp, NAMESPACES, KEYS, VALUES | st.none(), st.none() | st.just(False), st.none()),
    st.builds(GetOp, NAMESPACES, KEYS),
    st.builds(SearchOp, NAMESPACES | st.just(()), FILTERS, st.just(100), st.just(0), st.none()),
    st.builds(
        ListNamespacesOp,
        st.none() | st.lists(CONDITIONS, max_size=2).map(tuple),
        st.none() | st.integers(1, 3),
        st.just(100),
        st.just(0),
    ),
)


def seen(store: BaseStore, ops: list[Any]) -> list[Any]:
    """The answers, as far as they have to be alike: the order of a search without a query is each store's own."""
    return [_plain(answer, op) for answer, op in zip(store.batch(ops), ops, strict=True)]


def _plain(answer: Any, op: Any) -> Any:
    if isinstance(op, SearchOp):
        return sorted((item.namespace, item.key, repr(item.value), item.score) for item in answer)
    if isinstance(op, GetOp) and answer is not None:
        return answer.namespace, answer.key, answer.value
    return answer


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(OPERATIONS, min_size=1, max_size=4), min_size=1, max_size=6))
def test_both_stores_answer_alike(batches: list[list[Any]]) -> None:
    memory = Memory("likeness", at=":memory:", embedder=FakeEmbedder(), background=False)
    theirs, ours = InMemoryStore(), TruekeepStore(memory, guard=patient())
    try:
        for batch in batches:
            # LangGraph's store in memory lists what is empty by now, or was only asked for; its others do not.
            ops = sorted(batch, key=lambda op: not isinstance(op, ListNamespacesOp))
            for namespace in [name for name, items in theirs._data.items() if not items]:
                del theirs._data[namespace]

            assert seen(ours, ops) == seen(theirs, ops)
        assert ours.failures == 0
    finally:
        memory.close()
