"""`TruekeepStore` behaves as LangGraph's own stores do, and keeps what it is given as a memory keeps things."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from truekeep import ConfigurationError, Memory, StoreError
from truekeep.adapters.langgraph import FailOpen, Scopes, Spaces, TruekeepStore
from truekeep.adapters.langgraph.operations import Indexing
from truekeep.adapters.langgraph.store import Outgoing
from truekeep.testing.fakes import FakeEmbedder

from .moody import MoodySpaces

ANA, BEN = ("users", "ana"), ("users", "ben")


def store_on(folder: Path, **options: Any) -> TruekeepStore:
    return TruekeepStore(spaces(folder, "ana"), guard=patient(), **options)


@pytest.fixture
def store(tmp_path: Path) -> TruekeepStore:
    return store_on(tmp_path)


@pytest.fixture(params=["theirs", "ours"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> BaseStore:
    """What holds for LangGraph's own store holds for ours."""
    return InMemoryStore() if request.param == "theirs" else store_on(tmp_path)


def keys(found: list[Any]) -> set[str]:
    return {item.key for item in found}


def test_a_value_comes_back_as_it_was_put(either: BaseStore) -> None:
    value = {"text": "likes tea", "n": 3, "deep": {"list": [1, None, {"x": True}], "empty": {}}}

    either.put(ANA, "drink", value)

    item = either.get(ANA, "drink")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (ANA, "drink", value)
    assert datetime.now(UTC) - timedelta(minutes=1) < item.created_at <= item.updated_at <= datetime.now(UTC)


def test_what_is_not_there_is_none(either: BaseStore) -> None:
    either.put(ANA, "drink", {"text": "tea"})

    assert either.get(ANA, "food") is None
    assert either.get(BEN, "drink") is None
    assert either.get(("users",), "drink") is None


def test_a_put_overwrites_and_a_delete_deletes(either: BaseStore) -> None:
    either.put(ANA, "drink", {"text": "tea"})
    either.put(ANA, "drink", {"text": "coffee"})
    either.put(ANA, "food", {"text": "rice"})

    either.delete(ANA, "food")

    assert [item.value for item in either.search(ANA)] == [{"text": "coffee"}]
    assert either.get(ANA, "food") is None


def test_equal_values_under_two_keys_are_two_items(either: BaseStore) -> None:
    either.put(ANA, "one", {"text": "likes tea"})
    either.put(ANA, "two", {"text": "likes tea"})
    either.put(BEN, "one", {"text": "likes tea"})

    either.delete(ANA, "one")

    assert {(item.namespace, item.key) for item in either.search(())} == {(ANA, "two"), (BEN, "one")}


def test_statements_that_contradict_each_other_stay_apart_under_their_keys(either: BaseStore) -> None:
    either.put(ANA, "one", {"text": "Ana lives in Paris"})
    either.put(ANA, "two", {"text": "Ana lives in Rome"})
    either.put(ANA, "three", {"text": "Ana lived in Oslo until 3 March 2020"})

    assert keys(either.search(ANA)) == {"one", "two", "three"}


def test_a_prefix_finds_what_is_below_it_and_nothing_beside_it(either: BaseStore) -> None:
    places = [("users",), ANA, (*ANA, "notes"), BEN, ("users2",), ("us",), ("users/ana",), ("users", "ana ")]
    for number, place in enumerate(places):
        either.put(place, str(number), {"n": number})

    assert keys(either.search(ANA)) == {"1", "2"}
    assert keys(either.search(("users",))) == {"0", "1", "2", "3", "7"}
    assert keys(either.search(())) == {str(number) for number in range(len(places))}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"n": 2}, {"two"}),
        ({"n": {"$eq": 2}}, {"two"}),
        ({"n": {"$ne": 2}}, {"one", "three"}),
        ({"n": {"$gt": 1}}, {"two", "three"}),
        ({"n": {"$gte": 2, "$lt": 3}}, {"two"}),
        ({"n": {"$lte": 1}}, {"one"}),
        ({"who": {"name": "Ana"}}, {"one"}),
        ({"tags": ["a", "b"]}, {"two"}),
        ({"tags": ["a"]}, set()),
        ({"n": 2, "who": {"name": "Ana"}}, set()),
        ({"missing": None}, {"one", "two", "three"}),
        ({"missing": "x"}, set()),
    ],
)
def test_filters_compare_values(either: BaseStore, condition: dict[str, Any], expected: set[str]) -> None:
    either.put(ANA, "one", {"n": 1, "who": {"name": "Ana", "age": 30}})
    either.put(ANA, "two", {"n": 2, "tags": ["a", "b"]})
    either.put(ANA, "three", {"n": 3})

    assert keys(either.search(ANA, filter=condition)) == expected


