"""Extraction beyond what the contract of a memory shows: sizes, and what is logged."""

from __future__ import annotations

import logging

import pytest

from truekeep import InvalidInput, Limits, Memory
from truekeep.model import Draft
from truekeep.testing.fakes import FakeEmbedder


class Careless:
    """Brings one draft that can be kept and one that cannot."""

    def extract(self, messages: object) -> list[Draft]:
        return [Draft(content="Ana likes tea"), Draft(content="a secret", kind="Not A Slug")]


def memory_with(**options: object) -> Memory:
    return Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("wait", [True, False])
def test_a_transcript_beyond_the_limit_is_refused(wait: bool) -> None:
    with memory_with(limits=Limits(transcript_bytes=100)) as memory:
        memory.extract(["ü" * 25, "ü" * 25], wait=wait)

        with pytest.raises(InvalidInput, match="messages: have 102 bytes; at most 100"):
            memory.extract(["ü" * 25, "ü" * 26], wait=wait)


def test_what_is_left_out_is_logged_as_a_count_and_not_as_text(caplog: pytest.LogCaptureFixture) -> None:
    with memory_with(extractor=Careless()) as memory, caplog.at_level(logging.WARNING):
        kept = memory.extract("Ana: tea!").remembered

    assert [one.item.content for one in kept] == ["Ana likes tea"]
    assert "1 of 2" in caplog.text
    assert "secret" not in caplog.text
