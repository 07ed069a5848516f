"""Extraction beyond what the contract of a memory shows: sizes, and what is logged."""

from __future__ import annotations

import logging

import pytest

from truekeep import InvalidInput, Limits, Memory
from truekeep.engine.requests import messages
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


def test_a_long_message_is_read_in_parts_that_cite_it() -> None:
    filler = "It rained. " * 9_000  # 99 KB
    said = [
        {"role": "user", "content": f"I prefer tea.\n{filler}\nI live in Bern."},
        {"role": "user", "content": "I like rye bread."},
    ]

    parts = messages(said, Limits())
    with memory_with(judge="rules") as memory:
        kept = {one.item.content: one.item.source.message for one in memory.extract(said).remembered}

    assert "".join(part.content for part in parts[:-1]) == said[0]["content"]
    assert max(len(part.content.encode()) for part in parts) <= Limits().content_bytes
    assert kept == {"I prefer tea.": "0", "I live in Bern.": "0", "I like rye bread.": "1"}
