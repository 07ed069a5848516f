"""Names that people guess: the error says what was meant."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest

from truekeep import AsyncMemory, InvalidInput, Memory, hints
from truekeep.testing.fakes import FakeEmbedder

HANDLES = [Memory, AsyncMemory]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False) as opened:
        yield opened


@pytest.fixture
def awaited() -> AsyncMemory:
    return AsyncMemory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False)


@pytest.mark.parametrize(
    ("guess", "method"),
    [
        ("add", "remember"),
        ("store", "remember"),
        ("save", "remember"),
        ("search", "recall"),
        ("query", "recall"),
        ("get_all", "items"),
        ("update", "correct"),
        ("clear", "forget"),
        ("count", "stats"),
    ],
)
def test_a_method_that_people_guess_names_ours(memory: Memory, awaited: AsyncMemory, guess: str, method: str) -> None:
    for handle in (memory, awaited):
        with pytest.raises(AttributeError, match=rf"^{type(handle).__name__} has no '{guess}'; .+ call {method}\("):
            getattr(handle, guess)


def test_a_name_that_nobody_guesses_is_left_to_python(memory: Memory) -> None:
    with pytest.raises(AttributeError, match=r"^Memory has no 'remembr'$") as caught:
        memory.remembr("tea")  # type: ignore[attr-defined]  # the mistake is the point

    assert (caught.value.name, caught.value.obj) == ("remembr", memory)  # Python suggests `remember` by these
    assert not hasattr(memory, "add")


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("recall", {"query": "tea", "k": 3}, "recall() has no 'k': use limit="),
    ("recall", {"query": "tea", "top_k": 3}, "recall() has no 'top_k': use limit="),
    ("recall", {"query": "tea", "n": 3}, "recall() has no 'n': use limit="),
    ("recall", {"text": "tea"}, "recall() has no 'text': use query="),
    ("recall", {"query": "tea", "kind": "fact"}, "recall() has no 'kind': use kinds="),
    ("recall", {"query": "tea", "user_id": "ana"}, "each has a memory of its own, opened with Memory(space)"),
    ("recall", {"query": "tea", "filters": {}}, "give each filter by its name"),
    ("remember", {"text": "tea"}, "remember() has no 'text': use content="),
    ("remember", {"content": "tea", "ttl_days": 7}, "use ttl= (a timedelta, or seconds)"),
    ("remember", {"content": "tea", "agent_id": "bot"}, "opened with Memory(space)"),
    ("remember", {"content": "tea", "namespace": "bot"}, "opened with Memory(space)"),
    ("remember", {"content": "tea", "memory_type": "fact"}, "use kind="),
    ("forget", {"memory_id": "x"}, "use id="),
    ("set", {"key": "k", "value": 1, "ttl_seconds": 7}, "use ttl="),
]


@pytest.mark.parametrize(("method", "arguments", "told"), CALLS)
def test_an_argument_that_people_guess_names_ours(
    memory: Memory, awaited: AsyncMemory, method: str, arguments: dict[str, Any], told: str
) -> None:
    async def call() -> None:
        await getattr(awaited, method)(**arguments)

    for doing in (lambda: getattr(memory, method)(**arguments), lambda: anyio.run(call)):
        with pytest.raises(TypeError) as caught:
            doing()
        assert told in str(caught.value)


@pytest.mark.parametrize("handle", HANDLES)
@pytest.mark.parametrize(("arguments", "ours"), [({"user_id": "ana"}, "space"), ({"space": "ana", "path": "x"}, "at")])
def test_a_constructor_that_people_guess(handle: Callable[..., object], arguments: dict[str, Any], ours: str) -> None:
    with pytest.raises(TypeError, match=f"use {ours}="):
        handle(**arguments)


def test_where_filters_are_taken_a_guess_is_wrong_input_as_any_unknown_filter_is(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"^top_k: is no argument of context\(\): use limit=$"):
        memory.context("tea", top_k=3)
    with pytest.raises(InvalidInput, match="is not a filter"):
        memory.context("tea", colour="green")


def test_one_of_many_is_hinted_too(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match=r"items\[0\]: has the unknown argument 'text': use content="):
        memory.remember_many([{"text": "tea"}])


def test_an_argument_that_nobody_guesses_is_left_to_python(memory: Memory) -> None:
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'colour'"):
        memory.recall("tea", colour="green")  # type: ignore[call-arg]  # the mistake is the point


@pytest.mark.parametrize("handle", HANDLES)
def test_signatures_and_help_are_those_of_the_methods(handle: type) -> None:
    assert list(inspect.signature(vars(handle)["recall"]).parameters)[:3] == ["self", "query", "limit"]
    assert vars(handle)["recall"].__qualname__ == f"{handle.__name__}.recall"
    assert "recall(self, query: 'str', *, limit: 'int' = 5" in pydoc.plain(pydoc.render_doc(vars(handle)["recall"]))


def test_every_hint_names_something_that_there_is() -> None:
    arguments = {
        name
        for method in vars(Memory).values()
        if inspect.isfunction(method)
        for name in inspect.signature(method).parameters
    }

    assert {name for found in hints._METHODS.values() for name in found} == hints._TOLD.keys()
    assert all(f" call {name}(" in told and hasattr(Memory, name) for name, told in hints._TOLD.items())
    assert {ours for found in hints._ARGUMENTS.values() for ours in found} <= arguments
    assert [guess for guess in hints._METHODS if hasattr(Memory, guess)] == []
