"""What is kept of a conversation is judged as the rules of the set say; the extractor here does as it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from truekeep import Draft, ExtractorError, Memory, Message, Source
from truekeep.testing.fakes import FakeEmbedder
from truekeep_eval import extraction, stored
from truekeep_eval.chats import Chat, Durable, Line
from truekeep_eval.extraction import Judged
from truekeep_eval.extraction_report import failures, figures, rows, shares
from truekeep_eval.shares import Share

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
    assert shares(kept) == {
        "recall": Share(3, 4),  # Friday is there, but out of another message
        "precision": Share(4, 7),  # three out of transient messages; two out of messages that are not scored
        "kind": Share(2, 3),  # "burnt it" was kept as a fact
        "lessons": Share(1, 3),  # the rye was kept as something else, the yeast not at all
        "transient leak": Share(2, 3),  # two of one message are one leak
        "secrets": Share(1, 3),
        "forbidden": Share(2, 3),
        "conversations": Share(0, 1),
    }


def test_kinds_are_counted_by_what_was_sought_and_by_what_was_kept(kept: Judged) -> None:
    found = figures([kept], data="set", embedder="none").groups

    assert found == {
        "fact": {"recall": Share(0, 1), "precision": Share(2, 5), "kind": Share(0, 0)},
        "lesson": {"recall": Share(2, 2), "precision": Share(1, 1), "kind": Share(1, 2)},
        "preference": {"recall": Share(1, 1), "precision": Share(1, 1), "kind": Share(1, 1)},
    }


def test_a_conversation_passes_when_all_is_kept_that_should_be_and_nothing_else() -> None:
    small = chat(
        durable=(Durable(kind="fact", must_contain=("rye",), message=0),),
        transient=(1,),
        secrets=("sesame",),
        forbidden=("wheat",),
    )
    right = ("0", "fact", "Ida likes rye")

    assert judged(small, right).passed
    assert judged(small, right, ("5", "fact", "an unscored message")).passed
    assert not judged(small).passed
    assert not judged(small, right, ("1", "fact", "thanks")).passed
    assert not judged(small, right, ("5", "fact", "say Sesame")).passed
    assert not judged(small, right, ("5", "fact", "wheat")).passed


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

    assert shares(found)["recall"] == Share(1, 1)
    assert shares(found)["forbidden"] == Share(1, 1)  # the history holds it


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

    assert [[kept.content for kept in one.kept] for one in found] == [["one"], ["two"]]


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


def test_folds_are_told_beside_the_whole(kept: Judged) -> None:
    empty = judged(MARKED)

    found = figures([kept], data="set", embedder="none", fold_of={"e001": 3})

    assert found.folds == {3: shares(kept)}
    assert figures([empty], data="set", embedder="none").folds == {}


def test_there_is_a_row_for_each_entry_and_one_for_each_conversation(kept: Judged) -> None:
    found = rows([kept], fold_of={"e001": 1})

    assert [(row["entry"], row.get("found"), row.get("has_kind")) for row in found] == [
        (0, True, True),
        (1, True, True),
        (2, True, False),
        (3, False, False),
        (None, None, None),
    ]
    assert found[0]["kept"] == [{"kind": "preference", "content": "Ida PREFERS  rye"}]
    assert found[-1]["secrets"] == ["open sesame"]
    assert found[-1]["forbidden"] == ["wheat", "barley"]
    assert [kept["message"] for kept in found[-1]["false"]] == [1, 1, 4]


def test_rows_of_a_hidden_fold_hold_no_text(kept: Judged) -> None:
    *entries, whole = rows([kept], fold_of={"e001": 1}, hidden=(1,))

    assert [set(row) for row in entries] == [{"chat", "fold", "entry", "kind", "message", "found", "has_kind"}] * 4
    assert set(whole) == {"chat", "fold", "entry", "passed"}


def test_all_that_went_wrong_is_told(kept: Judged) -> None:
    assert list(failures([kept])) == [
        "e001 message 2: kept under another kind than lesson ['burnt it']",
        "  kept (lesson): 'the oven burnt the bread'",
        "  kept (fact): 'the fire burnt it'",
        "e001 message 3: not kept: fact ['Friday']",
        "  kept (fact): 'we bake every week'",
        "e001 message 1: nothing should be kept (fact): 'Ida gives thanks'",
        "e001 message 1: nothing should be kept (fact): 'Ida is glad'",
        "e001 message 4: nothing should be kept (fact): 'on Friday we bake'",
        "e001: secret, and stored: 'open sesame'",
        "e001: forbidden, and stored: 'wheat'",
        "e001: forbidden, and stored: 'barley'",
    ]