def test_a_field_that_cannot_be_compared_does_not_match(store: TruekeepStore) -> None:
    store.put(ANA, "one", {"n": 1})
    store.put(ANA, "none", {})
    store.put(ANA, "word", {"n": "many"})

    assert keys(store.search(ANA, filter={"n": {"$gt": 0}})) == {"one"}


def test_an_unknown_operator_is_refused(either: BaseStore) -> None:
    either.put(ANA, "one", {"n": 1})

    with pytest.raises(ValueError, match=r"operator"):
        either.search(ANA, filter={"n": {"$regex": "."}})


def test_limit_and_offset_cut_pages_that_do_not_overlap(either: BaseStore) -> None:
    for number in range(7):
        either.put(ANA, str(number), {"n": number})

    pages = [either.search(ANA, limit=3, offset=offset) for offset in (0, 3, 6)]

    assert [len(page) for page in pages] == [3, 3, 1]
    assert keys([item for page in pages for item in page]) == {str(number) for number in range(7)}


def test_namespaces_are_listed_by_prefix_suffix_wildcard_and_depth(either: BaseStore) -> None:
    for place in [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)]:
        either.put(place, "k", {"v": 1})

    assert either.list_namespaces() == [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)]
    assert either.list_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d")]
    assert either.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("a", "x", "c")]
    assert either.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "x", "c")]
    assert either.list_namespaces(prefix=("a",), suffix=("d",)) == [("a", "b", "d")]
    assert either.list_namespaces(max_depth=2) == [("a", "b"), ("a", "x"), ("z",)]
    assert either.list_namespaces(limit=1, offset=1) == [("a", "b", "d")]


def test_a_batch_answers_in_its_order_and_reads_what_was_there_before_it(either: BaseStore) -> None:
    either.put(ANA, "old", {"v": 1})

    answers = either.batch(
        [
            GetOp(ANA, "new"),
            PutOp(ANA, "new", {"v": 2}),
            ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("users",)),)),
            PutOp(ANA, "new", {"v": 3}),
            SearchOp(ANA),
            GetOp(ANA, "old"),
        ]
    )

    assert answers[0] is answers[1] is answers[3] is None
    assert answers[2] == [ANA]
    assert keys(answers[4]) == {"old"}
    assert answers[5].value == {"v": 1}
    assert either.get(ANA, "new").value == {"v": 3}


