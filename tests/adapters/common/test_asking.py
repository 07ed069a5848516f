"""A message that only asks says nothing that could be recalled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.adapters.common import Recalling, Remembering
from truekeep.adapters.common.speech import only_asks

from .places import opened, patient


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path) as memory:
        yield memory


def talk(memory: Memory, *said: tuple[str, str], conversation: str = "monday") -> None:
    remembering = Remembering(memory, conversation=conversation, guard=patient())
    for role, text in said:
        remembering.note(text, role=role)


@pytest.mark.parametrize(
    "text",
    [
        "What do I drink in the morning?",
        "what do i drink in the morning",
        "And the team? Who is in it?",
        "Was trinke ich am Morgen?",
        "\u671d\u306f\u4f55\u3092\u98f2\u307f\u307e\u3059\u304b\uff1f",
    ],
)
def test_a_question_only_asks(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize("text", ["", "I drink tea.", "I drink tea. What do you drink?", "What I drink is tea."])
def test_a_statement_does_not_also_not_beside_a_question(text: str) -> None:
    assert not only_asks(text)


def test_a_question_recalls_answers_and_no_earlier_questions(memory: Memory) -> None:
    talk(memory, ("user", "What do I drink in the morning?"), ("assistant", "You drink green tea in the morning."))
    talk(memory, ("user", "What do I drink in the morning?"), conversation="tuesday")
    remembering = Remembering(memory, conversation="wednesday", guard=patient())

    block = remembering.block("What do I drink in the morning, and why?")

    assert "You drink green tea in the morning." in block
    assert "What do I drink" not in block


def test_many_questions_do_not_crowd_the_answer_out(memory: Memory) -> None:
    talk(memory, ("assistant", "Green tea is what you drink before work, in the morning."))
    for day in range(60):
        talk(memory, ("user", f"What do I drink in the morning of day {day}?"), conversation=f"day {day}")
    remembering = Remembering(memory, recalling=Recalling(limit=3), guard=patient())

    assert "Green tea" in remembering.block("What do I drink in the morning?")


def test_questions_are_shown_to_those_who_want_them(memory: Memory) -> None:
    talk(memory, ("user", "What do I drink in the morning?"))

    block = Remembering(memory, recalling=Recalling(questions=True), guard=patient()).block("in the morning")

    assert "What do I drink in the morning?" in block


def test_a_question_that_was_remembered_on_purpose_is_shown(memory: Memory) -> None:
    memory.remember("Which tea shall we order in the morning?", kind="context")

    assert "Which tea" in Remembering(memory, guard=patient()).block("in the morning")
