"""Mistakes that everybody makes once get an error that names the argument, never a bare Python one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput, Memory
from truekeep.testing.fakes import FakeEmbedder

CALLS: dict[str, tuple[str, Callable[[Memory], object]]] = {
    "a number as backup": ("target", lambda memory: memory.backup(5)),  # type: ignore[arg-type]
    "a missing file": ("lines", lambda memory: memory.import_(Path("no such file"))),
    "a tokeniser that returns nothing": ("count_tokens", lambda memory: memory.context("tea", count_tokens=_nothing)),
    "an unknown order without a query": ("order", lambda memory: memory.context("", order="zzz")),
    "words as similarity": ("min_similarity", lambda memory: memory.context("", min_similarity="high")),
    "no time to flush": ("limit", lambda memory: memory.flush(-1)),
    "numbers as keys": ("value", lambda memory: memory.set("k", {1: "a", "1": "b"})),  # type: ignore[dict-item]
    "keys of keys": ("metadata", lambda memory: memory.remember("tea", metadata={"a": {None: 3}})),  # type: ignore[dict-item]
}


def _nothing(text: str) -> Any:
    return None


@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_argument_is_named(case: str) -> None:
    argument, call = CALLS[case]
    memory = Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False)
    memory.remember("tea is green")

    with pytest.raises(InvalidInput) as caught:
        call(memory)

    assert caught.value.argument == argument
    assert str(caught.value).count(f"{argument}: ") == 1


@pytest.mark.parametrize("argument", ["embedder", "extractor", "limits"])
def test_a_part_that_is_none_is_named(argument: str) -> None:
    options: dict[str, Any] = {"at": ":memory:", "embedder": FakeEmbedder(16), argument: object()}

    with pytest.raises(InvalidInput) as caught:
        Memory("bot", **options)

    assert caught.value.argument == argument


def test_seconds_are_a_time_everywhere() -> None:
    memory = Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False)

    assert memory.flush(5) is True
    assert memory.flush(0.5) is True
