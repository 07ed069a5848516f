from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.engine.messages import messages_of
from truekeep.errors import InvalidInput
from truekeep.fence import RECALL_CLOSE, RECALL_OPEN
from truekeep.model import Message


def test_a_transcript_is_split_at_its_names() -> None:
    text = "Ana: Hello there\nand welcome.\n\nBen Smith: Hi!\nJosé: Olá\n"

    assert messages_of(text) == [
        Message(content="Hello there\nand welcome.", speaker="Ana"),
        Message(content="Hi!", speaker="Ben Smith"),
        Message(content="Olá", speaker="José"),
    ]


def test_names_of_roles_become_roles() -> None:
    text = "User: I prefer tea\nassistant: Noted.\nHuman: thanks\nTool: 42\nSYSTEM: be brief"

    assert [(message.role, message.speaker) for message in messages_of(text)] == [
        ("user", None),
        ("assistant", None),
        ("user", None),
        ("tool", None),
        ("system", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I prefer tea.\nMy team uses Go.",
        "Note: we decided to use Go",
        "the reason is this: nobody asked",
        "https://example.com is down",
        "Remember: I like tea",
        "Meeting at 10:30 in the hall",
        "",
    ],
)
def test_a_text_without_names_is_one_message(text: str) -> None:
    assert messages_of(text) == [Message(content=text)]


def test_what_was_said_before_the_first_name_is_kept() -> None:
    assert messages_of("Minutes of Monday\nAna: hello")[0] == Message(content="Minutes of Monday")


def test_lines_of_code_and_of_recalled_memory_do_not_begin_a_message() -> None:
    text = f"Ana: see\n```\nName: x\nKind: y\n```\nand\n{RECALL_OPEN}>\nBen: likes tea\n{RECALL_CLOSE}\nBen: ok"

    messages = messages_of(text)

    assert [message.speaker for message in messages] == ["Ana", "Ben"]
    assert "Kind: y" in messages[0].content
    assert "likes tea" not in messages[0].content


def test_a_fence_that_nobody_closes_does_not_hide_the_rest() -> None:
    assert [message.speaker for message in messages_of("Ana: ```\ncode\nBen: hi")] == ["Ana", "Ben"]
    assert [message.speaker for message in messages_of("Ana: see\n```\ncode\nBen: hi")] == ["Ana", "Ben"]


def test_messages_of_chat_models_keep_role_name_and_place() -> None:
    when = datetime(2026, 1, 2, tzinfo=UTC)
    ready = Message(content="as it is", id="m1")

    messages = messages_of(
        [
            {"role": "user", "content": "I prefer tea", "name": "Ana", "id": 7, "when": when.isoformat()},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
            {"role": "tool", "content": "42", "tool_call_id": "c1"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}, "here"],
            },
            "Ana: as it is",
            ready,
        ]
    )

    assert messages == [
        Message(content="I prefer tea", role="user", speaker="Ana", id="7", when=when),
        Message(content="", role="assistant"),
        Message(content="42", role="tool"),
        Message(content="look\n\nhere", role="user"),
        Message(content="Ana: as it is"),
        ready,
    ]


@pytest.mark.parametrize(
    "bad",
    [
        None,
        7,
        b"User: hi",
        {"role": "user", "content": "hi"},
        Message(content="hi"),
        [None],
        [7],
        [["user", "hi"]],
        [{}],
        [{"text": "hi"}],
        [{"role": "user", "content": 7}],
        [{"role": "user", "content": {"text": "hi"}}],
        [{"role": "user", "content": [7]}],
        [{"role": "user", "content": [{"type": "text", "text": {}}]}],
        [{"role": {}, "content": "hi"}],
        [{"role": "user", "name": [], "speaker": ["x"], "content": "hi"}],
        [{"role": "user", "content": "hi", "id": True}],
        [{"role": "user", "content": "hi", "when": "yesterday"}],
        [{"role": "user", "content": "hi", "when": datetime(2026, 1, 1)}],
        [{"role": "user", "content": "hi", "when": "2026-01-01T00:00:00"}],
    ],
)
def test_another_shape_is_refused_by_name(bad: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        messages_of(bad)

    assert caught.value.argument == "messages"


@given(st.text())
def test_any_text_becomes_at_least_one_message(text: str) -> None:
    assert len(messages_of(text)) >= 1


def test_a_part_of_a_type_that_is_no_text_is_passed_over() -> None:
    parts: list[Any] = [{"type": ["text"], "text": "hidden"}, {"type": {}, "text": "hidden"}, {"text": "shown"}]

    assert [message.content for message in messages_of([{"role": "user", "content": parts}])] == ["shown"]
