"""What an erasure took away, as far as what is left needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple


class Fate(NamedTuple):
    """How an item ended; three times None for one that did not."""

    until: datetime | None
    retired: datetime | None
    successor: str | None


@dataclass(slots=True)
class Gone:
    """What is gone. Lives only in memory."""

    fates: dict[str, Fate] = field(default_factory=dict)  # by id
    texts: set[str] = field(default_factory=set)
    fingerprints: set[bytes] = field(default_factory=set)
    successors: set[str] = field(default_factory=set)

    def left_by(self, id: str) -> Fate:
        """What an item that this erased one had superseded takes over: its fate, or that of whoever erased followed."""
        fate, seen = self.fates[id], {id}
        while fate.successor in self.fates and fate.successor not in seen:
            seen.add(fate.successor)
            fate = self.fates[fate.successor]
        return fate
