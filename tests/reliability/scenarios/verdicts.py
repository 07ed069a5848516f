"""A process that dies while it judges what it has kept."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.reliability.children import say
from truekeep import Memory
from truekeep.judges.learned import LearnedJudge
from truekeep.testing.fakes import FakeEmbedder


class Deadly(LearnedJudge):
    """Nobody hears its verdict."""

    def relations(self, newer: str, older: Sequence[str]) -> NDArray[np.float32]:
        say("judging")
        os.kill(os.getpid(), signal.SIGKILL)
        return super().relations(newer, older)


def die_at_the_verdict(path: str, old: str, new: str) -> None:
    """In the child: keep two statements, and be killed where the background asks what the one does to the other."""
    memory = Memory("bot", at=path, embedder=FakeEmbedder(64), judge=Deadly())
    memory.remember(old)
    memory.remember(new)
    memory.flush()
