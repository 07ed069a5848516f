"""What a memory makes of worlds is found as the table says; every figure here was counted by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from truekeep import Draft, EmbedderError, Memory, MemoryItem, Message, Remembered, Source
from truekeep.testing.fakes import FailingEmbedder, FakeEmbedder
from truekeep_eval import judgement, playback
from truekeep_eval.chats import Chat, Durable, Line
from truekeep_eval.findings import Judged
from truekeep_eval.judgement import Told, verdicts
from truekeep_eval.sample import Sample
from truekeep_eval.scenarios import Step
from truekeep_eval.worlds import Question, World

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


class Keyed(Memory):
    """Its statements supersede each other by key alone: "zoo: the bear eats fish" replaces "zoo: the bear sleeps"."""

    noted: ClassVar[list[tuple[str, datetime | None, datetime]]] = []

    def __init__(self, space: str, *, clock: Callable[[], datetime], **more: Any) -> None:
        super().__init__(space, clock=clock, **more)
        self._time = clock

    def remember(self, content: str, *, when: datetime | None = None, **more: Any) -> Remembered:
        self.noted.append((content, when, self._time()))
        return super().remember(content, when=when, **more | {"key": content.partition(":")[0]})


@pytest.fixture(autouse=True)
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playback, "Memory", Keyed)
    monkeypatch.setattr(Keyed, "noted", [])


def world(*says: str, first: int = 0, **more: Any) -> World:
    steps = tuple(Step(at=START + (first + place) * DAY, speaker="Ida", say=say) for place, say in enumerate(says))
    changed = more.setdefault("changed", frozenset[int]())
    more.setdefault("stays", frozenset(range(len(says))) - changed)
    return World(**{"id": "w", "author": "a", "steps": steps, **more})


def judged(*space: World) -> list[Judged]:
    return list(judgement.run(Sample(spaces=(space,)), embedder=FakeEmbedder()))


def counted(found: Judged) -> dict[str, tuple[int, int]]:
    """How many hits of how many findings, by measure."""
    all_, hits = (Counter(one.measure for one in found.findings if one.hit or every) for every in (True, False))
    return {measure: (hits[measure], count) for measure, count in all_.items()}


def test_every_measure_of_a_world_is_counted() -> None:
    zoo = world(
        "zoo: the bear sleeps",  # replaced, and superseded
        "zoo: the bear eats fish",
        "den: a fox is red",  # replaced, and nobody noticed
        "hill: the fox turned grey",
        "hill: a red sun rose",  # nothing was replaced, but the key says so
        "barn: a cow",
        "barn: A cow.",  # said again, and one is left
        "yard: some cow",  # said again, and kept beside it
        changed=frozenset({0, 2}),
        same=((5, 6), (5, 7)),
        questions=(
            Question(text="what does the bear eat: fish?", answers=(1,), outdated=(0,)),
            Question(text="is a fox red?", answers=(3,), outdated=(2,)),
            Question(text="a cow in the barn", answers=(5, 6, 7)),
            Question(text="who feeds the unicorn?"),
        ),
    )

    (found,) = judged(zoo)

    assert counted(found) == {
        "R@1": (2, 3),
        "R@5": (2, 3),  # the fox that turned grey was superseded
        "newest first": (1, 2),
        "changes marked": (1, 2),
        "changes superseded": (1, 2),
        "false marks": (1, 6),
        "true superseded": (1, 6),
        "said again, one left": (1, 2),
        "swallowed": (1, 6),
    }
    assert (len(found.answered), len(found.unanswered)) == (3, 1)


def test_worlds_are_told_in_the_order_of_their_times_with_a_clock_that_moves_on() -> None:
    judged(world("a: tea", "b: ink"), world("c: rope", "d: tar"))

    second = timedelta(seconds=1)
    assert Keyed.noted == [
        ("a: tea", START, START + second),
        ("c: rope", START, START + 2 * second),
        ("b: ink", START + DAY, START + DAY),
        ("d: tar", START + DAY, START + DAY + second),
    ]


def test_the_worlds_of_a_space_share_a_memory_and_spaces_do_not() -> None:
    asked = (Question(text="tea", answers=(0,)),)
    one, two = world("a: black tea", questions=asked), world("b: tea", first=-1, questions=asked)

    together = judged(one, two)
    alone = judgement.run(Sample(spaces=((one,), (two,))), embedder=FakeEmbedder())

    assert [counted(found)["R@1"] for found in together] == [(0, 1), (1, 1)]
    assert [counted(found)["R@1"] for found in alone] == [(1, 1), (1, 1)]


def item(id: str, **more: Any) -> MemoryItem:
    return MemoryItem(**{"id": id, "content": id, "created": START, "updated": START, "when": START, **more})


def hits(told: World, *items: MemoryItem, ids: Sequence[str] = ()) -> list[tuple[str, str]]:
    known = {one.id: one for one in items}
    return [(one.measure, one.about.strip("'")) for one in verdicts(Told(told, ids or list(known), known)) if one.hit]


def test_a_doubt_is_a_mark_and_a_supersession_is_more() -> None:
    told = world("old", "older", "true", "new", changed=frozenset({0, 1}))

    found = hits(
        told, item("o", superseded_by="n"), item("p", suspected_by=("n",)), item("t", suspected_by=("n",)), item("n")
    )

    assert found == [
        ("changes marked", "old"),
        ("changes superseded", "old"),
        ("changes marked", "older"),
        ("false marks", "true"),
    ]


def test_what_lives_on_in_its_repetition_was_not_superseded() -> None:
    told = world("tea", "tea, said again", same=((0, 1),))

    assert hits(told, item("a"), item("b", superseded_by="a")) == [("said again, one left", "tea, said again")]
    assert hits(told, item("a"), ids=["a", "a"]) == [("said again, one left", "tea, said again")]
    assert hits(told, item("a"), item("b")) == []


def test_two_that_both_gave_way_to_a_third_are_not_one() -> None:
    told = world("tea", "tea, said again", "ink", changed=frozenset({0, 1}), same=((0, 1),))
    gone = {"superseded_by": "c"}

    assert ("said again, one left", "tea, said again") not in hits(
        told, item("a", **gone), item("b", **gone), item("c")
    )
    assert ("said again, one left", "tea, said again") in hits(
        told, item("a", **gone), item("b", superseded_by="a"), item("c")
    )


def test_progress_is_told_for_each_world_and_conversation() -> None:
    done: list[int] = []
    chat = Chat(id="e", messages=(Line(content="tea", role="user"),))

    list(
        judgement.run(
            Sample(spaces=((world("a: b"), world("c: d")),), chats=(chat,)), embedder=FakeEmbedder(), tell=done.append
        )
    )

    assert done == [1, 1, 1]


def test_an_embedder_that_fails_ends_the_run() -> None:
    with pytest.raises(EmbedderError, match="vectors could not be made"):
        list(judgement.run(Sample(spaces=((world("a: b"),),)), embedder=FailingEmbedder()))


def test_of_conversations_only_what_the_table_tells_is_counted() -> None:
    class Echo:
        def extract(self, messages: Sequence[Message]) -> list[Draft]:
            return [Draft(content=message.content, source=Source(message="0")) for message in messages]

    durable = (Durable(kind="preference", must_contain=("I prefer tea",), message=0),)
    chat = Chat(id="e", author="b", messages=(Line(content="I prefer tea", role="user"),), durable=durable, whole=True)

    (found,) = judgement.run(Sample(chats=(chat,)), embedder=FakeEmbedder(), extractor=Echo())

    assert counted(found) == {"recall": (1, 1), "kind": (0, 1), "precision": (1, 1)}
    assert found.author == "b"
