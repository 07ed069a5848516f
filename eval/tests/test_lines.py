"""Sets are read as they are written, and what is wrong is told by line and field."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput
from truekeep_eval import chats, scenarios
from truekeep_eval.chats import Chat, Durable, Line
from truekeep_eval.scenarios import Ask, Scenario, Step

from .sets import written

SCENARIO: dict[str, Any] = {
    "id": "b001",
    "category": "replace",
    "domain": "kitchen",
    "steps": [
        {"at": "2026-01-01T09:00:00Z", "speaker": "Ida", "say": "I bake with rye"},
        {"at": "2026-02-01T09:00:00+01:00", "speaker": "Ida", "say": "I bake with spelt now"},
    ],
    "asks": [{"query": "which flour?", "at": "2026-03-01", "current": ["spelt"], "stale": ["rye"], "history": ["rye"]}],
    "must_stay": ["spelt", "spelt"],
    "same": [[0, 1]],
}
CHAT: dict[str, Any] = {
    "id": "e001",
    "messages": [{"role": "user", "name": "Ida", "content": "I prefer rye"}, {"role": "tool", "content": ""}],
    "durable": [{"kind": "preference", "about": "Ida", "must_contain": ["rye"], "message": 0}],
    "transient": [1],
    "lessons": [{"message": 0, "must_contain": ["rye"]}],
    "secrets": ["sesame"],
    "forbidden": ["wheat"],
}


def test_a_scenario_is_read_with_all_it_says(tmp_path: Path) -> None:
    (found,) = scenarios.read(written(tmp_path / "belief.jsonl", SCENARIO))

    winter = timezone(timedelta(hours=1))
    assert found == Scenario(
        id="b001",
        category="replace",
        theme="kitchen",
        steps=(
            Step(at=datetime(2026, 1, 1, 9, tzinfo=UTC), speaker="Ida", say="I bake with rye"),
            Step(at=datetime(2026, 2, 1, 9, tzinfo=winter), speaker="Ida", say="I bake with spelt now"),
        ),
        asks=(
            Ask(
                query="which flour?",
                at=datetime(2026, 3, 1, tzinfo=UTC),
                current=("spelt",),
                stale=("rye",),
                history=("rye",),
            ),
        ),
        must_stay=("spelt",),
        same=((0, 1),),
    )


def test_a_conversation_is_read_with_all_it_says(tmp_path: Path) -> None:
    (found,) = chats.read(written(tmp_path / "extract.jsonl", CHAT))

    assert found == Chat(
        id="e001",
        messages=(Line(content="I prefer rye", role="user", name="Ida"), Line(content="", role="tool")),
        durable=(Durable(kind="preference", must_contain=("rye",), message=0),),
        transient=(1,),
        lessons=(Durable(kind="lesson", must_contain=("rye",), message=0),),
        secrets=("sesame",),
        forbidden=("wheat",),
    )


def test_a_folder_stands_for_the_file_in_it(tmp_path: Path) -> None:
    written(tmp_path / "belief.jsonl", SCENARIO)
    written(tmp_path / "extract.jsonl", CHAT)

    assert scenarios.read(tmp_path) == scenarios.read(tmp_path / "belief.jsonl")
    assert chats.read(tmp_path) == chats.read(tmp_path / "extract.jsonl")


def test_empty_lines_are_skipped(tmp_path: Path) -> None:
    path = written(tmp_path / "belief.jsonl", SCENARIO)
    path.write_text("\n" + path.read_text() + "\n  \n")

    assert len(scenarios.read(path)) == 1


STEP, ASK, ENTRY = SCENARIO["steps"][0], SCENARIO["asks"][0], CHAT["durable"][0]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"id": ""}, "id must be a text, not ''"),
        ({"category": None}, "category must be a text, not None"),
        ({"steps": []}, "steps must hold a step at least"),
        ({"steps": ["rye"]}, r"steps\[0\] is no JSON object"),
        ({"steps": "rye"}, "steps must be a list, not 'rye'"),
        ({"steps": [STEP, {**STEP, "at": "Monday"}]}, r"steps\[1\]\.at 'Monday' is no time in ISO 8601"),
        ({"steps": [{"at": STEP["at"]}]}, r"steps\[0\]\.say is missing"),
        ({"asks": [{**ASK, "stale": [7]}]}, r"asks\[0\]\.stale\[0\] must be a text, not 7"),
        ({"same": [[0, 2]]}, r"same\[0\]\[1\] must be a whole number from 0 to 1, not 2"),
        ({"same": [0]}, r"same\[0\] must be a list, not 0"),
    ],
)
def test_a_wrong_field_of_a_scenario_is_named(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    path = written(tmp_path / "belief.jsonl", SCENARIO, {**SCENARIO, "id": "b002", **change})

    with pytest.raises(InvalidInput, match=rf"^data: line 2 of .*belief\.jsonl: {problem}"):
        scenarios.read(path)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"messages": []}, "messages must hold a message at least"),
        ({"messages": [{"role": "user"}]}, r"messages\[0\]\.content is missing"),
        ({"messages": [{"role": "user", "content": None}]}, r"messages\[0\]\.content must be a text, not None"),
        ({"durable": [{**ENTRY, "message": 2}]}, r"durable\[0\]\.message must be a whole number from 0 to 1, not 2"),
        ({"durable": [{**ENTRY, "message": True}]}, r"durable\[0\]\.message must be a whole number"),
        ({"durable": [{**ENTRY, "must_contain": []}]}, r"durable\[0\]\.must_contain must hold a text at least"),
        ({"transient": ["1"]}, r"transient\[0\] must be a whole number from 0 to 1, not '1'"),
    ],
)
def test_a_wrong_field_of_a_conversation_is_named(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    path = written(tmp_path / "extract.jsonl", CHAT, {**CHAT, "id": "e002", **change})

    with pytest.raises(InvalidInput, match=rf"^data: line 2 of .*extract\.jsonl: {problem}"):
        chats.read(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"{", "line 1 of .* is no JSON"),
        (b"[]", "line 1 of .* is no JSON object"),
        (b"\xff", "is not UTF-8"),
        (b"[" * 100_000, "line 1 of .* is no JSON"),
    ],
)
def test_a_file_that_is_no_set_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "belief.jsonl"
    path.write_bytes(content)

    with pytest.raises(InvalidInput, match=problem):
        scenarios.read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"belief\.jsonl cannot be read: No such file"):
        scenarios.read(tmp_path)


def test_an_id_names_one_entry_only(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"line 2 of .*: id 'b001' was there before"):
        scenarios.read(written(tmp_path / "belief.jsonl", SCENARIO, SCENARIO))
