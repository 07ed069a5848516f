"""Kronvex's wire, driven with its published clients: every promise of its article that can be seen over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from kronvex import AuthenticationError, Kronvex, KronvexError, MemoryLimitError, RateLimitError  # type: ignore[import-untyped]
from kronvex.agent import Agent  # type: ignore[import-untyped]
from kronvex.async_client import AsyncKronvex  # type: ignore[import-untyped]
from kronvex.exceptions import AgentNotFoundError  # type: ignore[import-untyped]

from tests.server.served import OPERATOR, Served, detail, serving

TYPES = ("interaction", "preference", "decision", "fact", "context", "temporary")
DAY = timedelta(days=1)
NOTES = (  # the article's examples
    ("User prefers TypeScript over JavaScript", "preference"),
    ("Decided to use Railway for deployment instead of AWS ECS", "decision"),
    ("The main database has 3.2M users as of Q1 2026", "fact"),
    ("Always use British English spelling in documents", "preference"),
    ("Session 2026-03-22: completed database schema refactor", "context"),
    ("Currently processing batch job #4421, resume at row 8000", "temporary"),
)
PARAPHRASES = (  # three queries of the article, and others in other words; none was dropped for ranking badly
    ("writing style preferences technical documentation tone", "British"),
    ("architecture decisions technology stack constraints", "Railway"),
    ("task progress current state last completed step", "4421"),
    ("which programming language should I write this in?", "TypeScript"),
    ("which coding stack does the client like?", "TypeScript"),
    ("static typing or not?", "TypeScript"),
    ("where do we host the app?", "Railway"),
    ("which cloud provider do we run on?", "Railway"),
    ("how many people signed up?", "3.2M"),
    ("how large is our audience?", "3.2M"),
    ("what dialect to write text in", "British"),
    ("orthography of the manuals", "British"),
    ("colour or color?", "British"),
    ("what did we finish in March?", "refactor"),
    ("where did the import stop?", "4421"),
)


@pytest.fixture
def key(served: Served) -> str:
    """Of a tenant that is new for each test."""
    made: str = served.new_key()["key"]
    return made


@pytest.fixture
def kronvex(served: Served, key: str) -> Iterator[Kronvex]:
    with Kronvex(key, base_url=served.url) as client:
        yield client


@pytest.fixture
def agent(kronvex: Kronvex) -> Agent:
    return kronvex.agent("autogen-assistant-user123")


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Served]:
    """A server of the test's own; the client sends a key, whatever the server wants."""
    with serving(tmp_path, admin_key=OPERATOR) as running:
        yield running


@pytest.fixture
def aging(apart: Served) -> Iterator[Agent]:
    """An agent on a server whose clock the test moves: `apart.clock`."""
    with Kronvex(OPERATOR, base_url=apart.url) as client:
        yield client.agent("aging")


def contents(memories: list[dict[str, Any]]) -> list[str]:
    return [memory["content"] for memory in memories]


# Its client, call by call.


def test_remember_echoes_all_that_was_sent(agent: Agent) -> None:
    kept = agent.remember(
        "User prefers TypeScript",
        memory_type="preference",
        session_id="conv-42",
        ttl_days=7,
        pinned=False,
        metadata={"source": ["chat", 3]},
    )

    assert kept["id"]
    assert kept["agent_id"] == agent.id
    assert (kept["content"], kept["memory_type"], kept["session_id"]) == (
        "User prefers TypeScript",
        "preference",
        "conv-42",
    )
    assert kept["metadata"] == {"source": ["chat", 3]}
    assert (kept["pinned"], kept["deduplicated"], kept["superseded"]) == (False, False, [])


def test_what_is_said_twice_is_one_memory(agent: Agent) -> None:
    first = agent.remember("The office is in Lisbon")
    again = agent.remember("The office is in Lisbon")

    assert again["id"] == first["id"]
    assert again["deduplicated"] is True
    assert len(agent.memories()) == 1


def test_recall_takes_all_its_options(agent: Agent) -> None:
    agent.remember("Ana drinks tea", memory_type="semantic", session_id="one")
    agent.remember("Bo drinks tea", memory_type="semantic", session_id="two")
    agent.remember("tea is served at five", memory_type="procedural", session_id="one")

    assert len(agent.recall("tea", top_k=2)) == 2
    assert contents(agent.recall("tea", memory_type="procedural")) == ["tea is served at five"]
    assert contents(agent.recall("tea", memory_type="semantic", session_id="two")) == ["Bo drinks tea"]
    assert contents(agent.recall("Ana drinks tea", threshold=0.95)) == ["Ana drinks tea"]
    assert contents(agent.recall("tea", top_k=1))[0] in {memory["content"] for memory in agent.memories()}


