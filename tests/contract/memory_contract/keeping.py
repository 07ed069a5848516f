"""What users may rely on for values, sessions, extraction and its jobs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep.errors import Conflict, ExtractorError, InvalidInput, NotFound
from truekeep.model import JSON, Draft, Source
from truekeep.testing.fakes import FixedClock

from .opening import NOON, OF_A_CONTRACT, OpenMemory
from .remembering import TEXTS

DAY = timedelta(days=1)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8)


class Keeping:
    """Needs the fixture `open_memory`."""

    def test_a_correction_under_one_idempotency_key_is_made_once(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        kept = memory.remember("Ana lives in Rome")

        first = memory.correct(kept.id, "Ana lives in Oslo", idempotency_key="k")
        memory.correct(kept.id, tags=["home"])
        again = memory.correct(kept.id, "Ana lives in Oslo", idempotency_key="k")

        assert (first.version, again.version, again.tags) == (2, 3, ("home",))
        with pytest.raises(Conflict, match="idempotency_key"):
            memory.correct(kept.id, "Ana lives in Bern", idempotency_key="k")
        with pytest.raises(Conflict, match="idempotency_key"):
            memory.remember("Ana lives in Bern", idempotency_key="k")

    def test_a_value_is_there_until_it_is_deleted(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        memory.set("profile", {"tone": "concise", "n": [1, 2.5, None]})

        assert memory.get("profile") == {"tone": "concise", "n": [1, 2.5, None]}
        assert memory.keys() == ["profile"]
        assert memory.delete("profile") is True
        assert memory.delete("profile") is False
        assert memory.get("profile") is None
        assert memory.get("profile", "none") == "none"
        assert (memory.keys(), memory.value("profile")) == ([], None)

    @given(value=VALUES)
    @settings(max_examples=40, deadline=None, suppress_health_check=OF_A_CONTRACT)
    def test_any_json_comes_back_as_it_was(self, open_memory: OpenMemory, value: JSON) -> None:
        with open_memory() as memory:
            memory.set("k", value)

            again = memory.get("k")

            assert again == value
            assert repr(again) == repr(value)  # 1 and 1.0 and True are equal, and not the same

    def test_setting_none_deletes(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.set("k", 1)

        assert memory.set("k", None) is None
        assert memory.keys() == []

    def test_versions_only_grow(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        versions = []
        for value in (1, 2, None, 3):
            kept = memory.set("k", value)
            versions.append(kept.version if kept else 0)

        assert versions[2] == 0
        assert 0 < versions[0] < versions[1] < versions[3]
        found = memory.value("k")
        assert found is not None
        assert (found.value, found.version) == (3, versions[3])

    def test_compare_and_set_notices_that_somebody_was_faster(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        first = memory.set("k", "a", if_version=0)
        assert first is not None
        second = memory.set("k", "b", if_version=first.version)

        with pytest.raises(Conflict):
            memory.set("k", "c", if_version=first.version)
        with pytest.raises(Conflict):
            memory.set("k", "c", if_version=0)
        with pytest.raises(Conflict):
            memory.set("other", "c", if_version=7)

        assert memory.value("k") == second
        assert memory.keys() == ["k"]

    def test_append_and_increment_begin_from_nothing(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        lists = [memory.append("log", element).value for element in ("a", {"b": 1}, None)]
        numbers = [memory.increment("n").value, memory.increment("n", 4).value, memory.increment("n", -0.5).value]

        assert lists == [["a"], ["a", {"b": 1}], ["a", {"b": 1}, None]]
        assert numbers == [1, 5, 4.5]

    def test_append_and_increment_refuse_what_they_cannot_change(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.set("k", "text")

        with pytest.raises(InvalidInput, match="not a list"):
            memory.append("k", 1)
        with pytest.raises(InvalidInput, match="not a number"):
            memory.increment("k")

        assert memory.get("k") == "text"

    def test_a_value_ends_with_its_time_to_live(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.set("k", [1], ttl=DAY)
        memory.set("stays", 1, ttl=DAY)
        memory.set("stays", 2)
        memory.append("k", 2)  # does not make a temporary list permanent

        clock.advance(DAY)

        assert memory.get("k") is None
        assert memory.keys() == ["stays"]
        assert memory.append("k", 3).value == [3]
        assert memory.set("k", "new", if_version=None) is not None

    def test_times_of_a_value_are_told(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.set("k", 1, ttl=2 * DAY)
        clock.advance(DAY)

        kept = memory.increment("k")

        assert (kept.created, kept.updated, kept.expires) == (NOON, NOON + DAY, NOON + 2 * DAY)

    def test_sessions_are_listed_latest_first(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        for session in ("s1", "s2", "s1", None):
            memory.remember("hello", kind="interaction", session=session)
            clock.advance(DAY)

        sessions = memory.sessions()

        assert [(one.name, one.items) for one in sessions] == [("s1", 2), ("s2", 1)]
        assert (sessions[0].first, sessions[0].last) == (NOON, NOON + 2 * DAY)

    def test_extract_keeps_what_is_durable_and_cites_its_message(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        kept = memory.extract(
            [
                {"role": "user", "name": "Ana", "content": "Hello! I prefer Python over Java.", "id": "m1"},
                {"role": "assistant", "content": "Noted. What else?"},
                {"role": "user", "name": "Ana", "content": "We decided to use Postgres.", "id": "m3"},
            ],
            session="chat-1",
        ).remembered

        assert [(one.item.kind, one.item.source.message) for one in kept] == [("preference", "m1"), ("decision", "m3")]
        assert {(one.item.session, one.item.speaker) for one in kept} == {("chat-1", "Ana")}
        assert memory.recall("Python or Java?", kinds=["preference"])[0].id == kept[0].id

    def test_extracting_the_same_conversation_again_adds_nothing(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        first = memory.extract("Ana: I prefer tea.").remembered

        again = memory.extract("Ana: I prefer tea.").remembered

        assert [one.outcome for one in (*first, *again)] == ["added", "reinforced"]
        assert memory.stats().items == 1

    def test_what_was_recalled_is_not_learned_again(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("I prefer tea", kind="preference")
        block = memory.context("tea")
        memory.forget(everything=True)

        kept = memory.extract([{"role": "user", "content": f"{block}\nThanks!"}])

        assert kept.remembered == ()
        assert memory.items() == []

    def test_extraction_as_a_job_ends_in_the_same_memories(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        extraction = memory.extract("Ana: I prefer tea.", session="s", wait=False)
        assert extraction.job is not None
        memory.flush()
        job = memory.job(extraction.job.id)

        assert extraction.remembered == ()
        assert (job.state, job.error, job.payload) == ("done", None, {})
        [item] = memory.items(session="s")
        assert job.result == {"remembered": [{"id": item.id, "outcome": "added"}]}
        assert memory.stats().jobs == 0

    def test_a_job_whose_extractor_fails_is_told_and_tried_again(self, open_memory: OpenMemory) -> None:
        class Broken:
            def extract(self, messages: object) -> list[object]:
                raise ExtractorError("broken on purpose", retryable=True)

        clock = FixedClock()
        memory = open_memory(extractor=Broken(), clock=clock)  # type: ignore[arg-type]  # never returns

        extraction = memory.extract("Ana: I prefer tea.", wait=False)
        assert extraction.job is not None
        memory.flush()
        resting = memory.job(extraction.job.id)
        for _ in range(10):
            clock.advance(DAY)
            memory.flush()
        job = memory.job(extraction.job.id)

        assert (resting.state, resting.attempts) == ("waiting", 1)
        assert job.state == "failed"
        assert job.attempts > 1
        assert job.error == "ExtractorError"
        assert job.payload  # the transcript is kept
        assert memory.stats().failures > 1

    def test_what_an_extractor_brings_is_admitted_like_everything_else(self, open_memory: OpenMemory) -> None:
        good = Draft(content="Ana likes tea", tags=("drinks",), metadata={"n": 1}, redacted=("card",))
        bad = [
            replace(good, kind="Not A Slug"),
            replace(good, tags=tuple(map(str, range(10_000)))),
            replace(good, metadata={"n": float("nan")}),
            replace(good, content="x" * 1_000_000),
            replace(good, source=Source(speaker="x" * 1_000)),
            replace(good, when=NOON.replace(tzinfo=None)),
            replace(good, ttl=-DAY),
            "no draft at all",
        ]

        class Careless:
            def extract(self, messages: object) -> list[Draft]:
                return [*bad, good]  # type: ignore[list-item]  # on purpose

        memory = open_memory(extractor=Careless())

        [kept] = memory.extract("Ana: I like tea.", session="s").remembered

        assert (kept.item.content, kept.item.tags, kept.item.metadata) == ("Ana likes tea", ("drinks",), {"n": 1})
        assert (kept.item.session, kept.redacted) == ("s", ("card",))
        assert memory.stats().items == 1

    def test_whatever_an_extractor_raises_is_an_extractor_error(self, open_memory: OpenMemory) -> None:
        class Broken:
            def extract(self, messages: object) -> list[Draft]:
                raise KeyError("a text that nobody else shall read")

        memory = open_memory(extractor=Broken())

        with pytest.raises(ExtractorError, match="KeyError") as caught:
            memory.extract("Ana: I prefer tea.")

        assert isinstance(caught.value.__cause__, KeyError)
        assert "a text" not in str(caught.value)

    def test_an_unknown_job_is_not_found(self, open_memory: OpenMemory) -> None:
        with pytest.raises(NotFound, match="no-such-job"):
            open_memory().job("no-such-job")

    def test_stats_tell_how_much_is_where(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("The port is 80", key="port")
        memory.remember("The port is 8080", key="port")
        memory.remember("Ana likes tea", kind="preference")
        memory.set("k", 1)

        stats = memory.stats()

        assert (stats.space, stats.items, stats.current, stats.values, stats.jobs) == ("bot", 3, 2, 1, 0)
        assert (stats.pending, stats.failures) == (0, 0)
        assert stats.kinds == {"fact": 2, "preference": 1}
        assert stats.bytes > 0
        assert stats.path
        assert stats.embedder
