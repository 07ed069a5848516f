"""What adapters know of the turn under way, and a block in a conversation that goes on for long."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from truekeep.adapters.common import FailOpen, Remembering
from truekeep.adapters.common.adapter import Current, shielded
from truekeep.errors import ConfigurationError

from .places import opened, patient, spaces


def test_each_task_has_its_own_turn() -> None:
    current: Current[str] = Current("session")

    async def turn(name: str) -> str:
        with current.set_to(name):
            await asyncio.sleep(0)
            return current()

    async def both() -> list[str]:
        return [*await asyncio.gather(turn("ana"), turn("ben"))]

    assert asyncio.run(both()) == ["ana", "ben"]


def test_the_turn_around_a_turn_comes_back() -> None:
    current: Current[str] = Current("session")

    with current.set_to("ana"):
        with current.set_to("ben"):
            inner = current()
        outer = current()

    assert (inner, outer) == ("ben", "ana")


def test_outside_of_a_turn_there_is_nothing() -> None:
    current: Current[str] = Current("session")

    with pytest.raises(ConfigurationError, match="no session outside of an agent's turn"):
        current()


def test_what_goes_wrong_in_an_adapter_is_counted_and_goes_no_further() -> None:
    guard = FailOpen()

    with shielded(guard):
        raise AttributeError("the framework changed")

    assert guard.failures == 1


def test_a_long_conversation_does_not_crowd_out_what_is_known(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea")
    remembering = Remembering(spaces(tmp_path, "ana"), guard=patient())
    said = [f"What does Ana drink, Ana, drink number {number}?" for number in range(60)]
    for text in said:
        remembering.note(text, role="user")

    block = remembering.block("What does Ana drink?", seen=said)

    assert "green tea" in block
    assert "number" not in block