def test_an_empty_batch_has_no_answers(either: BaseStore) -> None:
    assert either.batch([]) == []


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("",), ("langgraph", "x")])
def test_a_wrong_namespace_is_refused(either: BaseStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        either.put(namespace, "k", {"v": 1})


def test_the_async_methods_do_the_same(either: BaseStore) -> None:
    async def run() -> Any:
        await either.aput(ANA, "drink", {"text": "tea"})
        await asyncio.gather(*(either.aput(BEN, str(number), {"n": number}) for number in range(10)))
        await either.adelete(BEN, "0")
        return (
            await either.aget(ANA, "drink"),
            await either.asearch(BEN, limit=20),
            await either.alist_namespaces(),
        )

    item, found, namespaces = asyncio.run(run())

    assert item.value == {"text": "tea"}
    assert keys(found) == {str(number) for number in range(1, 10)}
    assert namespaces == [ANA, BEN]


def test_a_query_ranks_by_meaning_and_words_and_the_rest_follows_without_a_score(tmp_path: Path) -> None:
    store = TruekeepStore(Memory("ana", at=":memory:"))  # with the real model
    store.put(ANA, "drink", {"text": "She prefers green tea to coffee"})
    store.put(ANA, "car", {"text": "The engine of the van needs new spark plugs"})
    store.put(ANA, "hidden", {"text": "She prefers beverages such as tea"}, index=False)

    first, second, last = store.search(("users",), query="favourite beverage")

    assert (first.key, second.key, last.key) == ("drink", "car", "hidden")
    assert first.score > second.score
    assert last.score is None


def test_a_query_is_limited_to_its_namespace_and_filter(store: TruekeepStore) -> None:
    for number in range(30):
        store.put(ANA, f"a{number}", {"text": f"green tea number {number}", "n": number})
        store.put(BEN, f"b{number}", {"text": f"green tea number {number}", "n": number})

    found = store.search(ANA, query="green tea", filter={"n": {"$lt": 3}})

    assert keys(found) == {"a0", "a1", "a2"}
    assert all(item.score is not None for item in found)


def test_only_the_chosen_fields_are_searched(tmp_path: Path) -> None:
    store = store_on(tmp_path, fields=["title"])
    store.put(ANA, "one", {"title": "Green tea", "body": "sencha"})
    store.put(ANA, "two", {"title": "Coffee", "body": "sencha"}, index=["body"])
    store.put(ANA, "three", {"body": "no title at all"})

    texts = {item.metadata["langgraph"]["item"]: item.content for item in kept(tmp_path)}  # type: ignore[index,call-overload]

    assert texts["one"], texts["two"] == ("Green tea", "sencha")
    assert store.search(ANA, query="sencha")[0].key == "two"
    assert [item.score for item in store.search(ANA, query="sencha") if item.key == "three"] == [None]


def test_an_overwritten_value_keeps_its_creation_time_and_its_history(tmp_path: Path, store: TruekeepStore) -> None:
    store.put(ANA, "drink", {"text": "Ana drinks tea"})
    before = store.get(ANA, "drink")

    store.put(ANA, "drink", {"text": "Ana drinks coffee"})

    after = store.get(ANA, "drink")
    assert before is not None
    assert after is not None
    assert after.created_at == before.created_at
    assert after.updated_at > before.updated_at
    memory = opened(tmp_path, "ana")
    versions = memory.history(memory.items()[0].id)
    assert [version.content for version in versions] == ["Ana drinks tea", "Ana drinks coffee"]


def test_a_field_that_is_not_searched_changes_all_the_same(tmp_path: Path) -> None:
    store = store_on(tmp_path, fields=["text"])
    store.put(ANA, "drink", {"text": "tea", "count": 1})

    store.put(ANA, "drink", {"text": "tea", "count": 2})

    assert store.get(ANA, "drink").value == {"text": "tea", "count": 2}
    assert len(store.search(ANA)) == 1


def test_a_deleted_item_is_erased_with_its_former_versions(tmp_path: Path, store: TruekeepStore) -> None:
    store.put(ANA, "drink", {"text": "Ana drinks tea"})
    store.put(ANA, "drink", {"text": "Ana drinks coffee"})

    store.delete(ANA, "drink")

    assert opened(tmp_path, "ana").items(include_superseded=True) == []
    store.put(ANA, "drink", {"text": "Ana drinks tea"})
    assert store.get(ANA, "drink").value == {"text": "Ana drinks tea"}


def test_another_process_sees_what_was_put_and_plain_recall_finds_it(tmp_path: Path, store: TruekeepStore) -> None:
    store.put(ANA, "drink", {"text": "Ana drinks green tea"})

    assert store_on(tmp_path).get(ANA, "drink").value == {"text": "Ana drinks green tea"}
    assert opened(tmp_path, "ana").recall("green tea")[0].content == "Ana drinks green tea"


def test_a_secret_is_redacted_as_everywhere_else(store: TruekeepStore) -> None:
    store.put(ANA, "note", {"text": "the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"})

    assert "sk-proj-abcdef" not in str(store.get(ANA, "note"))


@pytest.mark.parametrize("label", ["4111 1111 1111 1111", "x" * 300, "a/b", "ü✓", " "])
def test_any_label_is_found_again(store: TruekeepStore, label: str) -> None:
    store.put(("users", label), label, {"v": 1})

    assert store.get(("users", label), label) is not None
    assert len(store.search(("users", label))) == 1


@pytest.mark.parametrize("value", [{"x": object()}, {"x": float("nan")}, {1: "x"}, {"x": "y" * 70_000}, "text"])
def test_what_cannot_be_kept_is_refused_to_the_caller(store: TruekeepStore, value: Any) -> None:
    with pytest.raises(ValueError, match="value"):
        store.put(ANA, "k", value)

    assert store.get(ANA, "k") is None
    assert store.failures == 0


@pytest.mark.parametrize("arguments", [{"limit": -1}, {"offset": -1}, {"offset": "many"}])
def test_a_page_that_cannot_be_is_refused(store: TruekeepStore, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        store.search(ANA, **arguments)


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), 1e300, "long"])
def test_a_lifetime_that_cannot_be_is_refused(store: TruekeepStore, ttl: Any) -> None:
    with pytest.raises(ValueError, match="ttl"):
        store.put(ANA, "k", {"v": 1}, ttl=ttl)


