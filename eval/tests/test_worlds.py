"""Worlds are read alike out of both formats, and drawn by author and seed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput
from truekeep_eval import sample
from truekeep_eval.chats import Chat, Durable, Line
from truekeep_eval.sample import Sample
from truekeep_eval.scenarios import Step
from truekeep_eval.worlds import Question, World

from .sets import written

BY_PLACE: dict[str, Any] = {
    "s": [
        ["user", "2026-01-01", "I bake with rye"],
        ["Ida", "2026-01-02", "I bake with wheat"],
        ["user", "2026-02-01", "I bake with spelt now"],
        ["user", "2026-03-01", "It is oats these days"],
        ["user", "2026-03-02", "Oats are what I bake with"],
    ],
    "chg": [[0, 2, "replace"], [2, 3, "replace"]],
    "same": [[3, 4]],
    "q": [["which flour?", [3]], ["what does Ida bake with?", [1]], ["which oven?", []]],
    "author": "a",
}
BY_SUBSTRINGS: dict[str, Any] = {
    "id": "b001",
    "category": "replace",
    "steps": [
        {"at": "2026-01-01T09:00:00Z", "speaker": "Ida", "say": "I bake with rye. The oven is old"},
        {"at": "2026-01-02T09:00:00Z", "speaker": "Ida", "say": "Olav bakes with wheat"},
        {"at": "2026-01-03T09:00:00Z", "speaker": "Ida", "say": "I bought a jar of rye"},
        {"at": "2026-02-01T09:00:00Z", "speaker": "Ida", "say": "I bake with spelt now"},
    ],
    "asks": [
        {"query": "which flour?", "current": ["spelt"], "stale": ["with rye"]},
        {"query": "how old is the oven?", "current": ["oven is old"], "stale": ["with rye"]},
        {"query": "which flour, then?", "at": "2026-01-05", "current": ["with rye"], "stale": ["wheat"]},
        {"query": "no rye?", "current": [], "stale": ["jar of rye"]},
    ],
    "must_stay": ["wheat"],
    "same": [[1, 2]],
}
TALK: dict[str, Any] = {
    "m": [["user", "hi! I never eat rye"], ["assistant", "Noted"], ["Ida", "we bake on Friday"]],
    "keep": [[0, "I never eat rye", "preference"], [2, "we bake on Friday", "fact"]],
    "author": "a",
}


def read(tmp_path: Path, *records: Any) -> list[World | Chat]:
    return sample.read([written(tmp_path / "set.jsonl", *records)])


def test_a_world_is_read_by_the_places_of_its_statements(tmp_path: Path) -> None:
    (found,) = read(tmp_path, BY_PLACE)

    assert isinstance(found, World)
    assert found.steps[1] == Step(at=datetime(2026, 1, 2, tzinfo=UTC), speaker="Ida", say="I bake with wheat")
    assert (found.id, found.author) == ("line 1", "a")
    assert (set(found.changed), set(found.stays), found.same) == ({0, 2}, {1, 3, 4}, ((3, 4),))
    assert found.questions == (
        Question(text="which flour?", answers=(3, 4), outdated=(0, 2)),  # said again answers too; back to the first
        Question(text="what does Ida bake with?", answers=(1,)),
        Question(text="which oven?"),
    )


def test_a_world_is_read_by_substrings(tmp_path: Path) -> None:
    (found,) = read(tmp_path, BY_SUBSTRINGS)

    assert isinstance(found, World)
    assert (found.id, found.author) == ("b001", None)
    assert (set(found.changed), set(found.stays), found.same) == ({0, 2}, {1}, ((1, 2),))
    assert found.questions == (
        Question(text="which flour?", answers=(3,), outdated=(0,)),
        Question(text="how old is the oven?", answers=(0,)),  # what holds the answer is not outdated for it
    )


def test_a_conversation_is_read_with_its_passages(tmp_path: Path) -> None:
    (found,) = read(tmp_path, TALK)

    assert found == Chat(
        id="line 1",
        author="a",
        messages=(
            Line(content="hi! I never eat rye", role="user"),
            Line(content="Noted", role="assistant"),
            Line(content="we bake on Friday", role="user", name="Ida"),
        ),
        durable=(
            Durable(kind="preference", must_contain=("I never eat rye",), message=0),
            Durable(kind="fact", must_contain=("we bake on Friday",), message=2),
        ),
        transient=(1,),
        whole=True,
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"s": []}, "s must hold a statement at least"),
        ({"s": [["user", "2026-01-01"]]}, r"s\[0\] must be a list of speaker, at, say, not"),
        ({"s": [["user", "Monday", "tea"]]}, r"s\[0\]\.at 'Monday' is no time in ISO 8601"),
        ({"chg": [[0, 5, "replace"]]}, r"chg\[0\]\.newer must be a whole number from 0 to 4, not 5"),
        ({"same": [3]}, r"same\[0\] must be a list of older, newer, not 3"),
        ({"q": [["who?", [7]]]}, r"q\[0\]\.answers\[0\] must be a whole number from 0 to 4, not 7"),
    ],
)
def test_what_is_wrong_with_a_world_is_told_by_line_and_field(
    tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=rf"line 1 of .*set\.jsonl: {problem}"):
        read(tmp_path, {**BY_PLACE, **change})


def test_a_folder_stands_for_all_sets_in_it(tmp_path: Path) -> None:
    written(tmp_path / "scenarios.jsonl", BY_PLACE)
    written(tmp_path / "conversations.jsonl", TALK)
    written(tmp_path / "belief.jsonl", BY_SUBSTRINGS)

    assert [type(entry) for entry in sample.read([tmp_path])] == [World, Chat, World]


def test_a_folder_without_a_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"holds none of scenarios\.jsonl, conversations\.jsonl"):
        sample.read([tmp_path])


def worlds(author: str, count: int) -> list[World | Chat]:
    step = Step(at=datetime(2026, 1, 1, tzinfo=UTC), speaker=None, say="tea")
    return [World(id=f"{author}{number}", author=author, steps=(step,)) for number in range(count)]


def ids(drawn: Sample) -> list[list[str]]:
    return [[world.id for world in space] for space in drawn.spaces]


def test_the_worlds_of_a_space_are_of_one_author() -> None:
    drawn = sample.draw([*worlds("b", 25), *worlds("a", 20)])

    assert [(len(space), {world.author for world in space}) for space in drawn.spaces] == [
        (20, {"a"}),
        (20, {"b"}),
        (5, {"b"}),
    ]
    assert drawn.size == 45


def test_the_seed_decides_what_is_together() -> None:
    entries = worlds("a", 45)

    first, again, other = (ids(sample.draw(entries, spaces=1, seed=seed)) for seed in (1, 1, 2))

    assert first == again
    assert first != other
    assert [len(space) for space in first] == [20]
    assert ids(sample.draw(entries, seed=1))[0] == first[0]  # a sample is the beginning of the whole


def test_conversations_are_drawn_as_worlds_are() -> None:
    entries = [Chat(id=str(number), messages=(Line(content="tea", role="user"),)) for number in range(45)]

    assert len(sample.draw(entries, spaces=2).chats) == 40
    assert len(sample.draw(entries).chats) == 45


def test_authors_can_be_chosen() -> None:
    entries = [*worlds("a", 1), *worlds("b", 1), *worlds("c", 1)]

    assert ids(sample.draw(entries, authors=["c", "a"])) == [["a0"], ["c0"]]
    with pytest.raises(InvalidInput, match="nothing is by x or y"):
        sample.draw(entries, authors=["x", "y"])
