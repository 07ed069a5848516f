"""Memstore's wire: every promise of its article that can be seen over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.served import OPERATOR, Served, detail, serving

PEOPLE = (
    "Alice drinks espresso every morning",
    "Bob commutes by bicycle in all weather",
    "The deployment failed because the certificate had expired",
    "Carol's daughter starts school in September",
    "The customer asked to be invoiced quarterly",
)


def remember(caller: httpx.Client, content: str, **more: Any) -> dict[str, Any]:
    answer = caller.post("/v1/memory/remember", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    kept: dict[str, Any] = answer.json()
    return kept


def recall(caller: httpx.Client, q: str, **more: Any) -> dict[str, Any]:
    answer = caller.get("/v1/memory/recall", params={"q": q, **more})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def contents(found: dict[str, Any]) -> list[str]:
    return [memory["content"] for memory in found["memories"]]


def listed(caller: httpx.Client, **params: Any) -> dict[str, Any]:
    answer = caller.get("/v1/memory/list", params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def tools(caller: httpx.Client) -> tuple[Callable[..., str], Callable[..., str]]:
    """The two functions of the article: what a model calls, and the strings that it reads."""

    def tool_remember(content: str, tags: list[str] | None = None) -> str:
        kept = remember(caller, content, **({"tags": tags} if tags else {}))
        return f"Memory stored (id: {kept['id']})"

    def tool_recall(query: str, limit: int = 5) -> str:
        found = contents(recall(caller, query, limit=limit))
        return "\n".join(f"- {one}" for one in found) or "No relevant memories found."

    return tool_remember, tool_recall


def test_a_memory_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR) as first, first.caller() as caller:
        kept = remember(caller, "Alice prefers dark mode")

    with serving(tmp_path, admin_key=OPERATOR) as second, second.caller() as caller:
        found = recall(caller, "dark mode")

    assert [memory["id"] for memory in found["memories"]] == [kept["id"]]


def test_the_answers_have_the_fields_of_the_vendors(served: Served, ana: httpx.Client) -> None:
    kept = remember(
        ana, "Alice prefers dark mode", session="s1", metadata={"from": "chat", "n": 1}, tags=["user:alice"]
    )

    found = recall(ana, "dark mode")

    assert kept == {
        "id": kept["id"],
        "content": "Alice prefers dark mode",
        "session": "s1",
        "metadata": {"from": "chat", "n": 1},
        "tags": ["user:alice"],
        "created_at": served.clock().isoformat(),
    }
    match = found["memories"][0]
    assert match == {**kept, "score": match["score"], "similarity": match["similarity"]}
    assert 0 < match["score"] <= 1
    assert (found["count"], found["query"]) == (1, "dark mode")


def test_two_tools_that_return_strings_remember_and_recall(ana: httpx.Client) -> None:
    tool_remember, tool_recall = tools(ana)

    nothing = tool_recall("favourite colour")
    stored = tool_remember("The favourite colour of Alice is green", tags=["user:alice"])
    found = tool_recall("favourite colour")

    assert nothing == "No relevant memories found."
    assert stored == f"Memory stored (id: {listed(ana)['memories'][0]['id']})"
    assert found == "- The favourite colour of Alice is green"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is her favourite hot beverage?", PEOPLE[0]),
        ("How does he travel to the office?", PEOPLE[1]),
        ("Why did the release break?", PEOPLE[2]),
        ("Which kid begins first grade this autumn?", PEOPLE[3]),
        ("How often do we send them a bill?", PEOPLE[4]),
    ],
)
def test_other_words_find_the_most_similar_memory_first(meaningful: Served, question: str, expected: str) -> None:
    with meaningful.caller() as caller:
        for content in PEOPLE:
            remember(caller, content, session="people")  # said again, it is the same memory
        found = recall(caller, question, session="people")

    assert contents(found)[0] == expected
    scores = [memory["score"] for memory in found["memories"]]
    assert scores == sorted(scores, reverse=True)


def test_a_new_session_is_primed_with_what_is_known_about_its_user(meaningful: Served) -> None:
    facts = {
        "alice": "The user alice prefers answers in French",
        "bob": "The user bob is allergic to nuts",
        "carol": "The user carol works night shifts",
    }
    with meaningful.caller() as caller:
        for name, fact in facts.items():
            remember(caller, fact, session="users", tags=[f"user:{name}"])

        for name, fact in facts.items():
            found = recall(caller, f"context for user {name}: what should I have for dinner?", session="users", limit=1)
            assert contents(found) == [fact]


def test_a_long_message_may_be_a_question(ana: httpx.Client) -> None:
    remember(ana, "Alice prefers dark mode")

    found = recall(ana, "context for user alice: " + "dark mode or light mode? " * 2_000)

    assert contents(found) == ["Alice prefers dark mode"]


@pytest.mark.parametrize("count", ["limit", "top_k"])
def test_limit_and_top_k_are_one_and_give_the_exact_count(ana: httpx.Client, count: str) -> None:
    for number in range(12):
        remember(ana, f"note {number} about the project")

    assert [recall(ana, "project note", **{count: many})["count"] for many in (1, 7, 12, 1000)] == [1, 7, 12, 12]
    assert recall(ana, "project note")["count"] == 5
    assert recall(ana, "project note", limit=2, top_k=9)["count"] == 2


@pytest.mark.parametrize("tags", [["user:alice", "preference"], "user:alice,preference", " user:alice , ,preference"])
def test_only_what_has_all_the_tags_comes_back(ana: httpx.Client, tags: str | list[str]) -> None:
    remember(ana, "Alice prefers tea", tags=["user:alice", "preference"])
    remember(ana, "Alice bought tea", tags=["user:alice", "event"])
    remember(ana, "Bob prefers tea", tags=["user:bob", "preference"])
    remember(ana, "Somebody prefers tea")

    assert contents(recall(ana, "who prefers tea?", tags=tags, limit=10)) == ["Alice prefers tea"]
    assert recall(ana, "who prefers tea?", limit=10)["count"] == 4


def test_a_session_is_a_filter(ana: httpx.Client) -> None:
    remember(ana, "the budget is ten", session="monday")
    remember(ana, "the budget is twelve", session="tuesday")

    assert contents(recall(ana, "budget", session="tuesday")) == ["the budget is twelve"]


def test_a_threshold_is_about_similarity_and_nothing_is_cut_off_without_one(ana: httpx.Client) -> None:
    remember(ana, "green tea with honey")
    remember(ana, "an invoice from the plumber")

    everything = recall(ana, "green tea with honey")
    similar = recall(ana, "green tea with honey", threshold=0.9)

    assert everything["count"] == 2
    assert contents(similar) == ["green tea with honey"]
    assert similar["memories"][0]["similarity"] >= 0.9


def test_a_ttl_in_seconds_ends_a_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.caller(None) as caller:
        remember(caller, "the door code is on the fridge", ttl=3600)
        remember(caller, "the door is blue")

        served.clock.advance(timedelta(minutes=59))
        before = recall(caller, "door")["count"]
        served.clock.advance(timedelta(minutes=2))
        after = contents(recall(caller, "door"))

        assert before == 2
        assert after == ["the door is blue"]
        assert listed(caller)["total"] == 1


def test_without_a_ttl_a_memory_stays(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.caller(None) as caller:
        remember(caller, "the door is blue")
        served.clock.advance(timedelta(days=3650))

        assert contents(recall(caller, "door")) == ["the door is blue"]


def test_several_agents_with_one_key_share_one_memory(served: Served) -> None:
    key = served.new_key()["key"]
    with served.caller(key) as researcher, served.caller(key) as writer:
        remember(researcher, "The study found that naps improve recall")

        found = recall(writer, "what did the study find?")

    assert contents(found) == ["The study found that naps improve recall"]


def test_many_clients_write_and_read_at_once(served: Served) -> None:
    key = served.new_key()["key"]

    def work(number: int) -> list[str]:
        with served.caller(key) as caller:
            remember(caller, f"machine{number} runs job{number}")
            return contents(recall(caller, f"machine{number}", limit=1))

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(work, range(24)))

    assert found == [[f"machine{number} runs job{number}"] for number in range(24)]


def test_two_keys_share_nothing(served: Served) -> None:
    with served.tenant() as ana, served.tenant() as bo:
        mine = remember(ana, "Ana's secret project is Heron")

        assert recall(bo, "secret project Heron")["memories"] == []
        assert listed(bo) == {"memories": [], "total": 0}
        assert bo.delete(f"/v1/memory/forget/{mine['id']}").status_code == 404
        assert listed(ana)["total"] == 1


def test_an_api_key_is_needed(served: Served) -> None:
    with served.caller(None) as nobody, served.caller("tk_wrong") as stranger:
        for caller in (nobody, stranger):
            for answer in (
                caller.post("/v1/memory/remember", json={"content": "x"}),
                caller.get("/v1/memory/recall", params={"q": "x"}),
                caller.get("/v1/memory/list"),
                caller.delete("/v1/memory/forget/x"),
            ):
                problem = detail(answer, 401)
                assert problem["error"] == "unauthorized"
                assert problem["message"] == problem["detail"]


def test_after_the_operations_of_a_month_come_refusals_and_the_next_month_has_room(tmp_path: Path) -> None:
    with serving(tmp_path, quotas={"operations_per_month": 4}) as served, served.caller(None) as caller:
        for number in range(2):
            remember(caller, f"note {number}")
            recall(caller, "note")
        refused = caller.post("/v1/memory/remember", json={"content": "one too many"})
        problem = detail(refused, 429)
        served.clock.advance(timedelta(days=31))
        remember(caller, "next month")

        assert problem["error"] == "ops_limit_reached"
        assert problem["message"] == problem["detail"]
        assert int(refused.headers["retry-after"]) > 0
        assert "one too many" not in contents(listed(caller))


def test_a_listing_is_newest_first_and_tells_the_total(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.caller(None) as caller:
        for number in range(25):
            remember(caller, f"note {number}", session="even" if number % 2 == 0 else "odd")
            served.clock.advance(timedelta(seconds=1))

        first, rest = listed(caller), listed(caller, offset=20)
        even = listed(caller, session="even", limit=3)

        assert contents(first) == [f"note {number}" for number in range(24, 4, -1)]
        assert contents(rest) == [f"note {number}" for number in range(4, -1, -1)]
        assert first["total"] == rest["total"] == 25
        assert (contents(even), even["total"]) == (["note 24", "note 22", "note 20"], 13)


def test_what_is_forgotten_is_gone_and_is_not_there_twice(ana: httpx.Client) -> None:
    kept = remember(ana, "The old address is Elm Street 4")

    gone = ana.delete(f"/v1/memory/forget/{kept['id']}")
    again = ana.delete(f"/v1/memory/forget/{kept['id']}")

    assert gone.json() == {"deleted": True, "id": kept["id"]}
    assert recall(ana, "old address")["memories"] == []
    assert detail(again, 404)["error"] == "not_found"


def test_fields_that_we_do_not_know_are_ignored(ana: httpx.Client) -> None:
    kept = remember(ana, "hello", agent_id="a1", importance=0.7, tags=None, session=None, metadata=None, ttl=None)

    assert (kept["session"], kept["metadata"], kept["tags"]) == (None, {}, [])
    assert recall(ana, "hello", verbose="yes")["count"] == 1


def test_a_retry_with_the_same_idempotency_key_makes_no_second_memory(ana: httpx.Client) -> None:
    def send(content: str) -> httpx.Response:
        headers = {"Idempotency-Key": "once"}
        return ana.post("/v1/memory/remember", json={"content": content, "session": "s"}, headers=headers)

    assert send("hello").json() == send("hello").json()
    assert listed(ana)["total"] == 1
    assert detail(send("something else"), 409)["error"] == "conflict"


def test_it_is_the_space_default_of_the_native_api(ana: httpx.Client) -> None:
    kept = remember(ana, "Alice prefers dark mode")

    native = ana.get(f"/v1/spaces/default/memories/{kept['id']}")

    assert native.json()["content"] == "Alice prefers dark mode"


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ({}, "content"),
        ({"content": ""}, "content"),
        ({"content": 5}, "content"),
        ({"content": "x" * 100_000}, "content"),
        ({"content": "x", "tags": "user:alice"}, "tags"),
        ({"content": "x", "tags": [1]}, "tags.0"),
        ({"content": "x", "ttl": 0}, "ttl"),
        ({"content": "x", "ttl": "60"}, "ttl"),
        ({"content": "x", "metadata": []}, "metadata"),
        ({"content": "x", "session": " "}, "session"),
    ],
)
def test_a_wrong_argument_is_named_where_this_wire_looks_for_it(
    ana: httpx.Client, body: dict[str, Any], argument: str
) -> None:
    problem = detail(ana.post("/v1/memory/remember", json=body), 422)

    assert problem["argument"] == argument
    assert problem["error"] == "invalid_input"
    assert problem["message"] == problem["detail"]
    assert listed(ana)["total"] == 0


@pytest.mark.parametrize(
    ("params", "argument"),
    [
        ({}, "q"),
        ({"q": " "}, "q"),
        ({"q": "x", "limit": 0}, "limit"),
        ({"q": "x", "top_k": 100_000}, "top_k"),
        ({"q": "x", "limit": "many"}, "limit"),
        ({"q": "x", "threshold": 2}, "threshold"),
        ({"q": "x", "threshold": "nan"}, "threshold"),
        ({"q": "x", "tags": "t" * 200}, "tags"),
        ({"q": "x", "session": ""}, "session"),
    ],
)
def test_a_wrong_parameter_is_named_as_the_caller_knows_it(
    ana: httpx.Client, params: dict[str, Any], argument: str
) -> None:
    problem = detail(ana.get("/v1/memory/recall", params=params), 422)

    assert problem["argument"] == argument
    assert problem["message"] == problem["detail"]


def test_a_body_that_is_no_json_is_refused_in_the_same_shape(ana: httpx.Client) -> None:
    for body in (b"", b"{", b'{"content": NaN}', b'{"content": "\\ud800"}', b"[" * 100_000):
        answer = ana.post("/v1/memory/remember", content=body, headers={"Content-Type": "application/json"})

        assert answer.status_code in (400, 422), answer.text
        assert json.loads(answer.text)["message"] == answer.json()["detail"]