class Clock:
    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def timed() -> tuple[TruekeepStore, Clock]:
    clock = Clock()
    memory = Memory("ana", at=":memory:", embedder=FakeEmbedder(), background=False, clock=clock)
    return TruekeepStore(memory, ttl={"default_ttl": 60, "refresh_on_read": True}, guard=patient()), clock


def test_an_item_is_gone_after_its_lifetime(timed: tuple[TruekeepStore, Clock]) -> None:
    store, clock = timed
    store.put(ANA, "short", {"v": 1}, ttl=5)
    store.put(ANA, "usual", {"v": 1})
    store.put(ANA, "long", {"v": 1}, ttl=None)

    clock.now += timedelta(minutes=6)

    assert keys(store.search(ANA, refresh_ttl=False)) == {"usual", "long"}
    assert store.get(ANA, "short") is None


def test_the_last_put_decides_on_the_lifetime(timed: tuple[TruekeepStore, Clock]) -> None:
    store, clock = timed
    store.put(ANA, "shorter", {"v": 1}, ttl=50)
    store.put(ANA, "shorter", {"v": 1}, ttl=5)
    store.put(ANA, "for good", {"v": 1}, ttl=5)
    store.put(ANA, "for good", {"v": 1}, ttl=None)

    clock.now += timedelta(minutes=6)

    assert keys(store.search(ANA)) == {"for good"}


@pytest.mark.parametrize(("refresh", "left"), [(True, {"k"}), (False, set())])
def test_reading_puts_off_the_end(timed: tuple[TruekeepStore, Clock], refresh: bool, left: set[str]) -> None:
    store, clock = timed
    clock.now -= timedelta(minutes=50)
    store.put(ANA, "k", {"v": 1})
    before = store.get(ANA, "k", refresh_ttl=False)
    clock.now += timedelta(minutes=50)

    store.get(ANA, "k", refresh_ttl=refresh)
    clock.now += timedelta(minutes=30)

    found = store.search(ANA)
    assert keys(found) == left
    assert all(item.updated_at == before.updated_at for item in found)  # type: ignore[union-attr]


def test_a_store_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="fields"):
        TruekeepStore("ana", fields="text")


def test_a_graph_reaches_the_store_and_names_the_user_of_the_run(tmp_path: Path) -> None:
    from langgraph.config import get_config

    class State(TypedDict):
        said: str

    def note(state: State, *, store: BaseStore) -> State:
        store.put(("notes",), "last", {"text": state["said"]})
        return state

    each = spaces(tmp_path, lambda: f"user:{get_config()['configurable']['user']}")
    graph = StateGraph(State)
    graph.add_node("note", note)
    graph.add_edge(START, "note")
    graph.add_edge("note", END)
    compiled = graph.compile(store=TruekeepStore(each, guard=patient()))

    compiled.invoke({"said": "tea"}, {"configurable": {"user": "ana"}})
    asyncio.run(compiled.ainvoke({"said": "beer"}, {"configurable": {"user": "ben"}}))

    assert [item.content for item in kept(tmp_path, "user:ana")] == ["tea"]
    assert [item.content for item in kept(tmp_path, "user:ben")] == ["beer"]


def test_where_nobody_says_whose_memory_it_is_nothing_is_read_or_written(tmp_path: Path) -> None:
    def whose() -> str:
        raise LookupError("no user")

    store = TruekeepStore(spaces(tmp_path, whose), guard=patient())

    store.put(ANA, "k", {"v": 1})

    assert store.get(ANA, "k") is None
    assert store.search(ANA) == []
    assert store.failures == 3


