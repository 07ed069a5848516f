"""What is taken for current is judged as the rules of the set say; every verdict here is known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from truekeep import EmbedderError, Match, Memory, MemoryItem, Remembered
from truekeep.engine.verbs.context import Entry, Material, pack
from truekeep.testing.fakes import FailingEmbedder, FakeEmbedder
from truekeep_eval import belief, playback
from truekeep_eval.belief import Returned, fate, is_marked, stay
from truekeep_eval.findings import Judged
from truekeep_eval.scenarios import Ask, Scenario, Step

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, 9, tzinfo=UTC)


class Keyed(Memory):
    """Its statements supersede each other by key alone: "zoo: the bear eats fish" replaces "zoo: the bear sleeps"."""

    noted: ClassVar[list[tuple[datetime, str]]] = []
    said: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, space: str, *, clock: Callable[[], datetime], **more: Any) -> None:
        super().__init__(space, clock=clock, **more)
        self._time = clock

    def remember(self, content: str, **more: Any) -> Remembered:
        self.noted.append((self._time(), content))
        self.said.append(more)
        return super().remember(content, **more | {"key": content.partition(":")[0]})

    def recall(self, query: str, **more: Any) -> Any:
        self.noted.append((self._time(), query))
        return super().recall(query, **more)


@pytest.fixture(autouse=True)
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playback, "Memory", Keyed)
    monkeypatch.setattr(Keyed, "noted", [])
    monkeypatch.setattr(Keyed, "said", [])


def told(*says: str, category: str = "replace", **more: Any) -> Scenario:
    steps = tuple(Step(at=START + place * DAY, speaker="Ida", say=say) for place, say in enumerate(says))
    return Scenario(id="b001", category=category, steps=steps, **more)


def judged(scenario: Scenario, k: int = 5) -> Judged:
    (found,) = belief.run([scenario], k=k, embedder=FakeEmbedder())
    return found


def hits(found: Judged, *measures: str) -> list[list[bool]]:
    """What was hit and what was not, by measure."""
    return [[finding.hit for finding in found.findings if finding.measure == measure] for measure in measures]


def test_an_ask_is_judged_by_what_comes_back() -> None:
    ask = Ask(
        query="what does the bear eat",
        current=("eats fish", "eats honey", "sleeps"),
        stale=("sleeps", "eats fish", "eats honey"),
        history=("sleeps", "eats honey"),
    )

    found = judged(told("zoo: the bear sleeps", "zoo: the bear eats fish", asks=(ask,)))

    assert hits(found, "current", "history") == [[True, False, False], [True, False]]
    assert hits(found, "stale", "suspected", "retired") == [[False, True, False], [False] * 3, [True, False, False]]
    assert {finding.group for finding in found.findings} == {"replace"}
    (asked,) = [finding.about for finding in found.findings if finding.measure == "asks"]
    assert asked == "'what does the bear eat'\n  came back: 'zoo: the bear eats fish'"


def test_what_comes_back_as_superseded_is_not_taken_for_current(monkeypatch: pytest.MonkeyPatch) -> None:
    class Open(Keyed):
        def recall(self, query: str, **more: Any) -> Any:
            return super().recall(query, **more | {"include_superseded": True})

    monkeypatch.setattr(playback, "Memory", Open)
    ask = Ask(query="bear", current=("sleeps",), stale=("sleeps",))

    found = judged(told("zoo: the bear sleeps", "zoo: the bear eats fish", asks=(ask,)))

    assert hits(found, "current", "stale", "retired") == [[False], [False], [True]]


@pytest.mark.parametrize(
    ("ask", "passed"),
    [
        (Ask(query="bear", current=("fish",), stale=("sleeps",), history=("sleeps",)), True),
        (Ask(query="bear"), True),
        (Ask(query="bear", current=("honey",)), False),
        (Ask(query="bear", history=("honey",)), False),
        (Ask(query="bear", current=("fish",), stale=("eats",)), False),
    ],
)
def test_an_ask_and_its_scenario_pass_when_all_of_it_is_right(ask: Ask, passed: bool) -> None:
    found = judged(told("zoo: the bear sleeps", "zoo: the bear eats fish", asks=(ask,)))

    assert hits(found, "asks", "scenarios") == [[passed], [passed]]


def test_a_scenario_with_a_false_retirement_fails_though_its_asks_pass() -> None:
    ask = Ask(query="bear", current=("fish",))

    found = judged(told("zoo: the bear sleeps", "zoo: the bear eats fish", asks=(ask,), must_stay=("sleeps",)))

    assert hits(found, "asks", "scenarios") == [[True], [False]]
    assert hits(found, "false retirement", "false suspicion") == [[True], [False]]


def test_only_the_first_matches_count() -> None:
    says = [f"cage {number}: the bear" for number in range(8)]
    ask = Ask(query="bear", current=tuple(f"cage {number}" for number in range(8)))

    few, all_ = (sum(hits(judged(told(*says, asks=(ask,)), k=k), "current")[0]) for k in (3, 8))

    assert (few, all_) == (3, 8)


def test_all_is_said_and_asked_at_its_own_time() -> None:
    later = Ask(query="bear?", at=START + 30 * DAY)

    judged(told("zoo: the bear", "den: the bear", asks=(Ask(query="where?"), later)))

    assert Keyed.noted == [
        (START, "zoo: the bear"),
        (START + DAY, "den: the bear"),
        (START + DAY + timedelta(minutes=1), "where?"),
        (START + 30 * DAY, "bear?"),
    ]


def test_steps_are_kept_with_speaker_and_time() -> None:
    judged(told("zoo: the bear"))

    assert Keyed.said == [{"speaker": "Ida", "when": START}]


def test_scenarios_do_not_see_each_other() -> None:
    ask = Ask(query="the bear", current=("zoo", "den"))
    first, second = told("zoo: the bear", asks=(ask,)), told("den: the bear", asks=(ask,))

    found = belief.run([first, second], embedder=FakeEmbedder())

    assert [hits(one, "current") for one in found] == [[[True, False]], [[False, True]]]


@pytest.mark.parametrize(
    ("category", "says", "steps", "right"),
    [
        ("reinforce", ("zoo: a bear", "zoo: a bear lives"), (0, 1), True),
        ("reinforce", ("zoo: a bear", "zoo: a bear"), (0, 1), True),  # the second is the first, said again
        ("reinforce", ("zoo: a bear", "den: a bear"), (0, 1), False),
        ("reinforce", ("zoo: a bear", "zoo: a bear lives", "zoo: it left"), (0, 1), False),
        ("restate", ("zoo: a bear", "zoo: a bear lives", "zoo: it left"), (0, 1), True),
        ("restate", ("zoo: a bear lives", "zoo: a bear", "zoo: it left"), (0, 1), False),  # the long one gave way
        ("restate", ("zoo: a bear", "den: a bear lives"), (0, 1), False),
    ],
)
def test_a_group_is_right_when_it_leaves_one_memory(
    category: str, says: tuple[str, ...], steps: tuple[int, ...], right: bool
) -> None:
    found = judged(told(*says, category=category, same=(steps,)))

    assert hits(found, "same") == [[right]]


def test_where_nothing_retires_the_other_steps_are_watched_too() -> None:
    says = ("zoo: a bear", "zoo: a lion", "den: a fox")

    coexist, replaced = (judged(told(*says, category=name, must_stay=("fox",))) for name in ("coexist", "replace"))

    assert hits(coexist, "other retirement") == [[True, False]]
    assert hits(replaced, "other retirement") == [[]]


def test_progress_is_told_for_each_scenario() -> None:
    done: list[int] = []

    list(belief.run([told("a: b"), told("c: d")], embedder=FakeEmbedder(), tell=done.append))

    assert done == [1, 1]


def test_an_embedder_that_fails_ends_the_run() -> None:
    with pytest.raises(EmbedderError, match="vectors could not be made"):
        list(belief.run([told("a: b")], embedder=FailingEmbedder()))


def item(content: str, day: int = 0, **more: Any) -> MemoryItem:
    at = START + day * DAY
    times = {"created": at, "updated": at, "when": at}
    return MemoryItem(**{"id": content, "content": content, **times, **more})


@pytest.mark.parametrize(
    ("items", "state", "suspected"),
    [
        ([item("the bear sleeps")], "current", False),
        ([item("the bear sleeps", suspected_by=("x",))], "current", True),
        ([item("the bear sleeps", suspected_by=("x",)), item("the bear sleeps well")], "current", False),
        ([item("the bear sleeps", superseded_by="x", suspected_by=("x",))], "retired", False),
        ([item("the bear sleeps", retired=START)], "retired", False),
        ([item("the bear sleeps", until=START)], "current", False),  # it ended, as was said
        ([item("the bear sleeps", superseded_by="x"), item("the bear sleeps well")], "current", False),
        ([item("the bear")], "missing", False),
    ],
)
def test_what_must_stay_is_current_retired_or_missing(items: list[MemoryItem], state: str, suspected: bool) -> None:
    found = stay("bear sleeps", items)

    assert (found.state, found.suspected) == (state, suspected)


def back(content: str, *, marked: bool) -> Returned:
    return Returned(content, marked)


@pytest.mark.parametrize(
    ("returned", "items", "expected"),
    [
        ([back("it sleeps", marked=False)], [item("it sleeps")], "fault"),
        ([back("it sleeps", marked=True)], [item("it sleeps")], "suspected"),
        ([back("it sleeps", marked=True), back("it sleeps well", marked=False)], [item("it sleeps")], "fault"),
        ([back("it eats", marked=False)], [item("it sleeps", superseded_by="x")], "retired"),
        ([], [item("it sleeps", until=START)], "retired"),
        ([], [item("it sleeps", until=START + 2 * DAY)], "unfound"),
        ([], [item("it sleeps")], "unfound"),
        ([], [], "unfound"),
    ],
)
def test_a_stale_text_is_a_fault_only_if_it_comes_back_without_a_mark(
    returned: list[Returned], items: list[MemoryItem], expected: str
) -> None:
    assert fate("it sleeps", returned, items, START + DAY) == expected


OLD, NEW = item("The bear sleeps", suspected_by=("The bear eats",)), item("The bear eats", day=1)


def block(*entries: Entry) -> str:
    return pack(Material(entries=entries), template="default", max_tokens=1000, count_tokens=len)


def marked(old: MemoryItem, others: Iterable[MemoryItem], shown: str) -> bool:
    match = Match(item=old, score=1, similarity=1, recency=1, frequency=1, confidence=1, why="")
    return is_marked(match, {other.id: other for other in (old, *others)}, shown)


def test_a_mark_names_the_newer_statement_in_the_match_and_in_the_context() -> None:
    shown = block(Entry(item=OLD, suspected_by=(NEW.content,)), Entry(item=NEW))

    assert marked(OLD, [NEW], shown)


def test_a_mark_of_several_lines_is_a_mark() -> None:
    old = replace(OLD, content="The bear\n\nsleeps")
    new = replace(NEW, content="The bear\neats")

    assert marked(old, [new], block(Entry(item=old, earlier=("It woke",), suspected_by=(new.content,))))


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (OLD, NEW, ""),  # the context does not show it
        (OLD, NEW, block(Entry(item=OLD), Entry(item=NEW))),  # nor says what may have replaced it
        (OLD, NEW, block(Entry(item=OLD, suspected_by=("The bear sings",)))),  # or names another
        (OLD, NEW, block(Entry(item=item("The bear sleeps well"), suspected_by=(NEW.content,)))),  # of another
        (OLD, NEW, block(Entry(item=item("I say: The bear sleeps"), suspected_by=(NEW.content,)))),
        (replace(OLD, suspected_by=()), NEW, block(Entry(item=OLD, suspected_by=(NEW.content,)))),
        (OLD, item(NEW.content, day=0), block(Entry(item=OLD, suspected_by=(NEW.content,)))),  # not newer
    ],
)
def test_anything_less_is_no_mark(old: MemoryItem, new: MemoryItem, shown: str) -> None:
    assert not marked(old, [new], shown)


def test_an_older_statement_that_was_said_again_counts_as_newer() -> None:
    old = replace(OLD, created=START + DAY)
    again = replace(item(NEW.content), reinforced=1, updated=START + 2 * DAY)

    assert marked(old, [again], block(Entry(item=old, suspected_by=(again.content,))))
    assert not marked(old, [replace(again, reinforced=0)], block(Entry(item=old, suspected_by=(again.content,))))
