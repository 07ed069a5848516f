"""What the tutorial on memory for AutoGen 0.4 and later promises its readers, each promise kept by the adapter."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from autogen_agentchat.agents import AssistantAgent

from truekeep import Draft, Memory, Message
from truekeep.adapters.autogen import Recalling, Recording, Spaces, TruekeepMemory, WriteBack
from truekeep.testing.fakes import FakeEmbedder

from .autogen_parts import agent, kept, model, opened, received, remembering, text

EXTRACTING = Recording(mode="extract", every=1)


async def turn(folder: Path, user: str, message: str) -> str:
    """One turn of a fresh agent, as in a new process; what its model received."""
    memory = remembering(folder, f"user:{user}", recording=EXTRACTING)
    bot = agent(memory, "Fine.", name="support_assistant")
    runner = WriteBack(bot, memory)
    await runner.run(task=message)
    assert await runner.flush()
    assert memory.failures == 0
    return text(received(bot))


def rows(folder: Path, user: str) -> list[str]:
    """What any SQLite tool shows; in a process of its own, as two copies of SQLite in one undo each other's locks."""
    show = "SELECT content FROM memories WHERE space = ? ORDER BY created"
    tool = f"import sqlite3, sys; [print(*row) for row in sqlite3.connect(sys.argv[1]).execute({show!r}, sys.argv[2:])]"
    command = [sys.executable, "-c", tool, str(folder / "memory.db"), f"user:{user}"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()


def test_facts_live_in_a_file_that_sqlite_tools_can_read(tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", "I prefer concise answers."))
    asyncio.run(turn(tmp_path, "999", "I prefer long answers."))

    assert rows(tmp_path, "123") == ["I prefer concise answers."]
    assert rows(tmp_path, "999") == ["I prefer long answers."]


def test_a_user_has_a_list_of_facts_with_the_newest_first(tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", "I prefer concise answers."))
    asyncio.run(turn(tmp_path, "123", "Our team works on insurance claims."))

    with opened(tmp_path, "user:123") as memory:
        listed = [item.content for item in memory.items()]
    assert listed == ["Our team works on insurance claims.", "I prefer concise answers."]


def test_the_prompt_of_the_tutorial_with_and_without_facts(tmp_path: Path) -> None:
    with opened(tmp_path, "user:123") as memory:
        before = memory.context("Draft an email.", template="prompt")
        memory.remember("User prefers concise answers.")
        after = memory.context("Draft an email.", template="prompt")
        bot = AssistantAgent("support_assistant", model_client=model())

        asyncio.run(bot.run(task=after))

    assert before == "Relevant memory:\n- None\n\nUser message:\nDraft an email.\n"
    assert after == "Relevant memory:\n- User prefers concise answers.\n\nUser message:\nDraft an email.\n"
    assert received(bot)[-1].content == after


def test_a_second_run_shows_the_facts_of_the_first_before_the_model_answers(tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", "I prefer concise answers."))

    prompt = asyncio.run(turn(tmp_path, "123", "What tone should you use with me?"))

    assert "I prefer concise answers." in prompt.split("What tone")[0]


def test_one_user_sees_nothing_of_another(tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", "I prefer concise answers."))

    assert "concise" not in asyncio.run(turn(tmp_path, "999", "What tone should you use with me?"))


def test_the_same_agent_is_stateless_between_users(tmp_path: Path) -> None:
    """The printed pattern left one user's facts in the context in which the next one was answered."""
    opened(tmp_path, "user:123").remember("User works in insurance claims automation.")
    user = "user:123"
    bot = agent(remembering(tmp_path, lambda: user))

    async def serve() -> None:
        nonlocal user
        await bot.run(task="Where do I work?")
        user = "user:999"
        await bot.run(task="Where do I work?")

    asyncio.run(serve())

    assert "insurance" in text(received(bot, 0))
    assert "insurance" not in text(received(bot, 1))


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("I prefer concise answers.", "I prefer concise answers."),
        ("My team ships on Fridays.", "My team ships on Fridays."),
        ("Our team works on insurance claims.", "Our team works on insurance claims."),
        ("Please remember that the audit is in March.", "the audit is in March."),
    ],
)
def test_durable_facts_are_extracted(message: str, fact: str, tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", message))

    assert rows(tmp_path, "123") == [fact]


@pytest.mark.parametrize(
    "message", ["Can you summarize this case update?", "Thanks a lot!", "Draft a follow-up email."]
)
def test_transient_chat_leaves_no_fact(message: str, tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", message))

    assert kept(tmp_path, "user:123") == []


def test_a_changed_preference_is_a_new_row_and_the_old_one_stays_in_the_file(tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", "My favourite colour is red."))
    asyncio.run(turn(tmp_path, "123", "My favourite colour is blue."))

    assert rows(tmp_path, "123") == ["My favourite colour is red.", "My favourite colour is blue."]
    assert "blue" in asyncio.run(turn(tmp_path, "123", "Which colour do I like?"))


def test_facts_are_not_inserted_again_at_every_start(tmp_path: Path) -> None:
    for _ in range(3):
        asyncio.run(turn(tmp_path, "123", "I prefer concise answers."))

    assert rows(tmp_path, "123") == ["I prefer concise answers."]


def test_the_block_says_that_the_latest_message_wins(tmp_path: Path) -> None:
    asyncio.run(turn(tmp_path, "123", "I prefer concise answers."))

    prompt = asyncio.run(turn(tmp_path, "123", "I prefer long answers today."))

    assert "the latest message wins" in prompt


def test_another_classifier_may_decide_what_is_stored(tmp_path: Path) -> None:
    class Everything:
        def extract(self, messages: Sequence[Message]) -> list[Draft]:
            return [Draft(content=f"Somebody said: {message.content}") for message in messages]

    spaces = Spaces("ana", at=tmp_path / "memory.db", embedder=FakeEmbedder(), extractor=Everything(), background=False)
    memory = TruekeepMemory(spaces, recording=EXTRACTING)

    async def chat() -> None:
        runner = WriteBack(agent(memory, ""), memory)
        await runner.run(task="green tea.")
        assert await runner.flush()

    asyncio.run(chat())

    assert [item.content for item in kept(tmp_path)] == ["Somebody said: green tea."]


def test_the_short_term_record_is_apart_from_the_long_term_profile(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana prefers green tea", kind="preference")
    memory = remembering(tmp_path, recalling=Recalling(filters={"kinds": ["-interaction"]}))
    first, later = agent(memory, "A cup of tea is on its way."), agent(memory)

    async def chat() -> None:
        await WriteBack(first, memory, conversation="monday").run(task="Some tea, please.")
        await later.run(task="tea?")

    asyncio.run(chat())

    assert "Ana prefers green tea" in text(received(later))
    assert "on its way" not in text(received(later))
    with opened(tmp_path) as ours:
        record = [item.content for item in ours.items(session="monday")]
    assert record == ["A cup of tea is on its way.", "Some tea, please."]


@pytest.mark.timeout(120)
def test_related_facts_are_found_without_a_word_in_common(tmp_path: Path) -> None:
    with Memory("ana", at=tmp_path / "memory.db") as memory:
        memory.remember_many(["Ana is allergic to peanuts", "The printer is on the second floor"])

        found = asyncio.run(TruekeepMemory(memory).query("Which foods could make her ill?", limit=1))

    assert [result.content for result in found.results] == ["Ana is allergic to peanuts"]
