"""0Latency's wire, driven with its published package: every promise of its article that can be seen over HTTP."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.served import OPERATOR, Served, detail, serving
from truekeep.engine.tokens import estimate
from truekeep.model import Draft, Message

HERE = Path(__file__).parent
PYTHON = HERE.parents[2] / ".venv-clients" / "bin" / "python"
CONVERSATION = "\n".join(
    (
        "Coder: We decided to use FastAPI because of async support.",
        "Reviewer: We tried Flask sessions and they failed under load.",
        "Planner: Thanks, both of you!",
    )
)


@pytest.fixture
def anyone(keyless: Served) -> Iterator[httpx.Client]:
    """On a server whose clock the test moves: `keyless.clock`."""
    with keyless.caller(None) as caller:
        yield caller


def published(what: str, url: str, key: str) -> dict[str, Any]:
    """What the published package got, in its own environment."""
    assert PYTHON.exists(), "the published client is not installed: make test, or make .venv-clients/.ready"
    command = [str(PYTHON), str(HERE / "zerolatency_client.py"), what, url, key]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    got: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return got


def add(caller: httpx.Client, content: str, **more: Any) -> dict[str, Any]:
    answer = caller.post("/memories/seed", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    kept: dict[str, Any] = answer.json()
    return kept


def recall(caller: httpx.Client, query: str, **more: Any) -> dict[str, Any]:
    answer = caller.post("/v1/recall", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def contents(found: dict[str, Any]) -> list[str]:
    return [memory["content"] for memory in found["memories"]]


def finished(caller: httpx.Client, job: str) -> dict[str, Any]:
    """The job once it has come to an end."""
    deadline = time.monotonic() + 30
    while True:
        state: dict[str, Any] = caller.get(f"/memories/extract/{job}").json()
        if state["status"] in ("complete", "failed") or time.monotonic() > deadline:
            return state
        time.sleep(0.02)


# Its package, call by call.


def test_every_call_of_the_published_client_works(served: Served) -> None:
    got = published("calls", served.url, served.new_key(quotas={"recalls_per_month": 20})["key"])

    assert got["health"]["status"] == "ok"
    assert (got["added"]["agent_id"], got["added"]["memories_stored"]) == ("default", 1)
    assert got["added for an agent"]["memories"][0]["metadata"] == {"origin": "retro"}
    assert contents(got["recalled"]) == ["User prefers dark mode"]
    assert contents(got["recalled for an agent"]) == ["The team deploys on Fridays"]
    assert got["extracting"]["status"] in ("accepted", "processing", "complete")
    assert (got["extracted"]["status"], got["extracted"]["memories_stored"]) == ("complete", 1)
    assert "I prefer short stand-ups." in contents(got["recalled after"])
    assert got["missing"][0] == 404
    assert "no-such-job" in got["missing"][1]
    assert (got["limited"], got["refused"]) == (429, 401)


def test_the_wrappers_recall_before_the_model_is_asked_and_store_what_was_said(served: Served) -> None:
    key = served.new_key()["key"]
    with served.caller(key) as caller:
        for agent in ("openai", "anthropic", "gemini"):
            add(caller, f"We chose the gateway Envoy for {agent}", agent_id=agent)

        prompts = published("wrappers", served.url, key)

        for agent, prompt in prompts.items():
            assert f"We chose the gateway Envoy for {agent}" in prompt
            assert "Which gateway did we choose?" in prompt
            stored = contents(recall(caller, "which gateway", agent_id=agent, limit=10))
            assert "User said: Which gateway did we choose?" in stored
            assert "Assistant said: Noted: the gateway is Envoy." in stored


# The shapes that its client, its wrappers and its article send.


def test_both_recall_paths_take_both_bodies_and_give_both_shapes(ana: httpx.Client) -> None:
    add(ana, "The API is versioned by date", agent_id="dev")

    for path in ("/recall", "/v1/recall"):
        for body in (
            {"query": "API versions", "limit": 3},
            {"query": "API versions", "max_tokens": 500},
            {"conversation_context": "user: how are API versions named?", "budget_tokens": 500},
        ):
            answer = ana.post(path, json={"agent_id": "dev", **body})
            assert answer.status_code == 200
            found = answer.json()
            assert contents(found) == ["The API is versioned by date"]
            assert found["text"] == found["context_block"]
            assert "The API is versioned by date" in found["text"]
            assert found["memories_used"] == len(found["memory_ids"]) == 1
            assert found["tokens_used"] == estimate(found["text"])


def test_facts_are_kept_with_their_category_and_importance(ana: httpx.Client) -> None:
    facts = [
        {"text": "User said: hello there", "category": "conversation", "importance": 0.6},
        {"text": "Use spaces, not tabs", "category": "preference", "importance": 1},
        {"text": "An odd one", "category": "Not a slug!"},
        {"text": "A bare one"},
    ]

    kept = ana.post("/memories/seed", json={"agent_id": "dev", "facts": facts}).json()

    assert kept["memories_stored"] == 4
    assert [memory["category"] for memory in kept["memories"]] == ["interaction", "preference", "fact", "fact"]
    assert kept["memories"][0]["metadata"] == {"category": "conversation", "importance": 0.6}
    assert kept["memories"][2]["metadata"] == {"category": "Not a slug!"}


def test_extraction_takes_messages_and_transcripts_on_both_paths(ana: httpx.Client) -> None:
    messages = [{"role": "user", "content": "I prefer dark mode."}, {"role": "assistant", "content": "Sure."}]

    bodies: list[dict[str, Any]] = [{"conversation": messages}, {"content": "Ana: I prefer dark mode.\nBo: Sure."}]
    for number, body in enumerate(bodies):
        for path in ("/memories/extract", "/v1/extract"):
            agent = f"agent-{number}-{path.count('/')}{len(path)}"
            answer = ana.post(path, json={"agent_id": agent, **body})
            assert answer.status_code == 202
            assert finished(ana, answer.json()["job_id"])["status"] == "complete"
            assert contents(recall(ana, "dark mode", agent_id=agent)) == ["I prefer dark mode."]


def test_what_is_wrong_or_missing_is_named_in_the_words_of_this_wire(ana: httpx.Client) -> None:
    for path, body, argument in (
        ("/recall", {"limit": 3}, "query"),
        ("/recall", {"conversation_context": "  "}, "conversation_context"),
        ("/v1/recall", {"query": "x", "max_tokens": 0}, "max_tokens"),
        ("/memories/seed", {"agent_id": "a"}, "content"),
        ("/memories/seed", {"content": " "}, "content"),
        ("/memories/seed", {"facts": [{"text": "fine"}, {"text": " "}]}, "facts[1].text"),
        ("/memories/extract", {}, "conversation"),
        ("/v1/extract", {"content": "nul \x00"}, "content"),
        ("/v1/extract", {"content": "x", "agent_id": "\n"}, "agent_id"),
    ):
        assert detail(ana.post(path, json=body), 422)["argument"] == argument
    assert ana.get("/v1/spaces").json()["spaces"] == []


def test_a_retry_with_the_same_idempotency_key_stores_nothing_twice(ana: httpx.Client) -> None:
    headers = {"Idempotency-Key": "once"}

    first, again = (ana.post("/memories/seed", json={"content": CONVERSATION}, headers=headers).json() for _ in "12")

    assert first["memory_ids"] == again["memory_ids"]
    assert first["job_id"] == again["job_id"]


# The promises of the article.


def test_a_whole_conversation_is_added_at_once_and_read_in_the_background(ana: httpx.Client) -> None:
    kept = add(ana, CONVERSATION)

    job = finished(ana, kept["job_id"])

    assert kept["memories_stored"] == 3  # every turn is kept as it was said
    assert {memory["category"] for memory in kept["memories"]} == {"interaction"}
    assert [memory["speaker"] for memory in kept["memories"]] == ["Coder", "Reviewer", "Planner"]
    assert (job["status"], job["memories_stored"]) == ("complete", 2)
    found = {memory["category"]: memory["content"] for memory in recall(ana, "FastAPI Flask", limit=10)["memories"]}
    assert found["decision"] == "We decided to use FastAPI because of async support."
    assert found["lesson"] == "We tried Flask sessions and they failed under load."


def test_an_extraction_is_accepted_before_it_is_done(tmp_path: Path) -> None:
    with serving(tmp_path, background=True) as running, running.caller(None) as caller:
        long = "\n".join(f"Ana: I prefer colour number {number}." for number in range(2000))

        accepted = caller.post("/v1/extract", json={"content": long}).json()

        assert accepted["status"] == "accepted"
        assert accepted["memories_stored"] == 0
        assert finished(caller, accepted["job_id"])["memories_stored"] == 2000


def test_a_conversation_can_be_read_piece_by_piece(ana: httpx.Client) -> None:
    for number in range(3):
        lines = [f"Ana: message {number}-{line}" for line in range(9)] + [f"Bo: We decided on library{number}."]
        job = ana.post("/v1/extract", json={"agent_id": "long", "content": "\n".join(lines)}).json()["job_id"]
        assert finished(ana, job)["memories_stored"] == 1

    found = contents(recall(ana, "what did we decide on?", agent_id="long", limit=10))

    assert sorted(found) == [f"We decided on library{number}." for number in range(3)]


def test_two_endpoints_are_enough(ana: httpx.Client) -> None:
    body = {"agent_id": "dev-team-chat", "content": CONVERSATION}
    finished(ana, ana.post("/v1/extract", json=body).json()["job_id"])

    found = recall(ana, "API framework and architecture decisions", agent_id="dev-team-chat", max_tokens=2000)

    assert "FastAPI because of async support" in found["text"]


def test_small_talk_is_not_extracted(ana: httpx.Client) -> None:
    said = "User: Can you summarise this page?\nAssistant: Here you are.\nUser: Thank you!"

    job = finished(ana, ana.post("/v1/extract", json={"content": said}).json()["job_id"])

    assert (job["status"], job["memories_stored"]) == ("complete", 0)
    assert recall(ana, "thank you")["memories"] == []


def test_the_whole_group_shares_one_memory_and_a_newcomer_sees_all_of_it(served: Served) -> None:
    key = served.new_key()["key"]
    with served.caller(key) as coder, served.caller(key) as newcomer:
        add(coder, "Endpoints validate their input", agent_id="team")

        assert contents(recall(newcomer, "input validation", agent_id="team")) == ["Endpoints validate their input"]
        assert recall(newcomer, "input validation", agent_id="another team")["memories"] == []


def test_a_new_agent_knows_that_it_knows_nothing(ana: httpx.Client) -> None:
    found = recall(ana, "anything at all", agent_id="new")

    assert (found["memories"], found["avoid"], found["text"], found["answerable"]) == ([], [], "", 0)


def test_two_keys_with_the_same_agent_id_share_nothing(served: Served, ana: httpx.Client) -> None:
    job = add(ana, CONVERSATION, agent_id="same")["job_id"]
    finished(ana, job)

    with served.tenant() as other:
        assert recall(other, "FastAPI", agent_id="same")["memories"] == []
        assert other.get(f"/memories/extract/{job}").status_code == 404
        missing = other.get("/memories/extract/nothing").json()["detail"].replace("nothing", job)
        assert other.get(f"/memories/extract/{job}").json()["detail"] == missing


def test_what_failed_before_is_marked_as_to_be_avoided(ana: httpx.Client) -> None:
    add(ana, "We tried Redis for sessions and it failed under load")
    add(ana, "Sessions are kept in PostgreSQL")

    found = recall(ana, "where to keep sessions: Redis?")

    marked = {memory["content"]: memory["avoid"] for memory in found["memories"]}
    assert marked == {
        "We tried Redis for sessions and it failed under load": True,
        "Sessions are kept in PostgreSQL": False,
    }
    assert [memory["content"] for memory in found["avoid"]] == ["We tried Redis for sessions and it failed under load"]
    before, _, after = found["text"].partition("Avoid")
    assert "Redis" in after
    assert "PostgreSQL" in before


class Notes:
    """An extractor that an operator might choose: whatever begins with "Never" is a lesson to it."""

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        return [
            Draft(content=message.content, kind="lesson") for message in messages if message.content.startswith("Never")
        ]


def test_the_kind_of_a_statement_is_told_by_the_extractor_of_the_operator(tmp_path: Path) -> None:
    with serving(tmp_path, extractor=Notes()) as running, running.caller(None) as anyone:
        add(anyone, "Never deploy on a Friday.")
        add(anyone, "We tried Redis for sessions and it failed under load")

        found = recall(anyone, "what about a deploy, sessions and Redis?")

    kinds = {memory["content"]: memory["category"] for memory in found["memories"]}
    assert kinds == {
        "Never deploy on a Friday.": "lesson",
        "We tried Redis for sessions and it failed under load": "fact",
    }


def test_of_two_decisions_in_like_words_the_newest_comes_first_and_then_alone(
    anyone: httpx.Client, keyless: Served
) -> None:
    add(anyone, "We decided that the API framework is Flask")
    keyless.clock.advance(timedelta(days=400))
    add(anyone, "We decided that the API framework is FastAPI")

    at_once = contents(recall(anyone, "which API framework did we decide on?"))
    assert keyless.opened.flush(timedelta(seconds=30))
    judged = contents(recall(anyone, "which API framework did we decide on?"))

    assert at_once[0] == "We decided that the API framework is FastAPI"
    assert judged == at_once[:1]


def test_a_decision_that_was_superseded_is_gone_and_named_as_the_earlier_one(ana: httpx.Client) -> None:
    for framework in ("Flask", "FastAPI"):
        body = {"content": f"The framework is {framework}", "kind": "decision", "key": "framework"}
        assert ana.post("/v1/spaces/dev/memories", json=body).status_code == 201

    found = recall(ana, "which framework?", agent_id="dev")

    assert contents(found) == ["The framework is FastAPI"]
    assert "(earlier: The framework is Flask)" in found["text"]


def test_decisions_keep_their_reason_and_their_time(anyone: httpx.Client, keyless: Served) -> None:
    add(anyone, "We chose FastAPI over Flask because of async support")

    memory = recall(anyone, "why FastAPI?")["memories"][0]

    assert memory["content"] == "We chose FastAPI over Flask because of async support"
    assert memory["category"] == "decision"
    assert datetime.fromisoformat(memory["created_at"]) == keyless.clock()


def test_memories_fade_and_are_refreshed_when_they_are_said_again(anyone: httpx.Client, keyless: Served) -> None:
    add(anyone, "the build takes ten minutes")
    fresh = recall(anyone, "build")["memories"][0]
    keyless.clock.advance(timedelta(days=60))
    faded = recall(anyone, "build")["memories"][0]
    add(anyone, "the build takes ten minutes")

    again = recall(anyone, "build")["memories"]

    assert fresh["recency"] > 0.8
    assert faded["recency"] < 0.2
    assert len(again) == 1
    assert again[0]["recency"] == pytest.approx(fresh["recency"])


def test_what_is_needed_over_and_over_gains_confidence(ana: httpx.Client) -> None:
    add(ana, "reviews want tests")

    seen = [recall(ana, "reviews")["memories"][0] for _ in range(11)]

    assert [memory["frequency"] for memory in seen] == sorted(memory["frequency"] for memory in seen)
    assert (seen[0]["frequency"], seen[1]["frequency"] > 0, seen[-1]["frequency"]) == (0, True, pytest.approx(1))
    assert seen[-1]["confidence"] > seen[0]["confidence"] + 0.19


def test_the_text_stays_within_its_budget_and_uses_it(ana: httpx.Client) -> None:
    facts = [{"text": f"Decision {number}: module {number} has an owner and a deadline"} for number in range(300)]
    ana.post("/memories/seed", json={"facts": facts})

    for budget in (100, 500, 2000, 4000):
        for name in ("max_tokens", "budget_tokens"):
            found = recall(ana, "module owners", **{name: budget})
            longest = max(estimate(f"\n{line}") for line in found["text"].splitlines()[1:-1])
            assert budget - longest <= estimate(found["text"]) <= budget  # not one more would have fitted
            assert found["memories_used"] == len(found["memories"])
            assert all(content in found["text"] for content in contents(found))
    assert recall(ana, "module owners", max_tokens=5)["text"] == ""


def test_a_limit_is_exact_whatever_the_text_has_room_for(ana: httpx.Client) -> None:
    ana.post("/memories/seed", json={"facts": [{"text": f"module {number} is written"} for number in range(30)]})

    found = recall(ana, "module", limit=20, max_tokens=120)

    assert len(found["memories"]) == 20
    assert 0 < found["memories_used"] < 20


def test_memories_survive_a_new_deployment(tmp_path: Path) -> None:
    with serving(tmp_path) as running, running.caller(None) as caller:
        add(caller, "Containers are built by CI")

    with serving(tmp_path) as running, running.caller(None) as caller:
        assert contents(recall(caller, "containers")) == ["Containers are built by CI"]


def test_a_key_is_needed_where_keys_are_configured(served: Served) -> None:
    with served.caller(None) as nobody:
        for path in ("/recall", "/v1/recall"):
            detail(nobody.post(path, json={"query": "x"}), 401)
        for path in ("/memories/seed", "/memories/extract", "/v1/extract"):
            detail(nobody.post(path, json={"content": "x"}), 401)
        assert nobody.get("/health").json()["status"] == "ok"
    key = served.new_key()["key"]
    for headers in ({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}):
        assert httpx.post(f"{served.url}/recall", json={"query": "x"}, headers=headers).status_code == 200


def test_the_quotas_of_the_free_tier_can_be_set(served: Served) -> None:
    with served.tenant(quotas={"memories": 2, "recalls_per_month": 3}) as caller:
        for text in ("one", "two"):
            add(caller, text)

        refused = caller.post("/memories/seed", json={"content": "three"})

        assert "memories" in detail(refused, 429)["detail"]
        assert int(refused.headers["Retry-After"]) > 0
        for _ in range(3):
            recall(caller, "one")
        assert "recalls" in detail(caller.post("/recall", json={"query": "one"}), 429)["detail"]


def test_the_operator_has_the_space_that_memories_without_an_agent_are_in(served: Served, ana: httpx.Client) -> None:
    add(ana, "no agent was named")

    assert [space["name"] for space in ana.get("/v1/spaces").json()["spaces"]] == ["default"]
    with served.caller(OPERATOR) as operator:  # of another tenant
        assert "no agent was named" not in contents(recall(operator, "agent"))