def test_inject_context_takes_all_its_options(agent: Agent) -> None:
    agent.remember("Ana drinks tea", memory_type="semantic", session_id="one")
    agent.remember("Bo drinks coffee", memory_type="procedural", session_id="two")

    everything = agent.inject_context("what do they drink?")
    by_session = agent.inject_context("what do they drink?", session_id="two")
    by_type = agent.inject_context("what do they drink?", memory_type="semantic", top_k=5)

    assert "Ana drinks tea" in everything
    assert "Bo drinks coffee" in everything
    assert "Bo drinks coffee" in by_session
    assert "Ana" not in by_session
    assert "Ana drinks tea" in by_type
    assert "Bo" not in by_type


def test_sessions_are_listed(agent: Agent) -> None:
    for session, text in (("one", "a"), ("one", "b"), ("two", "c")):
        agent.remember(text, session_id=session)

    assert {(one["session_id"], one["memory_count"]) for one in agent.sessions()} == {("one", 2), ("two", 1)}


def test_memories_are_listed_in_pages_and_by_filters(agent: Agent) -> None:
    for number in range(5):
        agent.remember(f"note {number}", session_id="odd" if number % 2 else "even")

    pages = [agent.memories(limit=2, offset=offset) for offset in (0, 2, 4, 6)]

    assert [len(page) for page in pages] == [2, 2, 1, 0]
    assert sorted(contents([memory for page in pages for memory in page])) == [f"note {number}" for number in range(5)]
    assert sorted(contents(agent.memories(session_id="odd"))) == ["note 1", "note 3"]
    assert agent.memories(memory_type="procedural") == []


def test_a_deleted_memory_is_gone(agent: Agent) -> None:
    kept = agent.remember("forget me")
    agent.remember("keep me")

    agent.delete_memory(kept["id"])

    assert contents(agent.memories()) == ["keep me"]
    with pytest.raises(AgentNotFoundError):
        agent.delete_memory(kept["id"])


def test_clear_erases_the_memories_and_keeps_the_agent(kronvex: Kronvex) -> None:
    bot = kronvex.create_agent("bot")
    for text in ("a", "b"):
        bot.remember(text)

    answer = bot.clear()

    assert answer == {"deleted": 2}
    assert bot.memories() == []
    assert [one["name"] for one in kronvex.list_agents()] == ["bot"]


def test_agents_are_created_listed_and_deleted(kronvex: Kronvex) -> None:
    created = kronvex.create_agent("support-bot", description="answers mail")
    created.remember("Ana is a customer")
    kronvex.agent("nobody-created-me").remember("hello")

    listed = {one["id"]: one for one in kronvex.list_agents()}

    assert created.name == "support-bot"
    assert listed.keys() == {created.id, "nobody-created-me"}
    assert (listed[created.id]["name"], listed[created.id]["description"]) == ("support-bot", "answers mail")
    assert listed["nobody-created-me"]["name"] == "nobody-created-me"
    kronvex.delete_agent(created.id)
    assert [one["id"] for one in kronvex.list_agents()] == ["nobody-created-me"]
    assert created.memories() == []
    with pytest.raises(AgentNotFoundError):
        kronvex.delete_agent(created.id)


def test_an_agent_that_is_created_and_still_empty_is_listed(kronvex: Kronvex) -> None:
    first, second = kronvex.create_agent("twin"), kronvex.create_agent("twin")

    assert first.id != second.id
    assert {(one["id"], one["memory_count"]) for one in kronvex.list_agents()} == {(first.id, 0), (second.id, 0)}


def test_errors_become_the_exceptions_of_the_client(served: Served, agent: Agent) -> None:
    with Kronvex("tk_wrong", base_url=served.url) as stranger, pytest.raises(AuthenticationError):
        stranger.list_agents()
    with pytest.raises(KronvexError, match="ttl_days") as refused:
        agent.remember("a", ttl_days=0)
    assert refused.value.status_code == 422
    with pytest.raises(KronvexError, match="memory_type"):
        agent.remember("a", memory_type="Not a slug")
    with pytest.raises(KronvexError, match="content"):
        agent.remember(" ")
    assert agent.memories() == []


