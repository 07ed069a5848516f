"""What is forgotten while an extraction of it runs does not come in afterwards."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from truekeep import Memory
from truekeep.extractors.rules import RulesExtractor
from truekeep.model import Draft, Message
from truekeep.testing.fakes import FakeEmbedder

SAID = [{"role": "user", "content": "I prefer short answers. My blood type is AB negative.", "id": "1"}]


class SlowExtractor(RulesExtractor):
    """Has read everything, and waits to be told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        found = super().extract(messages)
        self.begun.set()
        assert self.go_on.wait(60)
        return found


@pytest.mark.parametrize("what", [{"session": "secret"}, {"everything": True}])
def test_an_extraction_that_runs_while_it_is_forgotten_brings_nothing(what: dict[str, Any]) -> None:
    slow = SlowExtractor()
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), extractor=slow) as memory:
        memory.extract(SAID, session="secret", wait=False)
        assert slow.begun.wait(60)

        memory.forget(**what)
        slow.go_on.set()

        assert memory.flush(limit=timedelta(seconds=60))
        assert memory.items(include_superseded=True) == []
        assert (memory.stats().jobs, memory.stats().failures) == (0, 0)


def test_an_extraction_of_another_session_goes_on() -> None:
    slow = SlowExtractor()
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), extractor=slow) as memory:
        memory.extract(SAID, session="mine", wait=False)
        assert slow.begun.wait(60)

        memory.forget(session="secret")
        slow.go_on.set()

        assert memory.flush(limit=timedelta(seconds=60))
        assert len(memory.items()) == 2
