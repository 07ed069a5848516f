"""What is kept of a conversation is judged as the rules of the set say; the extractor here does as it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from truekeep import Draft, ExtractorError, Memory, Message, Source
from truekeep.testing.fakes import FakeEmbedder
from truekeep_eval import extraction, stored
from truekeep_eval.chats import Chat, Durable, Line
from truekeep_eval.extraction import MEASURES
from truekeep_eval.figures import failures
from truekeep_eval.findings import Judged

LINES = ("I prefer rye", "thanks!", "the oven burnt it", "we bake on Friday", "hm", "what if wheat?", "ok")


class Scripted:
    """Keeps what its script says of each message."""

    def __init__(self, *script: tuple[str | None, str, str]) -> None:
        self._script = script

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        return [
            Draft(content=content, kind=kind, source=Source(role="user", message=place))
            for place, kind, content in self._script
        ]


def chat(**more: Any) -> Chat:
    return Chat(id="e001", messages=tuple(Line(content=content, role="user") for content in LINES), **more)


def judged(asked: Chat, *script: tuple[str | None, str, str]) -> Judged:
    (found,) = extraction.run([asked], embedder=FakeEmbedder(), extractor=Scripted(*script))
    return found


def counted(found: Judged, group: str | None = None) -> dict[str, tuple[int, int]]:
    """How many hits of how many findings, by measure."""
    chosen = [one for one in found.findings if group in (None, one.group)]
    return {
        name: (sum(one.hit for one in chosen if one.measure == name), sum(one.measure == name for one in chosen))
        for name in dict.fromkeys(one.measure for one in chosen)
    }


def passed(found: Judged) -> bool:
    return counted(found)["conversations"] == (1, 1)


MARKED = chat(
    durable=(
        Durable(kind="preference", must_contain=("prefer", "rye"), message=0),
        Durable(kind="lesson", must_contain=("oven burnt",), message=2),
        Durable(kind="lesson", must_contain=("burnt it",), message=2),
        Durable(kind="fact", must_contain=("Friday",), message=3),
    ),
    lessons=(
        Durable(kind="lesson", must_contain=("oven burnt",), message=2),
        Durable(kind="lesson", must_contain=("rye",), message=0),
        Durable(kind="lesson", must_contain=("yeast",), message=2),
    ),
    transient=(1, 4, 6),
    secrets=("open sesame", "swordfish", "mellon"),
    forbidden=("wheat", "barley", "spelt"),
)


@pytest.fixture(scope="module")
def kept() -> Judged:
    return judged(
        MARKED,
        ("0", "preference", "Ida PREFERS  rye"),
        ("1", "fact", "Ida gives thanks"),
        ("1", "fact", "Ida is glad"),
        ("2", "lesson", "the oven burnt the bread"),
        ("2", "fact", "the fire burnt it"),
        ("3", "fact", "we bake every week"),
        ("4", "fact", "on Friday we bake"),
        ("5", "context", "there may be Wheat, and the word is open\nsesame"),
        (None, "fact", "somebody likes barley"),
    )


def test_every_measure_of_a_conversation_is_counted(kept: Judged) -> None:
    assert counted(kept) == {
        "recall": (3, 4),  # Friday is there, but out of another message
        "precision": (4, 7),  # three out of transient messages; two out of messages that are not scored
        "kind": (2, 3),  # "burnt it" was kept as a fact
        "lessons": (1, 3),  # the rye was kept as something else, the yeast not at all
        "transient leak": (2, 3),  # two of one message are one leak
        "secrets": (1, 3),
        "forbidden": (2, 3),
        "conversations": (0, 1),
    }


def test_kinds_are_counted_by_what_was_sought_and_by_what_was_kept(kept: Judged) -> None:
    assert {kind: counted(kept, kind) for kind in ("fact", "lesson", "preference")} == {
        "fact": {"recall": (0, 1), "precision": (2, 5)},
        "lesson": {"recall": (2, 2), "kind": (1, 2), "precision": (1, 1)},
        "preference": {"recall": (1, 1), "kind": (1, 1), "precision": (1, 1)},
    }


def test_a_conversation_passes_when_all_is_kept_that_should_be_and_nothing_else() -> None:
    small = chat(
        durable=(Durable(kind="fact", must_contain=("rye",), message=0),),
        transient=(1,),
        secrets=("sesame",),
        forbidden=("wheat",),
    )
    right = ("0", "fact", "Ida likes rye")

    assert passed(judged(small, right))
    assert passed(judged(small, right, ("5", "fact", "an unscored message")))
    assert not passed(judged(small))
    assert not passed(judged(small, right, ("1", "fact", "thanks")))
    assert not passed(judged(small, right, ("5", "fact", "say Sesame")))
    assert not passed(judged(small, right, ("5", "fact", "wheat")))


def test_what_was_superseded_in_the_conversation_counts_as_kept() -> None:
    class Keyed(Scripted):
        def extract(self, messages: Sequence[Message]) -> list[Draft]:
            source = [Source(role="user", message=place) for place in ("0", "3")]
            return [
                Draft(content="rye for Ida", key="flour", source=source[0]),
                Draft(content="spelt for Ida", key="flour", source=source[1]),
            ]

    asked = chat(durable=(Durable(kind="fact", must_contain=("rye",), message=0),), forbidden=("rye for",))

    (found,) = extraction.run([asked], embedder=FakeEmbedder(), extractor=Keyed())

    assert counted(found)["recall"] == (1, 1)
    assert counted(found)["forbidden"] == (1, 1)  # the history holds it


def test_secrets_are_searched_for_in_jobs_too() -> None:
    class Failing:
        def extract(self, messages: Sequence[Message]) -> list[Draft]:
            raise ExtractorError("not today", retryable=True)

    with Memory("chat", at=":memory:", embedder=FakeEmbedder(), extractor=Failing(), background=False) as memory:
        memory.remember("Tea at four", metadata={"of": "tin\n7"})
        memory.extract([{"role": "user", "content": 'the "word"\nis sesame'}], wait=False)

        texts, memories = list(stored.everything(memory)), list(stored.memories(memory))

    assert {"Tea at four", "tin\n7", 'the "word"\nis sesame'} <= set(texts)
    assert {"Tea at four", "tin\n7"} <= set(memories)
    assert not any("sesame" in text for text in memories)


def test_conversations_do_not_see_each_other() -> None:
    class Echo:
        def extract(self, messages: Sequence[Message]) -> list[Draft]:
            return [Draft(content=message.content) for message in messages]

    chats = [Chat(id=name, messages=(Line(content=name, role="user"),)) for name in ("one", "two")]

    found = extraction.run(chats, embedder=FakeEmbedder(), extractor=Echo())

    assert [one.findings[0].about for one in found] == ["fact 'one'", "fact 'two'"]


def test_names_and_roles_reach_the_extractor() -> None:
    seen: list[tuple[str | None, str | None, str]] = []

    class Listening:
        def extract(self, messages: Sequence[Message]) -> list[Draft]:
            seen.extend((message.role, message.speaker, message.content) for message in messages)
            return []

    said = (Line(content="tea", role="user", name="Ida"), Line(content="", role="assistant"))

    list(extraction.run([Chat(id="e001", messages=said)], embedder=FakeEmbedder(), extractor=Listening()))

    assert seen == [("user", "Ida", "tea"), ("assistant", None, "")]


def test_progress_is_told_for_each_conversation() -> None:
    done: list[int] = []

    list(extraction.run([chat(), chat()], embedder=FakeEmbedder(), extractor=Scripted(), tell=done.append))

    assert done == [1, 1]


def test_a_conversation_with_nothing_to_keep_should_leave_nothing() -> None:
    assert counted(judged(chat()))["kept of nothing"] == (0, 1)
    assert counted(judged(chat(), ("5", "fact", "an unscored message")))["kept of nothing"] == (1, 1)


RYE = Durable(kind="preference", must_contain=("I never eat rye, it makes me ill.",), message=0)


def test_where_passages_are_marked_a_sentence_of_one_is_kept_rightly_and_one_beside_it_is_not() -> None:
    said = tuple(Line(content=line, role="user") for line in ("hm. I never eat rye, it makes me ill. Who?", "thanks"))
    script = (("0", "fact", "it makes me ill."), ("0", "fact", "Who? Not I."), ("1", "fact", "thanks"))

    found = counted(judged(Chat(id="e", messages=said, durable=(RYE,), transient=(1,), whole=True), *script))

    assert (found["precision"], found["recall"], found["kind"]) == ((1, 3), (1, 1), (0, 1))


def test_all_that_went_wrong_is_told(kept: Judged) -> None:
    assert list(failures([kept], MEASURES)) == [
        "e001 lesson, kind: message 2: lesson ['burnt it']; "
        "kept: lesson 'the oven burnt the bread', fact 'the fire burnt it'",
        "e001 fact, recall: message 3: fact ['Friday']; kept: fact 'we bake every week'",
        "e001, lessons: message 0: ['rye']",
        "e001, lessons: message 2: ['yeast']",
        "e001 fact, precision: message 1: fact 'Ida gives thanks'",
        "e001 fact, precision: message 1: fact 'Ida is glad'",
        "e001 fact, precision: message 4: fact 'on Friday we bake'",
        "e001, transient leak: message 1",
        "e001, transient leak: message 4",
        "e001, secrets: 'open sesame'",
        "e001, forbidden: 'wheat'",
        "e001, forbidden: 'barley'",
    ]
