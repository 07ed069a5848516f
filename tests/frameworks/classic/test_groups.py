"""One memory for a whole group: shared by all, and each message in it once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.classic.parts import (
    HEADING,
    asked,
    bot,
    chat,
    contents,
    give_model,
    group,
    kept,
    opened,
    patient,
    person,
)
from truekeep.adapters.classic_autogen import Teachability, attach, attach_group
from truekeep.adapters.common import Remembering
from truekeep.memory import Memory

both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
OPENING = "Let us build a service for invoices."


class Team:
    """Ana, a coder and a reviewer, in a group with a memory."""

    def __init__(
        self,
        memory: Memory,
        *,
        rounds: int = 3,
        coder: Any = "I suggest FastAPI for the service.",
        reviewer: str = "FastAPI is approved by the review.",
        **options: Any,
    ) -> None:
        self.user, self.coder, self.reviewer = person(), bot("coder"), bot("reviewer")
        self.groupchat, self.manager = group(self.user, self.coder, self.reviewer, rounds=rounds)
        self.attached: Remembering = attach_group(
            self.groupchat, self.manager, memory, **{"guard": patient(), **options}
        )
        self.prompts = give_model(self.coder, coder)
        self.reviews = give_model(self.reviewer, reviewer)

    def chat(self, message: str = OPENING, **options: Any) -> None:
        chat(self.user, self.manager, message, **options)
        self.attached.flush()

    def resume(self, messages: Any, *, is_async: bool) -> None:
        if is_async:
            asyncio.run(self._resume(messages))
        else:
            last, message = self.manager.resume(messages=messages, silent=True)
            last.initiate_chat(self.manager, message=message, clear_history=False, silent=True)
        self.attached.flush()

    async def _resume(self, messages: Any) -> None:
        last, message = await self.manager.a_resume(messages=messages, silent=True)
        await last.a_initiate_chat(self.manager, message=message, clear_history=False, silent=True)


SAID = [
    ("ana", "user", OPENING),
    ("coder", "assistant", "I suggest FastAPI for the service."),
    ("reviewer", "assistant", "FastAPI is approved by the review."),
]


def recorded(folder: Path) -> list[tuple[str | None, str | None, str]]:
    return [(item.speaker, item.source.role, item.content) for item in kept(folder)]


@both
def test_each_message_of_a_group_is_recorded_once_with_its_true_speaker(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(memory)
        team.chat(is_async=is_async)

    assert recorded(tmp_path) == SAID
    assert team.attached.failures == 0


@both
def test_what_one_group_decided_reaches_all_three_in_the_next_process(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Team(memory).chat(is_async=is_async)
    with opened(tmp_path) as memory:
        team = Team(memory)
        tester = bot("tester")
        groupchat, manager = group(team.user, tester, rounds=2)
        attach(tester, memory, guard=patient())  # somebody new
        tests = give_model(tester)
        team.chat("Which framework for the service?", is_async=is_async)
        chat(team.user, manager, "Which framework for the service?", is_async=is_async)

    for prompt in (team.prompts[0], team.reviews[0], tests[0]):
        assert "FastAPI is approved by the review." in asked(prompt)
        assert str(prompt).count(HEADING) == 1
    assert HEADING not in str(team.groupchat.messages) + str(groupchat.messages)
    for agent in (team.user, team.coder, team.reviewer, tester):
        assert HEADING not in str([*agent.chat_messages.values()])


def test_every_chat_that_starts_afresh_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(memory, rounds=1)
        team.chat()
        team.chat()

    assert [item.content for item in kept(tmp_path)] == [OPENING, OPENING]
    assert len({item.session for item in kept(tmp_path)}) == 2


@both
@pytest.mark.parametrize("saved", ["list", "text"])
def test_resuming_in_another_process_records_only_what_is_new(is_async: bool, saved: str, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        before = Team(memory)
        before.chat(is_async=is_async)
        messages: Any = json.loads(json.dumps(before.groupchat.messages))
    with opened(tmp_path) as memory:
        after = Team(memory, rounds=2)
        after.resume(messages if saved == "list" else json.dumps(messages), is_async=is_async)

    assert recorded(tmp_path) == [*SAID, ("ana", "user", "Go on.")][:3]  # the answer of ana is too short
    assert len({item.session for item in kept(tmp_path)}) == 1
    assert contents(after.groupchat.messages)[:3] == [said for _, _, said in SAID]


def test_resuming_in_the_same_process_records_only_what_is_new(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(memory)
        team.chat()
        team.groupchat.max_round = 3
        team.resume([dict(message) for message in team.groupchat.messages], is_async=False)

    assert recorded(tmp_path) == [*SAID, ("coder", "assistant", "coder has nothing to add to that.")]


def test_agents_with_memories_of_their_own_in_a_group_record_what_they_say_once(tmp_path: Path) -> None:
    user, coder, reviewer = person(), bot("coder"), bot("reviewer")
    groupchat, manager = group(user, coder, reviewer, rounds=3)
    with opened(tmp_path) as memory:
        for agent in (user, coder, reviewer):
            attach(agent, memory, guard=patient())
        give_model(coder, "I suggest FastAPI for the service.")
        give_model(reviewer, "FastAPI is approved by the review.")
        chat(user, manager, OPENING)
        manager.resume(messages=[dict(message) for message in groupchat.messages], silent=True)

    assert recorded(tmp_path) == SAID


@both
def test_a_tool_call_in_a_group_is_carried_out_by_somebody_without_a_model(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(memory, rounds=4, coder={"remember": {"content": "Invoices are kept for ten years"}})
        team.chat(is_async=is_async)

    assert "Invoices are kept for ten years" in [item.content for item in kept(tmp_path)]
    assert [message["name"] for message in team.groupchat.messages][:3] == ["ana", "coder", "ana"]
    assert "None" not in [item.content for item in kept(tmp_path)]


def test_extraction_keeps_what_the_group_decided_and_what_failed(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(
            memory,
            record="extract",
            every=10,
            coder="We decided to use FastAPI because of async support.",
            reviewer="We tried caching with pickle files, but it failed: they were not safe to load.",
        )
        team.chat()
        found = memory.recall("how should we do the caching with pickle files?")

    assert {item.kind for item in kept(tmp_path)} >= {"decision", "lesson"}
    assert any("pickle" in match.content for match in found.lessons)


def test_what_one_is_taught_the_whole_group_knows(tmp_path: Path) -> None:
    user, coder, reviewer = person(), bot("coder"), bot("reviewer")
    groupchat, manager = group(user, coder, reviewer, rounds=3)
    with opened(tmp_path) as memory:
        taught = Teachability(memory, guard=patient())
        taught.add_to_group(groupchat, manager)
        prompts, reviews = give_model(coder), give_model(reviewer)
        chat(user, manager, "I prefer tabs over spaces in all code.")
        taught.remembering.flush()
        chat(user, manager, "Are tabs or spaces better in code?")

    for prompt in (prompts[-1], reviews[-1]):
        assert "prefer tabs over spaces" in asked(prompt)
    assert [item.kind for item in kept(tmp_path)] == ["preference"]


def test_one_agent_is_taught(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        taught = Teachability(memory, guard=patient())
        taught.add_to_agent(agent)
        prompts = give_model(agent)
        chat(person(), agent, "I prefer tabs over spaces in all code.", max_turns=1)
        taught.remembering.flush()
        chat(person("bob"), agent, "Are tabs or spaces better in code?", max_turns=1)

    assert "prefer tabs over spaces" in asked(prompts[-1])
    assert "tools" not in agent.llm_config or not agent.llm_config["tools"]
