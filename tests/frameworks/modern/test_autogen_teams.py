"""A team shares one memory, and its state is kept under a key, with the states before it."""

from __future__ import annotations

import asyncio
import json
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import MultiModalMessage
from autogen_agentchat.teams import RoundRobinGroupChat, SelectorGroupChat
from autogen_core import Image
from PIL import Image as Picture

from truekeep import InvalidInput, NotFound
from truekeep.adapters.autogen import TruekeepMemory, WriteBack, load_team, save_team, saved_teams

from .autogen_parts import MARK, agent, contents, model, opened, received, remembering, text

NAMES = ("planner", "writer", "critic")


def group(memory: TruekeepMemory, most: int = 4) -> RoundRobinGroupChat:
    agents = [agent(memory, *[f"{name} speaks {turn}" for turn in range(9)], name=name) for name in NAMES]
    return RoundRobinGroupChat(agents, termination_condition=MaxMessageTermination(most))


def test_a_group_of_three_shares_a_memory(tmp_path: Path) -> None:
    opened(tmp_path).remember("The release is called Tangerine")
    memory = remembering(tmp_path)
    team = group(memory)

    async def chat() -> str:
        await WriteBack(team, memory).run(task="What is the release called?")
        return json.dumps(await team.save_state())

    state = asyncio.run(chat())

    assert [text(received(one)).count("Tangerine") for one in team._participants] == [1, 1, 1]
    assert "Tangerine" not in state
    assert MARK not in state
    assert sorted(contents(tmp_path)) == [
        "The release is called Tangerine",
        "What is the release called?",
        "critic speaks 0",
        "planner speaks 0",
        "writer speaks 0",
    ]


def test_what_one_agent_of_a_group_keeps_another_one_gets(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    asyncio.run(WriteBack(group(memory), memory).run(task="Our launch day is Friday."))
    other = group(remembering(tmp_path))

    asyncio.run(other.run(task="When is launch day?"))

    assert ["Friday" in text(received(one)) for one in other._participants] == [True, True, True]


def test_a_team_serves_the_user_of_the_request_it_runs_in(tmp_path: Path) -> None:
    opened(tmp_path, "user:ana").remember("The code word is tangerine")
    user: ContextVar[str] = ContextVar("user")
    teams = [group(remembering(tmp_path, lambda: f"user:{user.get()}")) for _ in range(2)]

    async def request(team: RoundRobinGroupChat, name: str) -> list[bool]:
        user.set(name)
        await team.run(task="What is the code word?")
        return ["tangerine" in text(received(one)) for one in team._participants]

    async def serve() -> list[list[bool]]:
        return await asyncio.gather(request(teams[0], "ana"), request(teams[1], "ben"))

    assert asyncio.run(serve()) == [[True, True, True], [False, False, False]]


def test_a_selecting_team_is_not_shown_the_memories_of_its_agents(tmp_path: Path) -> None:
    opened(tmp_path).remember("The release is called Tangerine")
    memory, chooser = remembering(tmp_path), model("writer", "planner")
    team = SelectorGroupChat(
        [agent(memory, name=name) for name in NAMES],
        model_client=chooser,
        termination_condition=MaxMessageTermination(3),
    )

    asyncio.run(team.run(task="What is the release called?"))

    assert len(chooser.create_calls) == 2
    assert [MARK in text(received(chooser, call)) for call in (0, 1)] == [False, False]


def test_a_team_goes_on_in_another_process_where_it_stopped(tmp_path: Path) -> None:
    async def first() -> int:
        memory = remembering(tmp_path)
        team = group(memory)
        await WriteBack(team, memory, conversation="launch").run(task="Plan the launch")
        return await save_team(team, memory, "launch")

    async def second() -> RoundRobinGroupChat:
        memory = remembering(tmp_path)
        team = group(memory, most=2)
        assert await load_team(team, memory, "launch") == 1
        await WriteBack(team, memory, conversation="launch").run(task="Go on")
        return team

    assert asyncio.run(first()) == 1
    team = asyncio.run(second())

    planner = text(received(team._participants[0]))
    assert [planner.count(line) for line in ("Plan the launch", "writer speaks 0", "Go on")] == [1, 1, 1]
    assert sorted(contents(tmp_path)) == [
        "Go on",
        "Plan the launch",
        "critic speaks 0",
        "planner speaks 0",
        "planner speaks 0",
        "writer speaks 0",
    ]


def test_a_team_can_be_rolled_back(tmp_path: Path) -> None:
    memory = remembering(tmp_path)

    async def thread(team: RoundRobinGroupChat) -> list[str]:
        state: Any = await team.save_state()
        return [message["content"] for message in state["agent_states"]["RoundRobinGroupChatManager"]["message_thread"]]

    async def chat() -> tuple[list[int], list[list[str]]]:
        team = group(memory, most=2)
        versions, threads = [], []
        for task in ("first", "second", "third"):
            await team.run(task=task)
            versions.append(await save_team(team, memory))
        for version in (1, None):
            await load_team(team, memory, version=version)
            threads.append(await thread(team))
        return versions, threads

    versions, (rolled_back, latest) = asyncio.run(chat())

    assert versions == [1, 2, 3]
    assert rolled_back == ["first", "planner speaks 0"]
    assert [said for said in latest if "speaks" not in said] == ["first", "second", "third"]


def test_only_the_newest_states_stay(tmp_path: Path) -> None:
    memory = remembering(tmp_path)

    async def chat() -> list[int]:
        team = group(memory)
        for _ in range(12):
            await save_team(team, memory, "launch", keep=3)
        await save_team(team, memory, "launch/other")
        return [saved.version for saved in await saved_teams(memory, "launch")]

    assert asyncio.run(chat()) == [12, 11, 10]


def test_an_agent_has_a_state_too_and_pictures_survive(tmp_path: Path) -> None:
    picture = MultiModalMessage(content=["Look", Image(Picture.new("RGB", (2, 2)))], source="user")

    async def chat() -> list[str]:
        with opened(tmp_path) as memory:
            bot, other = agent(TruekeepMemory(memory)), agent(TruekeepMemory(memory))
            await bot.run(task=picture)
            await save_team(bot, memory, "bot")
            await load_team(other, memory, "bot")
            held = await other.model_context.get_messages()
            return [type(part).__name__ for part in held[0].content]

    assert asyncio.run(chat()) == ["str", "Image"]


def test_nothing_saved_leaves_a_team_as_it_is(tmp_path: Path) -> None:
    memory = remembering(tmp_path)

    async def chat() -> tuple[int | None, int]:
        team = group(memory)
        return await load_team(team, memory, "launch"), len(await saved_teams(memory, "launch"))

    assert asyncio.run(chat()) == (None, 0)


def test_a_version_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    memory = remembering(tmp_path)

    with pytest.raises(NotFound, match="no version 7"):
        asyncio.run(load_team(group(memory), memory, version=7))
    with pytest.raises(InvalidInput, match="keep"):
        asyncio.run(save_team(group(memory), memory, keep=0))
