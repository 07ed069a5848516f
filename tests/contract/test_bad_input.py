"""Bad input gets an InvalidInput that names the argument, and nothing is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract.bad_arguments import (
    BAD_JSON,
    BAD_LIMITS,
    BAD_NAMES,
    BAD_TEXT,
    BAD_TIMES,
    BAD_TTLS,
    FILTERS,
    NAIVE,
    REMEMBER,
    TIMES_AND_TRUST,
    cases,
)
from truekeep import InvalidInput, Limits, Memory
from truekeep.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.long  # a thousand arguments, each on a memory of its own


def refused(memory: Memory, call: Callable[[], object], argument: str) -> None:
    """The call is refused by the name of its argument, and the memory is what it was."""
    before = list(memory.export())

    with pytest.raises(InvalidInput) as caught:
        call()

    assert caught.value.argument == argument
    assert argument in str(caught.value)
    assert caught.value.problem
    assert list(memory.export()) == before
    assert memory.stats().jobs == 0


@pytest.mark.parametrize(("argument", "value"), cases(REMEMBER))
def test_remember(memory: Memory, argument: str, value: Any) -> None:
    given = {"content": "Ben likes coffee", argument: value}

    refused(memory, lambda: memory.remember(**given), argument)


@pytest.mark.parametrize(("argument", "value"), cases(REMEMBER))
def test_remember_many(memory: Memory, argument: str, value: Any) -> None:
    items: list[Any] = ["Ben likes coffee", {"content": "Eve likes cocoa", argument: value}]

    refused(memory, lambda: memory.remember_many(items), f"items[1].{argument}")


@pytest.mark.parametrize(
    ("items", "argument"),
    [
        ("Ben likes coffee", "items"),
        ({"content": "Ben likes coffee"}, "items"),
        (5, "items"),
        (["x", 5], "items[1]"),
        (["x", {"kind": "fact"}], "items[1]"),
        (["x", {"content": "y", "colour": "red"}], "items[1]"),
        (["x", {"content": None}], "items[1].content"),
        ((f"note {n}" for n in range(10_001)), "items"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_remember_many_as_a_whole(memory: Memory, items: Any, argument: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.remember_many(items)

    assert caught.value.argument.startswith("items")
    assert memory.stats().items == 1


@pytest.mark.parametrize(
    ("argument", "value"), cases([("query", BAD_TEXT | {"too long": "x" * 70_000}), ("limit", BAD_LIMITS)])
)
@pytest.mark.parametrize("method", ["recall", "explain"])
def test_queries(memory: Memory, method: str, argument: str, value: Any) -> None:
    given = {"query": "tea", argument: value}

    refused(memory, lambda: getattr(memory, method)(**given), argument)


@pytest.mark.parametrize(("argument", "value"), cases([*FILTERS, *TIMES_AND_TRUST]))
@pytest.mark.parametrize("method", ["recall", "context", "explain", "items"])
def test_filters(memory: Memory, method: str, argument: str, value: Any) -> None:
    query = () if method == "items" else ("tea",)

    refused(memory, lambda: getattr(memory, method)(*query, **{argument: value}), argument)


@pytest.mark.parametrize("method", ["context", "explain", "items"])
def test_unknown_filters(memory: Memory, method: str) -> None:
    query = () if method == "items" else ("tea",)

    refused(memory, lambda: getattr(memory, method)(*query, colour="red"), "colour")


@pytest.mark.parametrize("method", ["recall", "context", "explain"])
@pytest.mark.parametrize(
    ("argument", "value"),
    [("min_similarity", value) for value in (-0.1, 1.1, math.nan, "x", True)]
    + [("order", value) for value in ("worst", None, 1, ["best"])],
)
def test_similarity_and_order(memory: Memory, method: str, argument: str, value: Any) -> None:
    refused(memory, lambda: getattr(memory, method)("tea", **{argument: value}), argument)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("max_tokens", value) for value in (0, -1, 10**9, 1.5, "9", True)]
    + [("limit", value) for value in (0, 10**9, 1e9, "x")]
    + [("template", value) for value in ("fancy", "", None, 5, ["plain"])]
    + [("count_tokens", value) for value in (5, "len")]
    + [("query", value) for value in (5, None, "tea\x00", "\ud800", "x" * 70_000)],
)
def test_context(memory: Memory, argument: str, value: Any) -> None:
    given = {"query": "tea", argument: value}

    refused(memory, lambda: memory.context(**given), argument)


@pytest.mark.parametrize(
    ("argument", "value"), [("limit", value) for value in BAD_LIMITS.values()] + [("offset", -1), ("offset", 1.5)]
)
def test_items(memory: Memory, argument: str, value: Any) -> None:
    refused(memory, lambda: memory.items(**{argument: value}), argument)


@pytest.mark.parametrize(
    ("argument", "value"),
    cases(
        [
            (name, values)
            for name, values in REMEMBER
            if name in ("content", "kind", "tags", "metadata", "pinned", "ttl")
        ]
    ),
)
def test_correct(memory: Memory, argument: str, value: Any) -> None:
    id = memory.items()[0].id

    refused(memory, lambda: memory.correct(id, **{argument: value}), argument)


def test_correct_needs_something_to_correct(memory: Memory) -> None:
    id = memory.items()[0].id

    refused(memory, lambda: memory.correct(id), "content")


@pytest.mark.parametrize("id", BAD_NAMES.values(), ids=BAD_NAMES)
@pytest.mark.parametrize("method", ["history", "forget", "job", "correct"])
def test_ids(memory: Memory, method: str, id: Any) -> None:
    rest = ("new text",) if method == "correct" else ()

    refused(memory, lambda: getattr(memory, method)(id, *rest), "id")


def test_forget_with_nothing(memory: Memory) -> None:
    refused(memory, lambda: memory.forget(), "id")


@pytest.mark.parametrize(
    ("argument", "value"), cases([*FILTERS, ("before", BAD_TIMES), ("everything", {"one": 1, "text": "yes"})])
)
def test_forget(memory: Memory, argument: str, value: Any) -> None:
    refused(memory, lambda: memory.forget(**{argument: value}), argument)


@pytest.mark.parametrize(
    ("argument", "value"), cases([("kinds", {"empty": []}), ("tags", {"empty": [], "a tuple": ()})])
)
def test_an_empty_filter_is_not_a_way_to_forget_everything(memory: Memory, argument: str, value: Any) -> None:
    refused(memory, lambda: memory.forget(**{argument: value}), argument)
    refused(memory, lambda: memory.forget(session="s", **{argument: value}), argument)


@pytest.mark.parametrize("key", BAD_NAMES.values(), ids=BAD_NAMES)
@pytest.mark.parametrize("method", ["get", "value", "delete", "increment", "set", "append"])
def test_keys_of_values(memory: Memory, method: str, key: Any) -> None:
    rest = (1,) if method in ("set", "append") else ()

    refused(memory, lambda: getattr(memory, method)(key, *rest), "key")


@pytest.mark.parametrize("value", BAD_JSON.values(), ids=BAD_JSON)
def test_values(memory: Memory, value: Any) -> None:
    refused(memory, lambda: memory.set("k", value), "value")
    refused(memory, lambda: memory.set("k", {"in": [value]}), "value")
    refused(memory, lambda: memory.append("k", value), "element")


@pytest.mark.parametrize(
    ("argument", "value"), cases([("ttl", BAD_TTLS), ("if_version", {"text": "1", "flag": True, "float": 1.0})])
)
def test_set(memory: Memory, argument: str, value: Any) -> None:
    refused(memory, lambda: memory.set("k", 1, **{argument: value}), argument)


@pytest.mark.parametrize("by", [math.nan, math.inf, "1", True, None, 10**5000], ids=range(6))
def test_increment(memory: Memory, by: Any) -> None:
    refused(memory, lambda: memory.increment("n", by), "by")


def test_numbers_do_not_grow_out_of_bounds(memory: Memory) -> None:
    memory.set("n", 1e308)
    refused(memory, lambda: memory.increment("n", 1e308), "by")

    memory.set("n", 10**400)
    refused(memory, lambda: memory.increment("n", 0.5), "by")


def test_a_value_or_list_that_is_too_large(tmp_path: Path) -> None:
    limits = Limits(value_bytes=100)
    with Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(), background=False, limits=limits) as memory:
        memory.set("k", ["x" * 80])

        refused(memory, lambda: memory.set("k", "x" * 101), "value")
        refused(memory, lambda: memory.append("k", "x" * 40), "element")


@pytest.mark.parametrize(
    "messages",
    [
        5,
        None,
        b"Ana: I prefer tea.",
        {"role": "user", "content": "I prefer tea."},
        [5],
        [{"text": "I prefer tea."}],
        [{"role": "user", "content": 5}],
        [{"role": "user", "content": [5]}],
        [{"role": {}, "content": "x"}],
        [{"role": "user", "content": "x", "when": NAIVE}],
        [{"role": "user", "content": "x", "when": "yesterday"}],
        "Ana: I prefer tea.\x00",
        "Ana: I prefer \ud800.",
        [{"role": "user", "content": "I prefer tea.\x00"}],
        [{"role": "user", "content": "I prefer \ud800."}],
        [{"role": "user", "name": "\ud800", "content": "I prefer tea."}],
        [{"role": "user", "name": "n" * 300, "content": "I prefer tea."}],
        [{"role": "user", "id": "\x00", "content": "I prefer tea."}],
    ],
    ids=range(18),
)
@pytest.mark.parametrize("wait", [True, False])
def test_messages(memory: Memory, messages: Any, wait: bool) -> None:
    refused(memory, lambda: memory.extract(messages, wait=wait), "messages")


@pytest.mark.parametrize(("argument", "value"), cases([("session", BAD_NAMES), ("wait", {"number": 1, "text": "no"})]))
def test_extract(memory: Memory, argument: str, value: Any) -> None:
    given = {"messages": "Ana: I prefer cocoa.", argument: value}

    refused(memory, lambda: memory.extract(**given), argument)


@pytest.mark.parametrize("space", [*BAD_NAMES.values(), None], ids=[*BAD_NAMES, "none"])
def test_absurd_spaces(tmp_path: Path, space: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Memory(space, at=tmp_path / "m.db", embedder=FakeEmbedder())

    assert caught.value.argument == "space"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at", ["", "a\x00b", b"x", 5, object()])
def test_absurd_places(at: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Memory("bot", at=at, embedder=FakeEmbedder())

    assert caught.value.argument == "at"


def test_slashes_and_dots_in_names_do_not_touch_the_file_system(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    with Memory("../../up/..", at=folder / "m.db", embedder=FakeEmbedder(), background=False) as memory:
        memory.remember("Ana likes tea", session="../s", speaker="/etc/passwd", key="../../k")
        memory.set("../v", 1)

    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert {path.name.removesuffix("-wal").removesuffix("-shm") for path in folder.iterdir()} == {"m.db"}


@pytest.mark.parametrize("moment", [NAIVE, None, 5])
def test_a_clock_must_tell_its_zone(tmp_path: Path, moment: Any) -> None:
    place, fake = tmp_path / "m.db", FakeEmbedder()
    memory = Memory("bot", at=place, embedder=fake, background=False, clock=lambda: moment)

    with memory, pytest.raises(InvalidInput) as caught:
        memory.remember("Ana likes tea")

    assert caught.value.argument == "clock"


def test_the_longest_content_is_a_setting(tmp_path: Path) -> None:
    limits = Limits(content_bytes=10)
    with Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(), background=False, limits=limits) as memory:
        memory.remember("0123456789")

        refused(memory, lambda: memory.remember("0123456789a"), "content")
