"""Attributes that are worked out when they are first asked for."""

from __future__ import annotations

import threading

from truekeep.lazy import lazy


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