def test_a_store_without_a_space_to_write_to_is_read_only(tmp_path: Path) -> None:
    store_on(tmp_path).put(ANA, "k", {"v": 1})
    reader = TruekeepStore(spaces(tmp_path, Scopes(read="ana")), guard=patient())

    reader.put(ANA, "k", {"v": 2})

    assert reader.get(ANA, "k").value == {"v": 1}
    assert reader.failures == 1


@pytest.mark.parametrize("way", WAYS)
def test_when_the_memory_is_away_reads_find_nothing_and_nothing_raises(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        store = TruekeepStore(away, guard=FailOpen(deadline=0.2, tolerance=99))

        store.put(ANA, "k", {"v": 1})

        assert store.search(ANA, query="x") == []
        assert asyncio.run(store.alist_namespaces()) == []
        assert store.get(ANA, "other") is None
        assert store.failures == 4


def test_puts_wait_for_the_memory_and_are_read_meanwhile(tmp_path: Path) -> None:
    moody = MoodySpaces.at(tmp_path)
    store = TruekeepStore(moody, guard=patient(tolerance=99))
    moody.is_away = True
    store.put(ANA, "k", {"v": 1})
    store.put(ANA, "k", {"v": 2})
    store.put(ANA, "gone", {"v": 1})
    store.put(ANA, "never", {"v": object()})
    store.delete(ANA, "gone")

    assert store.get(ANA, "k").value == {"v": 2}
    assert store.get(ANA, "gone") is None
    moody.is_away = False
    assert store.get(ANA, "k").value == {"v": 2}
    assert [item.value for item in store_on(tmp_path).search(())] == [{"v": 2}]
    assert store.failures == 7


def test_what_waits_is_kept_when_the_store_is_closed(tmp_path: Path) -> None:
    moody = MoodySpaces.at(tmp_path)
    store = TruekeepStore(moody, guard=patient(tolerance=99))
    moody.is_away = True
    asyncio.run(store.aput(ANA, "k", {"v": 1}))
    moody.is_away = False

    store.close()

    assert store_on(tmp_path).get(ANA, "k").value == {"v": 1}


def test_a_flush_writes_what_waits_for_every_user(tmp_path: Path) -> None:
    user: ContextVar[str] = ContextVar("user")
    moody = MoodySpaces(user.get, at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False)
    store = TruekeepStore(moody, guard=patient(tolerance=99))
    moody.is_away = True
    for name in ("ana", "ben"):
        user.set(name)
        store.put(ANA, "k", {"of": name})
    moody.is_away = False

    assert store.flush()

    for name in ("ana", "ben"):
        kept_by_then = TruekeepStore(spaces(tmp_path, name), guard=patient()).get(ANA, "k")
        assert kept_by_then.value == {"of": name}


def test_a_put_that_comes_too_late_does_not_overwrite_a_later_one(tmp_path: Path) -> None:
    outgoing, memory = Outgoing(Indexing("fact", ["$"])), opened(tmp_path, "ana")
    first, second = ({(ANA, "k"): PutOp(ANA, "k", {"v": number})} for number in (1, 2))
    outgoing.begin("ana", first)
    outgoing.begin("ana", second)

    outgoing.write(memory, second)
    outgoing.write(memory, first)

    assert store_on(tmp_path).get(ANA, "k").value == {"v": 2}


def test_a_strict_store_raises_instead_of_answering_that_there_is_nothing(tmp_path: Path) -> None:
    with memory_that_is("gone", tmp_path) as away:
        store = TruekeepStore(away, fail_open=False, guard=FailOpen(deadline=0.5, tolerance=99))

        with pytest.raises(StoreError):
            store.get(ANA, "k")
        with pytest.raises(StoreError):
            store.put(ANA, "k", {"v": 1})


def test_close_deletes_nothing(tmp_path: Path, store: TruekeepStore) -> None:
    store.put(ANA, "k", {"v": 1})

    store.close()

    assert store_on(tmp_path).get(ANA, "k").value == {"v": 1}


def test_no_key_is_shown_by_a_store() -> None:
    store = TruekeepStore(Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))

    assert "verysecret" not in f"{store!r} {vars(store)!r} {store.remembering!r}"
