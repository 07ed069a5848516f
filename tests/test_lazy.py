"""Attributes that are worked out when they are first asked for."""

from __future__ import annotations

import pickle
import threading
from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from truekeep.lazy import later, lazy, worked_out


class Room:
    """Its light is switched on by two people at once."""

    def __init__(self, switch: threading.Barrier | None = None) -> None:
        self.visits = 0
        self._switch = switch

    @lazy
    def light(self) -> str:
        """What is seen."""
        self.visits += 1
        if self._switch:
            self._switch.wait(timeout=30)
        return "on"


def test_is_worked_out_once() -> None:
    room = Room()

    assert [room.light, room.light] == ["on", "on"]
    assert room.visits == 1


def test_explains_itself() -> None:
    assert Room.light.__doc__ == "What is seen."


def test_one_instance_does_not_wait_for_another() -> None:
    switch = threading.Barrier(2)
    rooms = [Room(switch), Room(switch)]
    threads = [threading.Thread(target=lambda room=room: room.light) for room in rooms]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert [room.visits for room in rooms] == [1, 1]
    assert not switch.broken


@dataclass(frozen=True, kw_only=True)
class Letter:
    """Its last page may still be written."""

    first: str = ""
    last: str = later("yours")


def test_a_field_may_be_worked_out_later_and_once() -> None:
    written: list[str] = []
    letter = Letter(first="dear", last=worked_out(lambda: written.append("x") or "truly"))  # type: ignore[func-returns-value]

    assert (letter.first, written) == ("dear", [])
    assert [letter.last, letter.last] == ["truly", "truly"]
    assert written == ["x"]


def test_such_a_field_is_like_any_other_otherwise() -> None:
    letter = Letter(last=worked_out(lambda: "truly"))

    assert Letter().last == "yours"
    assert replace(letter, first="dear").last == "truly"
    assert pickle.loads(pickle.dumps(Letter(last=worked_out(lambda: "truly")))) == letter
    with pytest.raises(FrozenInstanceError):
        letter.last = "ever"  # type: ignore[misc]  # on purpose