def test_a_full_memory_is_a_memory_limit_and_used_up_recalls_are_a_rate_limit(served: Served) -> None:
    key = served.new_key(quotas={"memories": 1, "recalls_per_month": 1})["key"]
    with Kronvex(key, base_url=served.url) as client:
        agent = client.agent("full")
        kept = agent.remember("a")

        with pytest.raises(MemoryLimitError, match="memory limit"):
            agent.remember("b")
        agent.delete_memory(kept["id"])
        agent.remember("b")
        agent.recall("b")
        with pytest.raises(RateLimitError):
            agent.recall("b")


def test_every_call_of_the_async_client_works(served: Served, key: str) -> None:
    async def use() -> None:
        async with AsyncKronvex(key, base_url=served.url) as client:
            agent = await client.create_agent("async-bot", "awaits")
            kept = await agent.remember(
                "User is from Paris", memory_type="semantic", session_id="s", ttl_days=1, metadata={"a": 1}
            )
            found = await agent.recall("Paris", top_k=1, memory_type="semantic", session_id="s", threshold=0.0)
            assert (agent.name, found[0]["id"]) == ("async-bot", kept["id"])
            assert "Paris" in await agent.inject_context("Paris", top_k=1, session_id="s", memory_type="semantic")
            assert [one["session_id"] for one in await agent.sessions()] == ["s"]
            assert len(await agent.memories(session_id="s", memory_type="semantic", limit=1, offset=0)) == 1
            assert await agent.clear() == {"deleted": 1}
            assert [one["id"] for one in await client.list_agents()] == [agent.id]

    asyncio.run(use())


