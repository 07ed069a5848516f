"""Fuzz the reading of transcripts and the rules with atheris: no input may raise.

    python -m tests.chaos.fuzz_extract -max_total_time=60

All arguments go to libFuzzer; see fuzzing.py.
"""

from __future__ import annotations

from typing import Any

from tests.chaos.fuzzing import fuzz
from truekeep.engine.messages import messages_of
from truekeep.extractors.rules import RulesExtractor
from truekeep.model import Message

ROLES = ("user", "assistant", "tool", None)


def check_transcript(text: str) -> None:
    """A transcript: what is kept is never empty, and cites a message that there is."""
    messages = messages_of(text)
    for draft in RulesExtractor().extract(messages):
        assert draft.content.strip()
        assert int(draft.source.message or "") < len(messages)


def check_messages(texts: list[str]) -> None:
    """Messages: what is kept was said word for word."""
    messages = [
        Message(content=text, role=ROLES[place % len(ROLES)], speaker="Ana" if place % 3 else None)
        for place, text in enumerate(texts)
    ]
    for draft in RulesExtractor().extract(messages):
        words = iter(messages[int(draft.source.message or "")].content.split())
        assert all(word in words for word in draft.content.split())


def one_input(provider: Any) -> None:
    check_transcript(provider.ConsumeUnicode(4_096))
    check_messages([provider.ConsumeUnicode(512) for _ in range(4)])


if __name__ == "__main__":
    fuzz(one_input)
