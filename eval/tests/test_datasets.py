"""Sets are read as they are written, or refused by the line that is wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truekeep.errors import InvalidInput
from truekeep_eval import datasets
from truekeep_eval.datasets import Doc, Question

from .sets import CHAT, FACTS, written

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize("name", ["set.jsonl", "set.jsonl.gz"])
def test_a_chat_is_read_with_its_times_speakers_and_sessions(tmp_path: Path, name: str) -> None:
    (chat,) = datasets.read(written(tmp_path / name, CHAT))

    assert chat.id == "garden"
    assert chat.docs[0] == Doc(id="t1", text="I planted tomatoes", when=MAY, speaker="Ida", session="1")
    assert chat.docs[3].when is None
    assert chat.questions[1] == Question(
        number=1, text="what became of tomatoes and harvest?", evidence=("t1", "t3"), category="multi"
    )


def test_a_space_of_facts_is_read_with_its_kinds_tags_and_the_time_of_asking(tmp_path: Path) -> None:
    (facts,) = datasets.read(written(tmp_path / "set.jsonl", FACTS))

    at = datetime(2025, 1, 8, 10, 12, tzinfo=UTC)
    assert facts.id == "office"
    assert facts.docs[0] == Doc(id="m1", text="The printer needs A4", when=at, kind="fact", tags=("it",))
    assert [question.now for question in facts.questions] == [
        datetime(2025, 10, day, 9, tzinfo=UTC) for day in (15, 16, 15)
    ]
    assert facts.questions[1].evidence == ("m2",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", MAY),
        ("12:21 AM on 27 June, 2023", datetime(2023, 6, 27, 0, 21, tzinfo=UTC)),
        ("12:05 pm on 1 January, 2024", datetime(2024, 1, 1, 12, 5, tzinfo=UTC)),
        ("8 May 2023", datetime(2023, 5, 8, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
        ("2025-01-08T10:12:00Z", datetime(2025, 1, 8, 10, 12, tzinfo=UTC)),
        ("2025-01-08", datetime(2025, 1, 8, tzinfo=UTC)),
    ],
)
def test_dates_are_read_as_sets_write_them(text: str, expected: datetime) -> None:
    assert datasets.moment(text) == expected


@pytest.mark.parametrize("text", ["", "some day", "Marz-15-2024", "31 June, 2023", "13:77 pm on 8 May, 2023"])
def test_other_dates_are_left_out(text: str) -> None:
    assert datasets.moment(text) is None


def test_only_so_many_conversations_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "set.jsonl", CHAT, FACTS)

    assert [found.id for found in datasets.read(path, limit=1)] == ["garden"]


def test_categories_can_be_left_out(tmp_path: Path) -> None:
    (chat,) = datasets.read(written(tmp_path / "set.jsonl", CHAT), without=["single", "abstention"])

    assert [(question.number, question.category) for question in chat.questions] == [(1, "multi")]


def test_all_can_be_remembered_as_one_kind(tmp_path: Path) -> None:
    found = datasets.read(written(tmp_path / "set.jsonl", CHAT, FACTS), kind="context")

    assert {doc.kind for one in found for doc in one.docs} == {"context"}


def test_what_has_no_category_is_uncategorised(tmp_path: Path) -> None:
    record = FACTS | {"queries": [{"q": "printer", "answers": ["m1"]}]}

    (facts,) = datasets.read(written(tmp_path / "set.jsonl", record))

    assert facts.questions[0].category == datasets.UNCATEGORISED


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([1], "is no JSON object"),
        ({"queries": []}, "docs must hold a doc at least"),
        ({"docs": CHAT["docs"]}, "queries is missing"),
        (CHAT | {"docs": {}}, "docs must be a list"),
        (CHAT | {"docs": CHAT["docs"][:1] * 2}, "docs has two of the same id"),
        (CHAT | {"docs": [{"id": "t1", "text": " "}]}, r"docs\[0\]\.text must be a text"),
        (CHAT | {"docs": ["tea"]}, r"docs\[0\] is no JSON object"),
        (CHAT | {"docs": [{"text": "tea"}]}, r"docs\[0\]\.id is missing"),
        (CHAT | {"queries": [{"q": "?", "evidence": ["t9"]}]}, r"queries\[0\]\.evidence 't9' is the id of no doc"),
        (CHAT | {"queries": [{"q": "?"}]}, r"queries\[0\]\.evidence is missing"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, record: Any, problem: str) -> None:
    path = written(tmp_path / "set.jsonl", FACTS, record)

    with pytest.raises(InvalidInput, match=f"line 2 of .*{problem}"):
        datasets.read(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("set.jsonl", b"{"),
        ("set.jsonl", b"\xff\xfe"),
        ("set.jsonl", b"\n"),
        ("set.jsonl.gz", b"plain text"),
        ("set.jsonl.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03cut short"),
    ],
)
def test_a_file_that_is_no_set_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(InvalidInput, match="data"):
        datasets.read(tmp_path / name)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"):
        datasets.read(tmp_path / "mistyped.jsonl")


def test_two_conversations_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="id 'garden' was there before"):
        datasets.read(written(tmp_path / "set.jsonl", CHAT, CHAT))
