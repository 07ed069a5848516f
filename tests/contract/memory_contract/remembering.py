"""What users may rely on when they remember: text, fields, duplicates, batches, retries."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep.errors import Conflict, InvalidInput
from truekeep.model import JSON, Source
from truekeep.testing.fakes import FixedClock

from .opening import NOON, OF_A_CONTRACT, OpenMemory, contents

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(str.strip)

THE_SAME = [
    ("Ana likes tea", "  ana LIKES tea. "),
    ("The build is really slow", "Build is slow!"),
    ("I can't swim", "I cannot swim"),
    ("They aren't ready", "they are not ready"),
    ("Ana\u2019s team won\u2019t ship", "ana's team will not ship"),
    ("The \ufb01le is read-only", "the file is read-only"),
]
DIFFERENT = [
    ("The limit is 10", "The limit is 11"),
    ("The offset is 5", "The offset is -5"),
    ("Version 2.3 is out", "Version 2.4 is out"),
    ("Ana likes tea", "Anna likes tea"),
    ("Ana likes tea", "Ana does not like tea"),
    ("Ana likes tea", "Ana likes no tea"),
    ("Ana can come", "Ana can't come"),
    ("We write C", "We write C++"),
    ("We write C++", "We write C#"),
    ("Ana manages Ben", "Ben manages Ana"),
    ("They trust us", "They trust US"),
    ("Is the build green?", "Is the build green"),
]


class Remembering:
    """Needs the fixture `open_memory`."""

    def test_what_is_remembered_is_recalled_at_once(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        kept = memory.remember("Ana prefers TypeScript over JavaScript", kind="preference")

        assert kept.outcome == "added"
        [found] = memory.recall("which language does Ana prefer?")
        assert replace(found.item, seq=0, unjudged=False) == replace(kept.item, seq=0, unjudged=False)

    def test_every_field_comes_back_as_it_was_given(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        metadata: dict[str, JSON] = {"n": 1, "x": 1.5, "deep": {"list": [None, True, "é\u2028"]}, "a": ""}
        source = Source(name="crawler", role="tool", message="m-1", trust="tool")

        kept = memory.remember(
            "The API allows 100 calls",
            kind="semantic",
            tags=["api", "limits", "API"],
            metadata=metadata,
            session="s/1",
            speaker="Ana Lía",
            source=source,
            key="api/limit",
            ttl=timedelta(days=2),
            pinned=True,
            when=NOON,
        )
        [item] = memory.items()

        assert item == kept.item
        assert (item.content, item.kind, item.tags) == (
            "The API allows 100 calls",
            "semantic",
            ("api", "limits", "API"),
        )
        assert item.metadata == metadata
        assert list(item.metadata) == list(metadata)
        assert item.source == Source(
            name="crawler", role="tool", message="m-1", trust="tool", session="s/1", speaker="Ana Lía"
        )
        assert (item.key, item.pinned, item.when) == ("api/limit", True, NOON)
        assert item.expires is not None
        assert item.expires - item.created == timedelta(days=2)

    def test_a_bare_statement_is_a_fact_that_is_true_from_now_on(self, open_memory: OpenMemory) -> None:
        item = open_memory(clock=FixedClock()).remember("Water boils at 100 degrees").item

        assert (item.kind, item.tags, item.metadata, item.source) == ("fact", (), {}, Source())
        assert item.created == item.updated == item.when == NOON
        assert (item.until, item.retired, item.expires, item.superseded_by) == (None, None, None, None)
        assert (item.version, item.reinforced, item.pinned, item.is_current) == (1, 0, False, True)

    @given(text=TEXTS)
    @settings(max_examples=60, deadline=None, suppress_health_check=OF_A_CONTRACT)
    def test_text_comes_back_byte_for_byte(self, open_memory: OpenMemory, text: str) -> None:
        with open_memory() as memory:
            kept = memory.remember(text, kind="interaction", metadata={"again": text})

            [again] = memory.history(kept.id)

            assert again.content == text
            assert again.metadata == {"again": text}

    @pytest.mark.parametrize(("first", "second"), THE_SAME)
    def test_the_same_statement_in_other_words_reinforces(
        self, open_memory: OpenMemory, first: str, second: str
    ) -> None:
        memory = open_memory()
        kept = memory.remember(first)

        again = memory.remember(second)

        assert (again.outcome, again.id) == ("reinforced", kept.id)
        assert again.item.reinforced == 1
        assert contents(memory.items()) == [first]

    @pytest.mark.parametrize("by", ["speaker", "source"])
    def test_however_many_say_it_each_says_it_again_for_himself(self, open_memory: OpenMemory, by: str) -> None:
        memory = open_memory()
        everybody: list[dict[str, Any]] = [{by: f"somebody {number}"} for number in range(20)]
        first = [memory.remember("The meeting is on Friday at ten", **who) for who in everybody]

        again = [memory.remember("The meeting is on Friday at ten", **who) for who in everybody]

        assert [(one.outcome, one.id) for one in again] == [("reinforced", one.id) for one in first]
        assert memory.stats().items == 20

    @pytest.mark.parametrize(("first", "second"), DIFFERENT)
    def test_numbers_names_negation_and_order_make_a_difference(
        self, open_memory: OpenMemory, first: str, second: str
    ) -> None:
        memory = open_memory()
        kept = memory.remember(first)

        again = memory.remember(second)

        assert again.id != kept.id
        assert again.outcome != "reinforced"
        assert again.item.content == second
        assert set(contents(memory.items(include_superseded=True))) == {first, second}

    def test_reinforcing_adds_to_what_is_known(self, open_memory: OpenMemory) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        first = memory.remember("Ana likes tea", tags=["ana"], metadata={"a": 1, "b": 1}, kind="preference")
        clock.advance(timedelta(days=1))

        again = memory.remember("Ana likes tea", tags=["drinks", "ana"], metadata={"b": 2}, pinned=True)

        assert again.outcome == "reinforced"
        assert again.item.tags == ("ana", "drinks")
        assert again.item.metadata == {"a": 1, "b": 2}
        assert again.item.pinned
        assert again.item.kind == "preference"
        assert (again.item.created, again.item.updated) == (first.item.created, clock.now)

    def test_another_kind_key_or_speaker_makes_another_memory(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("I like tea", kind="preference", speaker="Ana")

        others = [
            memory.remember("I like tea", kind="context", speaker="Ana"),
            memory.remember("I like tea", kind="preference", speaker="Ben"),
            memory.remember("I like tea", kind="preference", speaker="Ana", key="ana/drink"),
        ]

        assert [one.outcome for one in others] == ["added"] * 3
        assert memory.stats().items == 4

    def test_interactions_are_a_record_and_never_collapse(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        outcomes = [memory.remember("thanks", kind="interaction", session="s").outcome for _ in range(3)]

        assert outcomes == ["added"] * 3
        assert len(memory.items(session="s")) == 3

    def test_a_batch_keeps_its_order_and_sees_itself(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        kept = memory.remember_many(
            [
                "Ana likes tea",
                {"content": "Ana lives in Rome", "key": "ana/home"},
                "ana likes tea!",
                {"content": "Ana lives in Oslo", "key": "ana/home", "tags": ["moved"]},
            ]
        )

        assert [one.outcome for one in kept] == ["added", "added", "reinforced", "superseded"]
        assert kept[2].id == kept[0].id
        assert [old.id for old in kept[3].superseded] == [kept[1].id]
        assert set(contents(memory.items())) == {"Ana likes tea", "Ana lives in Oslo"}
        assert memory.remember_many([]) == []

    def test_a_batch_with_one_bad_item_keeps_nothing(self, open_memory: OpenMemory) -> None:
        memory = open_memory()

        with pytest.raises(InvalidInput, match=r"items\[1\]\.content"):
            memory.remember_many(["Ana likes tea", "  ", "Ben likes coffee"])

        assert memory.items() == []

    def test_a_batch_with_one_conflict_keeps_nothing(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana likes tea", idempotency_key="r1")

        with pytest.raises(Conflict):
            memory.remember_many(["Ben likes coffee", {"content": "Something else", "idempotency_key": "r1"}])

        assert contents(memory.items()) == ["Ana likes tea"]

    def test_a_retry_with_the_same_idempotency_key_makes_no_second_memory(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        first = memory.remember("The invoice was sent", kind="interaction", idempotency_key="r1")

        again = memory.remember("The invoice was sent", kind="interaction", idempotency_key="r1")
        other = memory.remember("The invoice was sent", kind="interaction", idempotency_key="r2")

        assert (again.id, again.outcome, again.replayed) == (first.id, "added", True)
        assert not first.replayed
        assert other.id != first.id
        assert memory.stats().items == 2

    def test_a_retry_of_a_batch_makes_nothing_twice(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        batch = [{"content": f"turn {n}", "kind": "interaction", "idempotency_key": f"t{n}"} for n in range(3)]
        first = memory.remember_many(batch)

        again = memory.remember_many([*batch, "a new one"])

        assert [one.id for one in again[:3]] == [one.id for one in first]
        assert [one.replayed for one in again] == [True, True, True, False]
        assert memory.stats().items == 4

    def test_an_idempotency_key_is_not_for_another_memory(self, open_memory: OpenMemory) -> None:
        memory = open_memory()
        memory.remember("Ana likes tea", idempotency_key="r1")

        with pytest.raises(Conflict, match="idempotency_key"):
            memory.remember("Ana likes coffee", idempotency_key="r1")

    @pytest.mark.parametrize(
        "other",
        [
            {"when": NOON - timedelta(days=1)},
            {"source": "crawler"},
            {"source": Source(role="tool")},
            {"source": Source(message="m2")},
            {"source": Source(trust="agent")},
            {"pinned": True},
            {"ttl": 60},
        ],
    )
    def test_every_argument_is_part_of_the_request(self, open_memory: OpenMemory, other: dict[str, Any]) -> None:
        clock = FixedClock()
        memory = open_memory(clock=clock)
        memory.remember("Ana likes tea", idempotency_key="r1")
        clock.advance(timedelta(hours=1))

        retry = memory.remember("Ana likes tea", idempotency_key="r1")

        assert retry.replayed
        with pytest.raises(Conflict, match="idempotency_key"):
            memory.remember("Ana likes tea", idempotency_key="r1", **other)

        assert contents(memory.items()) == ["Ana likes tea"]
