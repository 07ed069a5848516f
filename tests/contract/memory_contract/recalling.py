"""What users may rely on when they recall: filters, orders, confidence, long texts, a failing embedder."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest

from truekeep.errors import EmbedderError, NotFound
from truekeep.memory import Memory
from truekeep.model import Source
from truekeep.testing.fakes import (
    REFUSED,
    ChoosyEmbedder,
    FailingEmbedder,
    FakeEmbedder,
    FixedClock,
    HangingEmbedder,
)

from .opening import NOON, OpenMemory, contents

DAY = timedelta(days=1)


def _filled(memory: Memory) -> Memory:
    memory.remember_many(
        [
            {"content": "note one", "kind": "preference", "tags": ["red", "round"], "session": "s1", "speaker": "Ana"},
            {"content": "note two", "kind": "decision", "tags": ["red"], "session": "s1", "speaker": "Ben"},
            {"content": "note three", "kind": "interaction", "tags": ["round"], "session": "s2", "speaker": "Ana"},
            {"content": "note four", "kind": "episodic", "source": Source(name="crawler", trust="tool")},
        ]
    )
    return memory


class Recalling:
    """Needs the fixture `open_memory`."""

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"kinds": ["preference"]}, "one"),
            ({"kinds": ["preference", "episodic"]}, "four one"),
            ({"kinds": ["-interaction"]}, "four one two"),
            ({"kinds": ["preference", "decision", "-decision"]}, "one"),
            ({"kinds": ["nothing-like-it"]}, ""),
            ({"kinds": []}, "four one three two"),
            ({"tags": ["red"]}, "one two"),
            ({"tags": ["red", "round"]}, "one"),
            ({"tags": ["RED"]}, ""),
            ({"tags": []}, "four one three two"),
            ({"session": "s1"}, "one two"),
            ({"session": "s"}, ""),
            ({"speaker": "Ana"}, "one three"),
            ({"speaker": "Ana", "kinds": ["-interaction"]}, "one"),
            ({"source": "crawler"}, "four"),
            ({"min_trust": "tool"}, "four one three two"),
            ({"min_trust": "agent"}, "one three two"),
        ],
    )
    def test_filters_say_which_items_may_answer(
        self, open_memory: OpenMemory, filters: dict[str, Any], expected: str
    ) -> None:
        memory = _filled(open_memory())

        found = memory.recall("note", limit=10, **filters)
        listed = memory.items(**filters)

        assert sorted(one.content.removeprefix("note ") for one in found) == expected.split()
        assert sorted(one.content.removeprefix("note ") for one in listed) == expected.split()

    def test_since_and_until_are_about_the_time_from_which_it_is_true(self, open_memory: OpenMemory) -> None:
        memory = open_memory(clock=FixedClock(NOON + 9 * DAY))
        memory.remember_many([{"content": f"note {n}", "when": NOON + n * DAY} for n in range(4)])

        found = memory.recall("note", since=NOON + DAY, until=NOON + 3 * DAY)

        assert sorted(contents(found)) == ["note 1", "note 2"]

    def test_as_of_shows_what_was_true_then(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.remember("The port is 80", key="port")
        clock.advance(2 * DAY)
        memory.remember("The port is 8080", key="port")

        found = [memory.recall("port", as_of=NOON + days * DAY) for days in (-1, 0, 1, 2)]

        assert [contents(one) for one in found] == [[], ["The port is 80"], ["The port is 80"], ["The port is 8080"]]

    def test_recall_gives_at_most_the_limit_best_first(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember_many([f"note {n} about tea" for n in range(20)] + ["green tea from Kyoto"])

        found = memory.recall("green tea from Kyoto", limit=7)

        assert len(found) == 7
        assert found[0].content == "green tea from Kyoto"
        assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)
        assert found.text.splitlines()[0] == "- green tea from Kyoto"
        assert found[:2] == tuple(found)[:2]

    def test_an_empty_memory_recalls_nothing(self, open_memory: OpenMemory) -> None:
        found = open_memory().recall("anything")

        assert (list(found), found.text, found.lessons, found.answerable, found.degraded) == ([], "", (), 0.0, False)
        assert found == []

    def test_the_newest_are_chosen_from_what_has_to_do_with_the_query(self, open_memory: OpenMemory) -> None:
        clock = FixedClock(NOON)
        memory = open_memory(clock=clock)
        memory.remember("the database password is in the vault")
        for number in range(100):
            clock.advance(DAY)
            memory.remember(f"noise{number} murmur{number} hum{number}")

        newest = memory.recall("where is the database password", order="newest", limit=3)

        assert newest[0].content == "the database password is in the vault"

    def test_newest_first_and_most_confident_first(self, open_memory: OpenMemory) -> None:
        memory = open_memory(clock=FixedClock(NOON + 99 * DAY))
        memory.remember("tea is green", when=NOON)
        memory.remember("green tea is what Ana drinks daily", when=NOON + 98 * DAY)
        memory.remember("tea", when=NOON + 50 * DAY)

        newest = memory.recall("tea is green", order="newest")
        confident = memory.recall("tea is green", order="confidence")

        assert [match.when for match in newest] == [NOON + days * DAY for days in (98, 50, 0)]
        confidences = [match.confidence for match in confident]
        assert confidences == sorted(confidences, reverse=True)

    @pytest.mark.parametrize(
        ("kind", "days", "recency"),
        [
            ("fact", 30, 0.5),
            ("lesson", 30, 0.5),
            ("episodic", 30, 0.5),
            ("preference", 365, 0.5),
            ("decision", 365, 0.5),
            ("temporary", 3, 0.5),
            ("fact", 50, 1 / (1 + math.e)),
            ("fact", 10, 1 / (1 + 1 / math.e)),
            ("fact", 100_000, 0.0),
        ],
    )
    def test_recency_is_one_half_at_the_inflection_of_the_kind(
        self, open_memory: OpenMemory, kind: str, days: int, recency: float
    ) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.remember("green tea", kind=kind)
        clock.advance(days * DAY)

        [match] = memory.recall("green tea")

        assert match.recency == pytest.approx(recency, abs=1e-6)

    def test_confidence_weighs_similarity_recency_and_frequency(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.remember("green tea")
        clock.advance(30 * DAY)

        matches = [memory.recall("green tea")[0] for _ in range(12)]

        assert matches[0].similarity == pytest.approx(1, abs=0.02)
        assert [match.frequency for match in matches] == pytest.approx(
            [min(math.log(1 + n) / math.log(11), 1) for n in range(12)]
        )
        for match in matches:
            assert match.confidence == pytest.approx(
                0.6 * match.similarity + 0.2 * match.recency + 0.2 * match.frequency
            )

    def test_looking_without_asking_counts_as_no_access(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("green tea")

        memory.explain("green tea")
        memory.items()

        assert memory.recall("green tea")[0].frequency == 0

    def test_pinned_items_do_not_fade(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.remember("green tea", pinned=True)

        clock.advance(9999 * DAY)

        assert memory.recall("green tea")[0].recency == 1

    def test_min_similarity_is_about_similarity_alone(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember_many(["green tea from Kyoto", "green paint", "the quarterly report"])
        everything = memory.recall("green tea from Kyoto", limit=10)

        found = memory.recall("green tea from Kyoto", limit=10, min_similarity=0.3)

        assert set(contents(found)) == {match.content for match in everything if match.similarity >= 0.3}
        assert "green tea from Kyoto" in contents(found)
        assert "the quarterly report" not in contents(found)

    def test_lessons_come_in_a_channel_of_their_own(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Deploying on Friday broke the login", kind="lesson")
        memory.remember("Deploying takes ten minutes")

        found = memory.recall("deploying on Friday", kinds=["fact"])
        silent = memory.recall("deploying on Friday", kinds=["-lesson"])
        elsewhere = memory.recall("favourite colour of the cat")

        assert contents(found) == ["Deploying takes ten minutes"]
        assert contents(found.lessons) == ["Deploying on Friday broke the login"]
        assert silent.lessons == ()
        assert elsewhere.lessons == ()

    def test_a_long_text_is_found_by_any_of_its_parts(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        filler = [f"filler{n}" for n in range(3000)]
        memory.remember(" ".join([*filler[:2000], "zanzibar spice market", *filler[2000:]]))
        memory.remember("something short about markets")

        found = memory.recall("zanzibar spice market")

        assert found[0].content.startswith("filler0 filler1 ")
        assert found[0].similarity > 0.1

    def test_a_failing_embedder_delays_meaning_and_never_the_write(self, open_memory: OpenMemory) -> None:
        embedder = FailingEmbedder()
        memory = open_memory(embedder=embedder)

        kept = memory.remember("Ana drinks green tea")
        by_words = memory.recall("green tea")
        embedder.broken = False
        by_meaning = memory.recall("green tea")

        assert kept.outcome == "added"
        assert contents(by_words) == contents(by_meaning) == ["Ana drinks green tea"]
        assert (by_words.degraded, by_words.pending) == (True, 1)
        assert (by_meaning.degraded, memory.stats().pending) == (False, 0)
        assert memory.stats().failures > 0

    @pytest.mark.parametrize("error", [REFUSED, EmbedderError("it hurts", retryable=True), ValueError("what is that?")])
    def test_one_text_that_the_embedder_does_not_take_delays_nothing_else(
        self, open_memory: OpenMemory, error: Exception
    ) -> None:
        memory = open_memory(embedder=ChoosyEmbedder(64, error, in_process=False))

        memory.remember_many(["a poison text", *(f"note {n}" for n in range(100))])
        memory.flush()
        found = memory.recall("note 77")
        stats = memory.stats()

        assert (found[0].content, found.degraded, found.pending) == ("note 77", False, 1)
        assert (stats.pending, list(stats.set_aside.values())) == (1, [1])
        assert memory.recall("poison")[0].content == "a poison text"

    def test_a_hanging_embedder_is_given_up(self, open_memory: OpenMemory) -> None:
        embedder = HangingEmbedder()
        memory = open_memory(embedder=embedder)

        memory.remember("Ana drinks green tea")
        found = memory.recall("green tea")
        embedder.release.set()

        assert contents(found) == ["Ana drinks green tea"]
        assert (found.degraded, found.pending) == (True, 1)

    def test_a_batch_has_its_vectors_once_the_work_is_flushed(self, open_memory: OpenMemory) -> None:
        memory = open_memory(embedder=FakeEmbedder())
        memory.remember_many([f"note {n}" for n in range(150)])

        done = memory.flush()

        assert done
        assert memory.stats().pending == 0
        assert memory.recall("note 77")[0].content == "note 77"

    def test_explain_tells_why_each_match_was_found(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember_many(["green tea", "tea towel", "quarterly report"])
        found = memory.recall("green tea", limit=2)

        explained = memory.explain("green tea", limit=2)

        assert [one.id for one in explained] == [match.id for match in found]
        assert [(one.found, one.rank) for one in explained] == [(True, 1), (True, 2)]
        assert {arm.name: arm.rank for arm in explained[0].arms} == {"words": 1, "meaning": 1}

    def test_explain_tells_what_a_miss_lost_to(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        winner = memory.remember("green tea").id
        loser = memory.remember("tea towel").id

        [explained] = memory.explain("green tea", loser, limit=1)

        assert (explained.id, explained.found, explained.rank) == (loser, False, 2)
        assert winner in explained.note

    def test_explain_tells_why_an_item_is_hidden(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        old = memory.remember("The port is 80", key="port").id
        new = memory.remember("The port is 8080", key="port").id
        brief = memory.remember("The port is closed today", ttl=DAY).id
        clock.advance(2 * DAY)

        notes = {id: memory.explain("port", id)[0].note for id in (old, new, brief)}
        filtered = memory.explain("port", new, tags=["net"])[0]
        dissimilar = memory.explain("port", new, min_similarity=1.0)[0]

        assert "superseded" in notes[old]
        assert notes[new].startswith("found: words ")
        assert "expired" in notes[brief]
        assert (filtered.found, "filters" in filtered.note) == (False, True)
        assert (dissimilar.found, "min_similarity" in dissimilar.note) == (False, True)
        with pytest.raises(NotFound, match="no-such-id"):
            memory.explain("port", "no-such-id")