def test_every_command_of_the_command_line_works(served: Served, key: str) -> None:
    def run(*arguments: str) -> str:
        environment = {**os.environ, "KRONVEX_API_KEY": key, "KRONVEX_BASE_URL": served.url}
        command = [str(Path(sys.executable).with_name("kronvex")), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
        return done.stdout

    created = json.loads(run("agent", "create", "cli-bot", "--description", "by hand"))
    kept = json.loads(run("remember", created["id"], "User likes dark mode", "--session-id", "s", "--ttl-days", "3"))
    found = json.loads(run("recall", created["id"], "dark mode", "--top-k", "1", "--threshold", "0"))
    listed = json.loads(run("memories", "list", created["id"], "--limit", "5", "--memory-type", "episodic"))
    agents = json.loads(run("agents", "list"))

    assert [created["id"]] == [one["id"] for one in agents]
    assert kept["id"] == found[0]["id"] == listed[0]["id"]
    assert "deleted" in run("agent", "delete", created["id"])
    assert json.loads(run("agents", "list")) == []


# The article's own code, over plain HTTP.


def test_the_code_of_the_article_works_as_it_stands(ana: httpx.Client) -> None:
    agent = "/api/v1/agents/autogen-assistant-user123"
    first = ana.post(f"{agent}/inject-context", json={"query": "general context", "limit": 8})
    stored = ana.post(
        f"{agent}/remember", json={"content": "Chose PostgreSQL over MongoDB", "memory_type": "interaction"}
    )
    recalled = ana.post(f"{agent}/recall", json={"query": "database", "limit": 5})
    context = ana.post(f"{agent}/inject-context", json={"query": "general context", "limit": 8})

    assert first.json()["context"] == ""  # "No prior context available."
    assert stored.is_success
    assert [memory["content"] for memory in recalled.json()["memories"]] == ["Chose PostgreSQL over MongoDB"]
    assert "Chose PostgreSQL over MongoDB" in context.json()["context"]


def test_answers_also_have_the_shape_that_the_older_client_reads(ana: httpx.Client) -> None:
    ana.post("/api/v1/agents/old/remember", json={"content": "hello world"})

    recalled = ana.post("/api/v1/agents/old/recall", json={"query": "hello world", "top_k": 3, "threshold": 0.5}).json()
    context = ana.post("/api/v1/agents/old/inject-context", json={"message": "hello", "top_k": 3}).json()

    result = recalled["results"][0]
    assert (result["memory"]["content"], result["memory"]["agent_id"]) == ("hello world", "old")
    assert result["similarity"] == pytest.approx(1, abs=0.01)
    assert (recalled["query"], recalled["total_found"]) == ("hello world", 1)
    assert context["context_block"] == context["context"]
    assert (context["memories_used"], context["memories"][0]["memory"]["content"]) == (1, "hello world")


def test_a_body_may_bring_fields_that_nobody_knows(ana: httpx.Client) -> None:
    kept = ana.post("/api/v1/agents/a/remember", json={"content": "x", "embedding_model": "new", "pinned": None})

    assert kept.status_code == 201


def test_what_is_missing_is_named(ana: httpx.Client) -> None:
    for path in ("recall", "inject-context"):
        problem = detail(ana.post(f"/api/v1/agents/a/{path}", json={"top_k": 3}), 422)
        assert problem["argument"] == "query"


# The promises of the article.


@pytest.mark.parametrize("id", ["autogen-prod.user_7", "ana@example.com", "b2b acme", "Zoë-日本", "6f9619ff-8b86-d011"])
def test_any_text_is_an_agent_id_and_nobody_need_create_it(kronvex: Kronvex, id: str) -> None:
    agent = kronvex.agent(id)

    agent.remember("it works")

    assert contents(agent.recall("works")) == ["it works"]
    assert [one["id"] for one in kronvex.list_agents()] == [id]


def test_an_agent_that_is_unknown_has_nothing_to_say(kronvex: Kronvex) -> None:
    nobody = kronvex.agent("first-run")

    assert nobody.inject_context("general context") == ""
    assert nobody.recall("anything") == []
    assert nobody.memories() == nobody.sessions() == []
    assert kronvex.list_agents() == []


def test_the_same_agent_id_shares_and_another_one_does_not(served: Served, key: str) -> None:
    with Kronvex(key, base_url=served.url) as researcher, Kronvex(key, base_url=served.url) as writer:
        researcher.agent("team-projectA").remember("Sources are in the wiki")

        assert contents(writer.agent("team-projectA").recall("sources")) == ["Sources are in the wiki"]
        assert writer.agent("team-projectB").recall("sources") == []


def test_no_memory_leaks_between_keys(served: Served, kronvex: Kronvex) -> None:
    with Kronvex(served.new_key()["key"], base_url=served.url) as other:
        mine, theirs = kronvex.agent("same"), other.agent("same")
        kept = mine.remember("my secret plan", session_id="s")

        assert theirs.recall("my secret plan") == theirs.memories() == theirs.sessions() == []
        assert theirs.inject_context("my secret plan") == ""
        assert other.list_agents() == []
        with pytest.raises(AgentNotFoundError):
            theirs.delete_memory(kept["id"])
        with pytest.raises(AgentNotFoundError):
            other.delete_agent("same")
        assert theirs.clear() == {"deleted": 0}
        assert contents(mine.memories()) == ["my secret plan"]


def test_all_six_types_are_echoed_and_filtered_by(agent: Agent) -> None:
    for kind in TYPES:
        kept = agent.remember(f"a note that is a {kind}", memory_type=kind)
        assert kept["memory_type"] == kind

    for kind in TYPES:
        found = agent.recall("note", top_k=10, memory_type=kind)
        assert [memory["memory_type"] for memory in found] == [kind]


def test_a_memory_expires_after_its_ttl_and_never_without_one(aging: Agent, apart: Served) -> None:
    kept = aging.remember("processing batch 4421", ttl_days=7)
    forever = aging.remember("British English spelling", ttl_days=None)
    pinned = aging.remember("pinned batch note", ttl_days=7, pinned=True)

    assert kept["expires_at"] == (apart.clock() + 7 * DAY).isoformat()
    assert forever["expires_at"] is pinned["expires_at"] is None
    apart.clock.advance(7 * DAY - timedelta(minutes=1))
    assert len(aging.recall("batch")) == 3
    apart.clock.advance(timedelta(minutes=2))
    assert "processing batch 4421" not in contents(aging.recall("batch", top_k=10))
    assert "4421" not in aging.inject_context("batch")
    apart.clock.advance(3650 * DAY)
    assert sorted(contents(aging.memories())) == ["British English spelling", "pinned batch note"]


def test_confidence_is_made_of_similarity_recency_and_frequency(agent: Agent) -> None:
    for text in ("the database is PostgreSQL", "the cache is Redis", "lunch is at noon"):
        agent.remember(text)

    found = agent.recall("the database is PostgreSQL", top_k=3)

    for memory in found:
        expected = 0.6 * memory["similarity"] + 0.2 * memory["recency"] + 0.2 * memory["frequency"]
        assert memory["confidence"] == memory["score"] == pytest.approx(expected)
    assert found[0]["similarity"] == pytest.approx(1, abs=0.01)
    assert found[0]["recency"] == pytest.approx(1 / (1 + 2.718281828 ** (0.05 * -30)), abs=0.01)
    assert found[0]["frequency"] == 0
    assert [one["confidence"] for one in found] == sorted((one["confidence"] for one in found), reverse=True)


def test_recency_is_one_half_after_thirty_days(aging: Agent, apart: Served) -> None:
    aging.remember("the schema was refactored", memory_type="semantic")

    apart.clock.advance(30 * DAY)

    assert aging.recall("schema")[0]["recency"] == pytest.approx(0.5)


def test_last_week_comes_before_last_year_without_anybody_managing_times(aging: Agent, apart: Served) -> None:
    aging.remember("sprint focus: payments", session_id="last year")
    apart.clock.advance(358 * DAY)
    aging.remember("sprint focus: search", session_id="last week")
    apart.clock.advance(7 * DAY)

    week, year = aging.recall("what is the sprint focus?")

    assert (week["session_id"], year["session_id"]) == ("last week", "last year")
    assert week["recency"] > 0.7
    assert year["recency"] < 0.01


def test_preferences_live_longer_than_context(aging: Agent, apart: Served) -> None:
    for kind in TYPES:
        aging.remember(f"likes {kind}", memory_type=kind)

    apart.clock.advance(90 * DAY)

    recency = {memory["memory_type"]: memory["recency"] for memory in aging.recall("likes", top_k=10)}
    assert min(recency["preference"], recency["decision"]) > 0.99
    assert max(recency["context"], recency["fact"], recency["interaction"]) < 0.1
    assert recency["temporary"] < recency["context"]


def test_ten_recalls_raise_the_confidence(agent: Agent) -> None:
    agent.remember("Railway is used for deployment")
    first = agent.recall("deployment")[0]
    for _ in range(9):
        agent.recall("deployment")

    last = agent.recall("deployment")[0]

    assert (first["frequency"], last["frequency"]) == (0, pytest.approx(1))
    assert last["confidence"] - first["confidence"] == pytest.approx(0.2, abs=0.01)


def test_an_identifier_finds_the_memory_that_holds_it(agent: Agent) -> None:
    story = "The nightly import took twice as long as the week before and had to be started again by hand. "
    agent.remember(f"{story * 6} That was run zq2rogubbb8ayn1b. {story * 6}")
    for number in range(9):
        agent.remember(f"Run number {number} of the import went well")

    first = agent.recall("zq2rogubbb8ayn1b", threshold=0.5)[0]

    assert "zq2rogubbb8ayn1b" in first["content"]


def test_vague_queries_still_give_context(agent: Agent) -> None:
    agent.remember("Decided to use Railway instead of ECS", memory_type="decision")

    for vague in ("general context", "Manager context and past work", "current task context", ""):
        assert "Railway" in agent.inject_context(vague)


def test_limits_are_exact(agent: Agent) -> None:
    for number in range(12):
        agent.remember(f"architecture decision number {number}")

    for limit in (1, 5, 8, 12):
        assert len(agent.recall("architecture", top_k=limit)) == limit
        assert agent.inject_context("architecture", top_k=limit).count("architecture decision") == limit


def test_twenty_five_recalls_at_once_get_each_its_own_answer(served: Served, key: str) -> None:
    async def fan_out() -> None:
        async with AsyncKronvex(key, base_url=served.url) as client:
            team = client.agent("fan-out")
            await asyncio.gather(*(team.remember(f"topic{number} belongs to person{number}") for number in range(25)))
            answers = await asyncio.gather(*(team.recall(f"topic{number}", top_k=1) for number in range(25)))
        assert [answer[0]["content"] for answer in answers] == [
            f"topic{number} belongs to person{number}" for number in range(25)
        ]

    asyncio.run(fan_out())


def test_memories_survive_a_restart_of_the_server(tmp_path: Path) -> None:
    for run in (1, 2):
        with serving(tmp_path, admin_key=OPERATOR) as running, Kronvex(OPERATOR, base_url=running.url) as client:
            agent = client.agent("survivor")
            if run == 1:
                agent.remember("skip validation for CSV files under 10MB")
            else:
                assert contents(agent.recall("CSV validation")) == ["skip validation for CSV files under 10MB"]


def test_other_words_for_the_same_thing_are_found(meaningful: Served) -> None:
    """Measured: 11 of the 15 first and all among the first three. The misses stay in the list: see PARAPHRASES."""
    places = []
    with Kronvex(OPERATOR, base_url=meaningful.url) as client:
        for number, (query, expected) in enumerate(PARAPHRASES):
            agent = client.agent(f"paraphrase-{number}")  # of its own: earlier recalls would count
            for text, kind in NOTES:
                agent.remember(text, memory_type=kind)
            found = contents(agent.recall(query, top_k=len(NOTES)))
            places.append(next(place for place, text in enumerate(found, 1) if expected in text))

    assert max(places) <= 3
    assert places.count(1) >= 10
