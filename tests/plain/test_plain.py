"""Plain cases: what everybody tries first, through the public API with its defaults.

`cases.toml` was written by hand, as an ordinary user would speak, and not after the rules. A case that fails today says
so, and a case that says so and passes fails here: the table is always true.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truekeep import Memory
from truekeep.model import MemoryItem

Case = Mapping[str, Any]

TABLE: Mapping[str, list[Case]] = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))
TALK = [
    "user: can you help me with a letter to my landlord?",
    "assistant: Of course. What should it say?",
    "user: that the tap drips since Monday",
    "assistant: Here is a draft: Dear Mr Hill, the kitchen tap has been dripping since Monday.",
]
BEGIN = datetime(2025, 3, 3, 9, tzinfo=UTC)
FAILS = pytest.mark.xfail(reason="known: marked in cases.toml", strict=True)


def cases() -> Iterator[Any]:
    for group, rows in TABLE.items():
        for number, case in enumerate(rows, start=1):
            marks = [FAILS] if case.get("today") == "fails" else []
            yield pytest.param(case, id=f"{group}-{number}", marks=marks)


@pytest.mark.parametrize("case", [*cases()])
def test_a_plain_case(case: Case) -> None:
    now = BEGIN
    with Memory("plain", at=":memory:", background=False, clock=lambda: now) as memory:
        for statement in case.get("said", []):
            memory.remember(statement)
            now += timedelta(days=1)
        if "chat" in case or "talk" in case:
            memory.extract(_messages(case.get("chat") or [*TALK, case["talk"]]))

        _check_items(case, memory.items(include_superseded=True))
        _check_answers(case, memory)


def _messages(chat: list[str]) -> list[dict[str, str]]:
    spoken = [line.partition(": ") for line in chat]
    return [{"role": role, "content": content} for role, _, content in spoken]


def _check_items(case: Case, items: list[MemoryItem]) -> None:
    for part in case.get("marked", []):
        assert all(_is_doubted(item) for item in _holding(part, items)), f"no mark: {part}"
    for part in case.get("stays", []):
        assert not any(_is_doubted(item) for item in _holding(part, items)), f"a false mark: {part}"
    for part, kind in case.get("kept", {}).items():
        kinds = [item.kind for item in _holding(part, items)]
        assert kind in (*kinds, ""), f"kept as {kinds}: {part}"
    if "left" in case:
        assert len([item for item in items if item.is_current]) == case["left"]


def _holding(part: str, items: list[MemoryItem]) -> list[MemoryItem]:
    found = [item for item in items if part in item.content]
    assert found, f"not kept: {part}"
    return found


def _is_doubted(item: MemoryItem) -> bool:
    return bool(item.superseded_by or item.suspected_by)


def _check_answers(case: Case, memory: Memory) -> None:
    if "ask" not in case:
        return
    found = memory.recall(case["ask"], order=case.get("order", "best"))
    if "first" in case:
        assert found, "nothing found"
        assert case["first"] in found[0].content
    for part in case.get("lessons", []):
        assert any(part in match.content for match in found.lessons), f"not among the lessons: {part}"
    if case.get("lessons") == []:
        assert not found.lessons
    if case.get("silent"):
        assert memory.context(case["ask"]) == ""
    assert case.get("told", "") in memory.context(case["ask"])


def test_there_are_plain_cases_of_every_group() -> None:
    assert set(TABLE) == {
        "changes", "additions", "corrections", "lessons", "avoid", "nothing", "identifiers", "bystanders",
        "again", "tasks", "numbered", "near_misses", "in_passing", "of_the_moment",
        "told_alone", "said_alone", "told_anew",
    }  # fmt: skip
    assert sum(map(len, TABLE.values())) >= 200
    assert all(case.get("today", "fails") == "fails" for rows in TABLE.values() for case in rows)
