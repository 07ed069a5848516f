"""Recalling, packing a context, explaining and extracting over HTTP."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import httpx
import pytest

from .served import Served, at, detail

TALK = "Ana: I prefer tea over coffee.\nBo: Noted.\nAna: We decided to use PostgreSQL."


def finished(caller: httpx.Client, id: str) -> dict[str, Any]:
    """The job when it is over."""
    for _ in range(3000):
        answer = caller.get(f"/v1/jobs/{id}")
        assert answer.status_code == 200, answer.text
        job: dict[str, Any] = answer.json()
        if job["state"] in ("done", "failed"):
            return job
        time.sleep(0.02)
    raise AssertionError("the job did not end")


def test_a_recall_finds_the_best_first_with_its_reasons(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=["Ana likes green tea", "The sky is blue", "Bo plays chess"])

    found = ana.post(at("bot", "recall"), json={"query": "what tea does Ana like?", "limit": 2})

    assert found.status_code == 200
    answer = found.json()
    assert answer.keys() == {"matches", "lessons", "answerable", "pending", "degraded", "text"}
    best = answer["matches"][0]
    assert best["content"] == "Ana likes green tea"
    assert best["why"]
    parts = 0.6 * best["similarity"] + 0.2 * best["recency"] + 0.2 * best["frequency"]
    assert best["confidence"] == pytest.approx(parts)
    assert answer["text"].startswith("- Ana likes green tea")
    assert len(answer["matches"]) <= 2


def test_whether_anything_answers_is_left_out_on_demand_and_told_alone(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=["Ana likes green tea", "The sky is blue"])
    question = {"query": "what tea does Ana like?"}

    whole = ana.post(at("bot", "recall"), json=question).json()
    part = ana.post(at("bot", "recall"), json={**question, "answerable": False}).json()
    alone = ana.post(at("bot", "answerable"), json=question).json()

    assert part.keys() == whole.keys() - {"answerable"}
    assert alone == {"answerable": pytest.approx(whole["answerable"], abs=0.001)}
    assert alone["answerable"] > 0
    nothing = {**question, "kinds": ["decision"]}
    assert ana.post(at("bot", "recall"), json={**nothing, "answerable": False}).json()["answerable"] == 0
    assert ana.post(at("bot", "answerable"), json=nothing).json() == {"answerable": 0}
    detail(ana.post(at("bot", "answerable"), json={"query": ""}), 422)


def test_every_filter_is_understood(ana: httpx.Client) -> None:
    ana.post(
        at("bot", "memories"),
        json=[
            {"content": "Ana likes tea", "kind": "preference", "tags": ["drink"], "session": "s", "speaker": "Ana"},
            {"content": "Bo likes tea", "source": "crawler", "when": "2020-01-01T00:00:00Z"},
        ],
    )
    filters: list[tuple[dict[str, Any], list[str]]] = [
        ({"kinds": ["preference"]}, ["Ana likes tea"]),
        ({"kinds": ["-preference"]}, ["Bo likes tea"]),
        ({"tags": ["drink"]}, ["Ana likes tea"]),
        ({"session": "s"}, ["Ana likes tea"]),
        ({"speaker": "Ana"}, ["Ana likes tea"]),
        ({"source": "crawler"}, ["Bo likes tea"]),
        ({"since": "2021-01-01T00:00:00Z"}, ["Ana likes tea"]),
        ({"until": "2021-01-01T00:00:00Z"}, ["Bo likes tea"]),
        ({"before": "2021-01-01T00:00:00Z"}, []),
        ({"as_of": "2021-01-01T00:00:00Z"}, ["Bo likes tea"]),
        ({"min_trust": "user"}, ["Ana likes tea"]),
        ({"min_similarity": 1}, []),
        ({"include_superseded": True, "order": "newest"}, ["Ana likes tea", "Bo likes tea"]),
    ]

    for given, expected in filters:
        answer = ana.post(at("bot", "recall"), json={"query": "who likes tea?", **given})
        assert answer.status_code == 200, answer.text
        assert sorted(match["content"] for match in answer.json()["matches"]) == expected, given


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n"}, "query"),
        ({"query": "x" * 70_000}, "query"),
        ({"query": 5}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 10**9}, "limit"),
        ({"query": "x", "limit": "5"}, "limit"),
        ({"query": "x", "limit": 5.5}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "min_similarity": 2}, "min_similarity"),
        ({"query": "x", "order": "worst"}, "order"),
        ({"query": "x", "top_k": 5}, "top_k"),
        ({"query": "x", "kinds": "fact"}, "kinds"),
        ({"query": "x", "tags": [""]}, "tags"),
        ({"query": "x", "since": 1700000000}, "since"),
        ({"query": "x", "since": "1700000000"}, "since"),
        ({"query": "x", "since": "0001-01-01T00:00:00+14:00"}, "since"),
        ({"query": "x", "since": "2026-13-01T00:00:00Z"}, "since"),
    ],
    ids=lambda given: str(given)[:50],
)
def test_a_wrong_argument_is_named(ana: httpx.Client, body: dict[str, Any], argument: str) -> None:
    problem = detail(ana.post(at("bot", "recall"), json=body), 422)

    assert problem["argument"].partition(".")[0] == argument
    assert problem["problem"]


def test_a_context_holds_its_budget(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=[f"Ana likes tea number {number}" for number in range(50)])

    small = ana.post(at("bot", "context"), json={"query": "tea", "max_tokens": 150, "limit": 50}).json()
    large = ana.post(at("bot", "context"), json={"query": "tea", "max_tokens": 2000, "limit": 50}).json()

    assert 0 < small["tokens"] <= 150 < large["tokens"] <= 2000
    assert "Ana likes tea" in small["context"]


def test_a_context_of_nothing_is_empty(ana: httpx.Client) -> None:
    assert ana.post(at("bot", "context"), json={"query": "tea"}).json() == {"context": "", "tokens": 0}


def test_a_client_may_have_what_a_context_is_packed_from(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=["Ana likes tea"])

    material = ana.post(at("bot", "context"), json={"query": "tea", "material": True}).json()["material"]

    assert [entry["item"]["content"] for entry in material["entries"]] == ["Ana likes tea"]
    assert material["query"] == "tea"


def test_an_explanation_tells_why_and_why_not(ana: httpx.Client) -> None:
    kept = ana.post(at("bot", "memories"), json=["Ana likes tea", "The sky is blue"]).json()["remembered"]

    of_all = ana.post(at("bot", "explain"), json={"query": "tea"}).json()["explanations"]
    of_one = ana.post(at("bot", "explain"), json={"query": "tea", "id": kept[1]["id"], "limit": 1}).json()

    assert of_all[0]["id"] == kept[0]["id"]
    assert of_all[0]["arms"]
    assert [one["id"] for one in of_one["explanations"]] == [kept[1]["id"]]
    detail(ana.post(at("bot", "explain"), json={"query": "tea", "id": "nobody"}), 404)


def test_an_extraction_is_a_job_that_can_be_followed(ana: httpx.Client) -> None:
    begun = ana.post(at("bot", "extract"), json={"messages": TALK, "session": "monday"})

    assert begun.status_code == 202
    assert begun.json()["remembered"] == []
    assert "PostgreSQL" not in begun.text  # the transcript stays inside
    job = finished(ana, begun.json()["job"]["id"])
    assert job["state"] == "done"
    assert job["space"] == "bot"
    ids = [one["id"] for one in job["result"]["remembered"]]
    assert ids
    assert ana.get(at("bot", "memories", ids[0])).json()["source"]["session"] == "monday"


def test_an_extraction_can_be_waited_for(ana: httpx.Client) -> None:
    messages = [{"role": "user", "content": "I prefer tea over coffee.", "name": "Ana", "tool_calls": []}, "Noted."]

    done = ana.post(at("bot", "extract"), params={"wait": "true"}, json={"messages": messages})

    assert done.status_code == 200
    assert done.json()["job"] is None
    assert [one["item"]["content"] for one in done.json()["remembered"]]


def test_a_retried_extraction_is_the_same_job(ana: httpx.Client) -> None:
    body, headers = {"messages": TALK}, {"Idempotency-Key": "once"}
    first = ana.post(at("bot", "extract"), json=body, headers=headers).json()["job"]["id"]

    again = ana.post(at("bot", "extract"), json=body, headers=headers).json()["job"]["id"]

    assert again == first


def test_parts_that_are_no_text_are_passed_over(ana: httpx.Client) -> None:
    parts = [{"type": "text", "text": "I prefer tea."}, {"type": "image_url", "image_url": {"url": "x"}}, "Yes."]

    done = ana.post(
        at("bot", "extract"), params={"wait": "true"}, json={"messages": [{"role": "user", "content": parts}]}
    )

    assert done.status_code == 200
    detail(ana.post(at("bot", "extract"), json={"messages": [{"content": [{"type": ["text"]}]}]}), 422)
    detail(ana.post(at("bot", "extract"), json={"messages": [{"content": 5}]}), 422)


def test_the_latest_jobs_are_listed_latest_first(ana: httpx.Client) -> None:
    begun = [ana.post(at("bot", "extract"), json={"messages": f"Ana: I prefer tea {n}."}).json() for n in range(3)]

    listed = ana.get("/v1/jobs", params={"limit": 2}).json()["jobs"]

    assert [job["space"] for job in listed] == ["bot", "bot"]
    assert {job["id"] for job in listed} < {one["job"]["id"] for one in begun}
    assert listed[0]["updated"] >= listed[1]["updated"]
    detail(ana.get("/v1/jobs", params={"limit": 0}), 422)


def test_a_job_that_is_not_there_is_not_found(ana: httpx.Client) -> None:
    detail(ana.get("/v1/jobs/nobody"), 404)


def test_age_lowers_the_confidence(served: Served, ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=["Ana likes tea"])
    young = ana.post(at("bot", "recall"), json={"query": "tea"}).json()["matches"][0]

    served.clock.advance(timedelta(days=30))

    old = ana.post(at("bot", "recall"), json={"query": "tea"}).json()["matches"][0]
    assert old["recency"] == pytest.approx(0.5)
    assert old["recency"] < young["recency"]
