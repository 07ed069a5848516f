"""Whatever the endpoint does, the rules take over, nothing is raised, and the report says why."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.extractors.llm import LLMExtractor
from truekeep.testing.fakes import FakeEmbedder

from . import endpoint
from .endpoint import Step, fails, note, notes, refuses, says, serving

SAID = [{"role": "user", "name": "Ana", "content": "I prefer tea over coffee.", "id": "m1"}]
GOOD = notes(note(0, "I prefer tea over coffee", "Ana prefers tea over coffee", "preference"))
QUICK = {"timeout": timedelta(seconds=2), "limit": timedelta(seconds=4)}
SECRET = "sk-secret"


def memory_with(url: str, **options: object) -> Memory:
    extractor = LLMExtractor(url, "small", key=SECRET, **{**QUICK, **options})  # type: ignore[arg-type]
    return Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False, extractor=extractor)


GARBAGE = {
    "no JSON": says("Sure! Ana prefers tea."),
    "prose around JSON": says('Here you are: {"items": []} I hope that helps.'),
    "half a JSON": says('{"items": [{"message": 0, "quote": "I prefer'),
    "another schema": says(json.dumps({"memories": ["Ana prefers tea"]})),
    "items that are no list": says(json.dumps({"items": {"message": 0}})),
    "a list without items": says("[]"),
    "no text": says(None),
    "an empty text": says(""),
    "JSON that is nested too deeply": says("[" * 100_000),
    "no completion": lambda handler, body: endpoint.send(handler, 200, b'{"object": "list", "data": []}'),
    "no JSON at all": lambda handler, body: endpoint.send(handler, 200, b"<html>login</html>"),
    "items without a quote": says(json.dumps({"items": [{"message": 0, "content": "Ana", "kind": "fact"}]})),
    "items that quote what nobody said": notes(note(0, "I prefer water")),
}
BROKEN = {
    "a server error": fails(500),
    "a gateway error": fails(503),
    "too many requests": fails(429),
    "too many requests for an hour": fails(429, Retry_After="3600"),
    "a key that is not accepted": fails(401),
    "a model that is not there": fails(404),
    "a refusal in every way": fails(400),
    "a hanging request": endpoint.hangs,
    "a header that trickles": endpoint.trickles,
    "a body that drips": endpoint.drips,
    "a closed connection": endpoint.drops,
    "a connection closed in the middle": endpoint.halves,
    "a flood": endpoint.floods,
    "a redirection": endpoint.redirects_to("http://127.0.0.1:9/v1/chat/completions"),
}


@pytest.mark.parametrize("step", [*GARBAGE.values(), *BROKEN.values()], ids=[*GARBAGE, *BROKEN])
def test_the_rules_do_what_the_model_cannot(step: Step, caplog: pytest.LogCaptureFixture) -> None:
    with serving(step) as served, memory_with(served.url) as memory, caplog.at_level(logging.DEBUG, "truekeep"):
        done = memory.extract(SAID, session="s")

    [kept] = done.remembered
    assert done.report is not None
    assert (kept.item.content, kept.item.source.message) == ("I prefer tea over coffee.", "m1")
    assert done.report.fallback
    assert done.report.calls >= 1
    for told in (done.report.fallback, caplog.text):
        assert SECRET not in told
        assert "tea" not in told


@pytest.mark.parametrize("step", [*GARBAGE.values(), *BROKEN.values()], ids=[*GARBAGE, *BROKEN])
def test_a_job_is_done_by_the_rules_says_so_and_keeps_its_transcript(step: Step, tmp_path: Path) -> None:
    with serving(step) as served, memory_with(served.url) as memory:
        job = memory.extract(SAID, session="s", wait=False).job
        assert job is not None
        memory.flush()
        done = memory.job(job.id)

    assert done.state == "done"
    assert done.error == done.result["report"]["fallback"]  # type: ignore[index, call-overload]
    assert len(done.result["remembered"]) == 1  # type: ignore[arg-type]
    assert done.payload["messages"][0]["content"] == SAID[0]["content"]  # type: ignore[index, call-overload]
    assert done.payload["session"] == "s"


def test_a_kept_transcript_can_be_read_again_and_adds_only_what_was_missed() -> None:
    said = [*SAID, {"role": "user", "name": "Ana", "content": "The gate code of the depot changed in May.", "id": "m2"}]
    both = notes(
        note(0, "I prefer tea over coffee", "Ana prefers tea over coffee", "preference"),
        note(1, "gate code of the depot changed in May", "The gate code of the depot changed in May"),
    )

    with serving(says("no"), both) as served, memory_with(served.url) as memory:
        job = memory.extract(said, session="s", wait=False).job
        assert job is not None
        memory.flush()
        before = {item.content for item in memory.items()}
        kept = memory.job(job.id).payload
        again = memory.extract(kept["messages"], session="s")  # type: ignore[arg-type]
        after = {item.content for item in memory.items()}

    assert again.report is not None
    assert again.report.fallback is None
    assert "I prefer tea over coffee." in before
    assert after - before <= {"The gate code of the depot changed in May"}
    assert sum("tea" in content for content in after) == 1


def test_what_a_forgotten_item_said_leaves_the_kept_transcript() -> None:
    with serving(says("no")) as served, memory_with(served.url) as memory:
        job = memory.extract(SAID, session="s", wait=False).job
        assert job is not None
        memory.flush()
        [item] = memory.items()

        memory.forget(item.id)

        assert memory.job(job.id).payload == {}


@pytest.mark.parametrize("passing", [fails(500), fails(429, Retry_After="0"), endpoint.drops, endpoint.halves])
def test_a_failure_that_passes_is_tried_again(passing: Step) -> None:
    with (
        serving(passing, GOOD) as served,
        memory_with(served.url, timeout=timedelta(seconds=5), limit=timedelta(seconds=10)) as memory,
    ):
        done = memory.extract(SAID)

    assert done.report is not None
    assert (done.report.calls, done.report.fallback) == (2, None)
    assert [one.item.content for one in done.remembered] == ["Ana prefers tea over coffee"]


def test_a_hanging_request_is_given_up_in_time_for_another() -> None:
    with serving(endpoint.hangs, GOOD) as served:
        patient = memory_with(served.url, timeout=timedelta(seconds=0.3), limit=timedelta(seconds=30))
        with patient as memory:
            done = memory.extract(SAID)

    assert done.report is not None
    assert (done.report.calls, done.report.fallback) == (2, None)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_failure_that_does_not_pass_is_not_tried_again(status: int) -> None:
    with serving(fails(status), GOOD) as served, memory_with(served.url) as memory:
        done = memory.extract(SAID)

    assert done.report is not None
    assert (done.report.calls, done.report.fallback) == (1, f"the endpoint answered with status {status}")


def test_retries_are_bounded() -> None:
    generous = {"timeout": timedelta(seconds=5), "limit": timedelta(seconds=60)}

    with serving(fails(500)) as served, memory_with(served.url, retries=1, **generous) as memory:
        done = memory.extract(SAID)

    assert done.report is not None
    assert done.report.calls == len(served.asked) == 2


def test_a_pause_that_would_take_too_long_is_not_waited_for() -> None:
    generous = {"timeout": timedelta(seconds=5), "limit": timedelta(seconds=60)}

    with serving(fails(429, Retry_After="120"), GOOD) as served, memory_with(served.url, **generous) as memory:
        done = memory.extract(SAID)

    assert done.report is not None
    assert (done.report.calls, done.report.fallback) == (1, "the endpoint answered with status 429")


def test_an_endpoint_out_of_order_is_left_alone_for_a_while() -> None:
    with serving(fails(401), GOOD) as served, memory_with(served.url) as memory:
        memory.extract(SAID)

        done = memory.extract(["I prefer trains over planes."])

    assert done.report is not None
    assert (done.report.calls, done.report.fallback) == (0, "the endpoint rests after a failure")
    assert len(done.remembered) == 1
    assert len(served.asked) == 1


def test_nobody_at_the_address_is_a_failure_like_any_other() -> None:
    with memory_with("http://127.0.0.1:9/v1", retries=0) as memory:
        done = memory.extract(SAID)

    assert done.report is not None
    assert done.report.fallback == "the endpoint is out of reach"
    assert len(done.remembered) == 1


def test_surroundings_that_make_no_sense_are_a_failure_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://")

    with serving(GOOD) as served, memory_with(served.url) as memory:
        done = memory.extract(SAID)

    assert done.report is not None
    assert str(done.report.fallback).startswith("the client could not be made")
    assert len(done.remembered) == 1


@pytest.mark.parametrize(
    ("refused", "formats"),
    [
        (("json_schema",), ["json_schema", "json_object", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", None, None]),
    ],
)
def test_an_endpoint_without_schemas_is_told_the_schema_in_words(
    refused: tuple[str, ...], formats: list[str | None]
) -> None:
    with serving(refuses(*refused)(GOOD)) as served, memory_with(served.url) as memory:
        first = memory.extract(SAID)
        second = memory.extract(SAID)

    assert first.report is not None
    assert second.report is not None
    assert (first.report.fallback, second.report.calls) == (None, 1)
    assert served.formats == formats
    strict, last = served.asked[0], served.asked[-1]
    assert strict["response_format"]["json_schema"]["strict"] is True
    assert '"additionalProperties"' not in strict["messages"][0]["content"]
    assert '"additionalProperties"' in last["messages"][0]["content"]


def test_json_in_a_code_fence_is_read_where_nothing_else_was_promised() -> None:
    fenced = says('```json\n{"items": [' + json.dumps(note(0, "I prefer tea over coffee")) + "]}\n```")

    with serving(refuses("json_schema", "json_object")(fenced)) as served, memory_with(served.url) as memory:
        done = memory.extract(SAID)

    assert done.report is not None
    assert done.report.fallback is None
    assert len(done.remembered) == 1
