"""A memory that goes away and comes back at once."""

from __future__ import annotations

from pathlib import Path

from truekeep import Memory, StoreError
from truekeep.adapters.common import Spaces
from truekeep.testing.fakes import FakeEmbedder


class MoodySpaces(Spaces):
    """Real spaces on a file, out of reach while `is_away`."""

    is_away = False

    @classmethod
    def at(cls, folder: Path, space: str = "ana") -> MoodySpaces:
        return cls(space, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)

    def memory(self, name: str) -> Memory:
        if self.is_away:
            raise StoreError("out of reach", retryable=True)
        return super().memory(name)
