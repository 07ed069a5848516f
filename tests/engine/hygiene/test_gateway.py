"""The gateway deals with every text of a draft, by the mode; keys and values of other types stay."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from tests.contract.memory_contract.opening import NOON
from truekeep.engine.hygiene import cleaned, cleaned_edits, cleaned_messages, listed
from truekeep.errors import InvalidInput
from truekeep.model import Draft, MemoryItem, Message, Redact

SECRET = "hunter2"
DRAFT = Draft(
    content=f"password: {SECRET}",
    tags=("a", f"pwd={SECRET}", f"pwd={SECRET}2"),
    metadata={"password": "swordfish", "n": 1, "deep": [{"api_key": "a1b2c3d4", "none": None, "ok": True}, "text"]},
)


def test_every_text_of_a_draft_is_cleaned_and_keys_stay() -> None:
    clean = cleaned(DRAFT, "on")

    assert clean.content == "password: [redacted:password]"
    assert clean.tags == ("a", "pwd=[redacted:password]")
    assert clean.metadata == {
        "password": "[redacted:password]",
        "n": 1,
        "deep": [{"api_key": "[redacted:api-key]", "none": None, "ok": True}, "text"],
    }
    assert clean.redacted == ("password", "api-key")


@pytest.mark.parametrize(
    "metadata",
    [
        {"password": "required"},
        {"token_count": "a1b2c3d4e5"},
        {"compass": "north1"},
        {"key": "value1"},
        {"password": ""},
        {"password": 4711},
    ],
)
def test_what_is_no_secret_stays_under_any_name(metadata: dict[str, Any]) -> None:
    draft = Draft(content="Ana likes tea", metadata=metadata)

    assert cleaned(draft, "on") is draft


def test_kinds_that_an_extractor_named_stay_listed() -> None:
    assert cleaned(Draft(content="pin: 4711", redacted=("card",)), "on").redacted == ("card", "pin")


def test_what_was_cleaned_before_tells_what_it_had() -> None:
    assert cleaned(Draft(content="It is [redacted:token]"), "on").redacted == ("token",)


def test_flagging_lists_the_kinds_and_changes_nothing_else() -> None:
    clean = cleaned(DRAFT, "flag")

    assert (clean.content, clean.tags, clean.metadata) == (DRAFT.content, DRAFT.tags, DRAFT.metadata)
    assert clean.redacted == ("password", "api-key")


def test_off_means_off() -> None:
    messages = [Message(content=DRAFT.content)]

    assert cleaned(DRAFT, "off") is DRAFT
    assert cleaned_edits({"content": DRAFT.content}, "off") == {"content": DRAFT.content}
    assert cleaned_messages(messages, "off") == messages


@pytest.mark.parametrize(
    ("draft", "argument"),
    [
        (Draft(content=f"password: {SECRET}"), "content"),
        (Draft(content="x", tags=(f"password={SECRET}",)), "tags"),
        (Draft(content="x", metadata={"a": [{"password": SECRET}]}), "metadata"),
    ],
)
def test_a_refusal_names_the_argument_and_the_kind_and_not_the_secret(draft: Draft, argument: str) -> None:
    with pytest.raises(InvalidInput, match="password") as caught:
        cleaned(draft, "refuse")

    assert caught.value.argument == argument
    assert SECRET not in str(caught.value)


def test_a_text_that_was_cleaned_before_is_not_refused() -> None:
    assert cleaned(Draft(content="It is [redacted:token]"), "refuse").redacted == ("token",)


def test_a_refused_message_is_named_by_its_place() -> None:
    with pytest.raises(InvalidInput, match=r"messages: \[1\] holds a secret \(password\)"):
        cleaned_messages([Message(content="hi"), Message(content=f"password: {SECRET}")], "refuse")


def test_messages_keep_all_but_their_secrets() -> None:
    said = [Message(content=f"password: {SECRET}", role="user", id="m1"), Message(content="hi")]

    clean = cleaned_messages(said, "on")

    assert clean[0] == Message(content="password: [redacted:password]", role="user", id="m1")
    assert clean[1] is said[1]


def test_metadata_that_is_nested_too_deeply_is_refused() -> None:
    deep: Any = "text"
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(InvalidInput, match="metadata: is nested too deeply"):
        cleaned(Draft(content="Ana likes tea", metadata={"deep": deep}), "on")


def test_edits_of_other_fields_pass() -> None:
    assert cleaned_edits({"kind": "fact", "pinned": True}, "on") == {"kind": "fact", "pinned": True}


@pytest.mark.parametrize("mode", get_args(Redact))
def test_an_item_lists_what_is_in_it_now(mode: Redact) -> None:
    item = MemoryItem(id="1", content="pin: 4711", redacted=("card",), created=NOON, updated=NOON, when=NOON)

    assert listed(item, mode).redacted == (("card",) if mode == "off" else ("pin",))
