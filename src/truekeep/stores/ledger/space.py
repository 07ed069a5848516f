"""The row of a space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from truekeep.model import SpaceId

NOWHERE = -1


class Space:
    """Where a space is and how far it has come. What is changed here is kept when the transaction ends."""

    __slots__ = ("counts", "floor", "head", "id", "name", "tenant", "value_head")

    def __init__(self, id: int, tenant: str, name: str, *, counts: dict[str, int], came: Sequence[int]) -> None:
        self.id = id
        self.tenant = tenant
        self.name = name  # a hidden one while the space is erased
        self.head, self.floor, self.value_head = came
        self.counts = counts  # how many items, tombstones and kept_values it holds, and what its driver counts besides

    @property
    def is_there(self) -> bool:
        """Whether it ever held anything; if not, it has no rows, and none may be kept in it."""
        return self.id != NOWHERE

    def next_seq(self) -> int:
        self.head += 1
        return self.head

    def copy(self) -> Space:
        """As it is now, to go back to."""
        return Space(
            self.id, self.tenant, self.name, counts=dict(self.counts), came=(self.head, self.floor, self.value_head)
        )

    def counters(self) -> tuple[int, ...]:
        return (self.head, self.floor, self.value_head, *self.counts.values())


def unused(space: SpaceId) -> Space:
    return Space(NOWHERE, *space, counts=Counter(), came=(0, 0, 0))
