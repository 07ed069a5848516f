"""What a space may use of a model, over days, processes and jobs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truekeep import ExtractionReport, Memory
from truekeep.assembly import open_store
from truekeep.extractors.llm import Budget, LLMExtractor
from truekeep.model import Message
from truekeep.testing.fakes import FakeEmbedder, FixedClock

from .endpoint import Served, fails, note, notes, serving

SAID = ["I prefer tea over coffee."]
GOOD = notes(note(0, "I prefer tea over coffee", kind="preference"), prompt=100, answer=20)
USED_UP = "the budget of {} for this {} is used up"


def memory_at(
    path: Path, served: Served, *, space: str = "bot", clock: FixedClock | None = None, **budget: Any
) -> Memory:
    extractor = LLMExtractor(served.url, "small", budget=Budget(**budget), answer_tokens=200)
    return Memory(
        space, at=path, embedder=FakeEmbedder(16), background=False, extractor=extractor, clock=clock or FixedClock()
    )


def reported(memory: Memory) -> ExtractionReport:
    report = memory.extract(SAID).report
    assert report is not None
    return report


def used(path: Path) -> dict[tuple[str, str, str], int]:
    with open_store(path) as store:
        return {(one.subject, one.counter, one.period): one.count for one in store.usage("local")}


def test_a_budget_of_calls_outlives_the_process_and_is_shared_by_all_spaces(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    with serving(GOOD) as served:
        with memory_at(path, served, calls=2) as memory:
            first = reported(memory)
        with memory_at(path, served, calls=2) as memory:
            second = reported(memory)
        with memory_at(path, served, calls=2, space="other") as memory:
            third = reported(memory)

    assert [report.fallback for report in (first, second)] == [None] * 2
    assert (third.calls, third.fallback) == (0, USED_UP.format("calls", "month"))
    assert len(served.asked) == 2
    month = f"{FixedClock().now:%Y-%m}"
    assert used(path) == {
        ("tenant:local", "llm_calls", month): 2,
        ("tenant:local", "llm_tokens", month): 240,
    }


def test_what_the_budget_forbids_is_read_by_the_rules(tmp_path: Path) -> None:
    with serving(GOOD) as served, memory_at(tmp_path / "memory.db", served, calls=0) as memory:
        done = memory.extract(SAID)

    assert [one.item.kind for one in done.remembered] == ["preference"]
    assert served.asked == []


@pytest.mark.parametrize(("per", "span"), [("day", timedelta(days=1)), ("month", timedelta(days=31))])
def test_a_budget_is_there_again_in_the_next_period(tmp_path: Path, per: str, span: timedelta) -> None:
    clock = FixedClock()

    with serving(GOOD) as served, memory_at(tmp_path / "memory.db", served, clock=clock, calls=1, per=per) as memory:
        fallbacks = [reported(memory).fallback, reported(memory).fallback]
        clock.advance(span)
        fallbacks.append(reported(memory).fallback)

    assert fallbacks == [None, USED_UP.format("calls", per), None]


def test_a_request_is_made_only_if_the_budget_of_tokens_has_room_for_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    with serving(GOOD) as served:
        with memory_at(path, served, tokens=100) as memory:
            scarce = reported(memory)
        with memory_at(path, served, tokens=3_000) as memory:
            enough = reported(memory)

    assert (scarce.calls, scarce.fallback) == (0, USED_UP.format("tokens", "month"))
    assert (enough.calls, enough.fallback) == (1, None)
    assert sorted(used(path).values()) == [1, 120]


def test_what_the_endpoint_does_not_count_is_estimated(tmp_path: Path) -> None:
    silent = notes(note(0, "I prefer tea over coffee"), prompt=None)

    with serving(silent) as served, memory_at(tmp_path / "memory.db", served) as memory:
        report = reported(memory)

    assert report.prompt_tokens > 100
    assert report.completion_tokens > 10


def test_a_failed_request_counts_as_a_call_and_gives_its_tokens_back(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    with serving(fails(500), GOOD) as served, memory_at(path, served) as memory:
        report = reported(memory)

    assert (report.calls, report.prompt_tokens) == (2, 100)
    assert sorted(used(path).values()) == [2, 120]


def test_without_a_memory_the_budget_holds_for_the_life_of_the_extractor() -> None:
    said = [Message(content=SAID[0], role="user")]

    with serving(GOOD) as served:
        extractor = LLMExtractor(served.url, "small", budget=Budget(calls=1))
        extractor.extract(said)
        again = extractor.extract(said)

    assert len(served.asked) == 1
    assert len(again) == 1


def test_the_period_is_that_of_utc(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 1, 31, 23, 30, tzinfo=UTC))
    path = tmp_path / "memory.db"

    with serving(GOOD) as served, memory_at(path, served, clock=clock) as memory:
        reported(memory)

    assert {period for _, _, period in used(path)} == {"2026-01"}
