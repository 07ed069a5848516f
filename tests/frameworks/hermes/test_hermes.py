"""Hermes with a memory: what the model gets, what is kept, what failures do."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from agent.memory_manager import MemoryManager

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.guides import run_guide
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from tests.frameworks.modern.run_example import run_example
from truekeep import Memory
from truekeep.adapters.common import AnyScopes
from truekeep.adapters.hermes import (
    FailOpen,
    Recording,
    Spaces,
    TruekeepMemoryProvider,
    current_session,
    user_space,
)

from .offline_agent import calling, hermes, install, managed, running

MARK = "<recalled-memory"
TEA = "Ana drinks green tea"
ASKED = "What does Ana drink?"


def provider(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepMemoryProvider:
    return TruekeepMemoryProvider(spaces(folder, scopes), guard=patient(), **options)


def turn(manager: MemoryManager, asked: str, answered: str = "Noted.", session: str = "") -> None:
    manager.sync_all(asked, answered, session_id=session, messages=[{"role": "user", "content": asked}])
    assert manager.flush_pending(60)


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def test_an_agent_knows_what_another_one_was_told(home: Path) -> None:
    install(home)
    with running("Noted.", "Tea.") as model:
        first, second = hermes(model), hermes(model)
        first.run_conversation(TEA)
        first._memory_manager.flush_pending(60)

        assert second.run_conversation(ASKED)["final_response"] == "Tea."

    assert model.prompt.startswith(ASKED)
    assert f"## Long-term memory\n{MARK}" in model.prompt
    assert TEA in model.prompt
    assert MARK not in dict(model.shown[-1])["system"]


def test_each_request_repeats_the_one_before_it(home: Path) -> None:
    install(home)
    with Memory("hermes", at=home / "truekeep.db") as memory:
        memory.remember(TEA)
    with running(calling("recall", query="tea"), "Tea.", "Coffee.", "Water.") as model:
        bot, history = hermes(model), []
        for question in (ASKED, "And Ben, does he drink tea?", "And the cat, does it drink tea?"):
            history = bot.run_conversation(question, conversation_history=history)["messages"]

    assert len(model.shown) == 4
    assert all(MARK in str(request) for request in model.shown)
    for before, after in pairwise(model.shown):
        assert after[: len(before)] == before


def test_a_tool_is_called_as_the_model_asks(home: Path) -> None:
    install(home)
    with running(calling("remember", content=TEA), "Noted.") as model:
        assert hermes(model).run_conversation("Remember my drink")["final_response"] == "Noted."

    assert "Memory stored" in model.shown[-1][-1][1]
    with Memory("hermes", at=home / "truekeep.db") as memory:
        assert TEA in [item.content for item in memory.items()]


def test_what_is_recalled_is_not_recorded(home: Path) -> None:
    install(home)
    with Memory("hermes", at=home / "truekeep.db") as memory:
        memory.remember(TEA)
        with running("Tea.") as model:
            bot = hermes(model)
            bot.run_conversation(ASKED)
            bot._memory_manager.flush_pending(60)

        assert MARK in model.prompt
        assert [(item.speaker, item.content) for item in memory.items()][:2] == [("hermes", "Tea."), (None, ASKED)]


def test_each_turn_is_recorded_once_with_its_speaker(tmp_path: Path) -> None:
    manager = managed(provider(tmp_path))

    turn(manager, "I drink tea")
    turn(manager, "I drink tea")

    assert said(tmp_path) == [(None, "user", "I drink tea"), ("hermes", "assistant", "Noted.")] * 2
    assert {item.session for item in kept(tmp_path)} == {"monday"}


def test_a_session_goes_on_under_another_name(tmp_path: Path) -> None:
    manager = managed(provider(tmp_path))
    turn(manager, "I drink tea")

    manager.on_session_switch("tuesday", reset=True)
    turn(manager, "I drink coffee")

    assert [item.session for item in kept(tmp_path)] == ["monday", "monday", "tuesday", "tuesday"]


@pytest.mark.parametrize("about", [{"platform": "cron"}, {"agent_context": "subagent"}])
def test_what_nobody_said_is_not_recorded(tmp_path: Path, about: dict[str, str]) -> None:
    manager = managed(provider(tmp_path), **about)

    turn(manager, "Run the nightly report")
    manager.on_memory_write("add", "memory", "The report ran")

    assert said(tmp_path) == []


def test_what_the_model_sees_anyway_is_not_repeated(tmp_path: Path) -> None:
    manager = managed(provider(tmp_path))
    turn(manager, TEA, "Tea is good.")

    assert TEA not in manager.prefetch_all(ASKED)
    manager.on_session_switch("tuesday", reset=True)
    assert TEA in manager.prefetch_all(ASKED)


def test_what_the_agent_writes_into_its_own_pages_is_remembered(tmp_path: Path) -> None:
    manager = managed(provider(tmp_path))

    manager.on_memory_write("add", "user", "Ana prefers tea")
    manager.on_memory_write("remove", "user", "Ana prefers coffee")

    (item,) = kept(tmp_path)
    assert (item.content, item.kind, item.source.trust) == ("Ana prefers tea", "preference", "agent")


def test_each_user_of_a_messenger_has_a_memory_of_their_own(tmp_path: Path) -> None:
    for user in ("ana", "ben"):
        turn(managed(provider(tmp_path, user_space), platform="telegram", user_id=user), f"I am {user}")
    turn(managed(provider(tmp_path, user_space)), "I sit at the terminal")

    told = {"hermes:telegram:ana": "I am ana", "hermes:telegram:ben": "I am ben", "hermes": "I sit at the terminal"}
    assert {space: said(tmp_path, space)[0][2] for space in told} == told


@pytest.mark.parametrize(
    ("about", "space"),
    [
        ({}, "hermes"),
        ({"platform": ""}, "hermes"),
        ({"platform": "tui"}, "hermes"),
        ({"platform": "api_server"}, "hermes:api_server:monday"),
        ({"platform": "api_server", "gateway_session_key": "ana"}, "hermes:api_server:ana"),
        ({"platform": "telegram", "gateway_session_key": "chat", "user_id": "ana"}, "hermes:telegram:ana"),
    ],
)
def test_only_the_owner_has_the_memory_of_the_owner(tmp_path: Path, about: dict[str, str], space: str) -> None:
    turn(managed(provider(tmp_path, user_space), **about), "I drink tea")

    assert len(said(tmp_path, space)) == 2


def test_a_caller_of_the_api_server_does_not_get_what_the_owner_said(home: Path) -> None:
    install(home)
    with Memory("hermes", at=home / "truekeep.db") as memory:
        memory.remember(TEA)
    with running("Who is Ana?") as model:
        hermes(model, platform="api_server", gateway_session_key="ben").run_conversation(ASKED)

    assert TEA not in model.prompt


def test_a_function_may_choose_other_spaces(tmp_path: Path) -> None:
    by_profile = provider(tmp_path, lambda: f"profile:{current_session().profile}")

    turn(managed(by_profile, agent_identity="coder"), "I drink tea")

    assert len(said(tmp_path, "profile:coder")) == 2


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    manager = managed(provider(tmp_path))
    shown = {schema["name"]: schema["parameters"] for schema in manager.get_all_tool_schemas()}

    def call(name: str, arguments: dict[str, Any]) -> str:
        return str(json.loads(manager.handle_tool_call(name, arguments))["result"])

    with opened(tmp_path) as other:
        check_surface(call, shown, other)


def test_people_are_told_of_a_block_if_they_want(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    told: list[str] = []
    for announce in (False, True):
        managed(provider(tmp_path, announce=announce), status_callback=told.append).prefetch_all(ASKED)

    assert told == ["recalled 1 memory"]


def test_each_part_can_be_left_out(tmp_path: Path) -> None:
    manager = managed(provider(tmp_path, tools=False, recording=Recording(mode=None)))

    turn(manager, "I drink tea")

    assert manager.get_all_tool_schemas() == []
    assert said(tmp_path) == []


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_turn(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        ours = TruekeepMemoryProvider(away, guard=FailOpen(deadline=0.2, tolerance=99))
        manager = managed(ours)

        assert manager.prefetch_all("Hi") == ""
        turn(manager, "Hi")
        assert "Memory is unavailable right now" in manager.handle_tool_call("remember", {"content": "x"})
        assert ours.failures >= 1


def test_shutdown_deletes_nothing_and_no_key_is_shown(tmp_path: Path) -> None:
    manager = managed(provider(tmp_path))
    turn(manager, "a")

    manager.shutdown_all()

    assert len(said(tmp_path)) == 2
    served = TruekeepMemoryProvider(Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))
    assert "verysecret" not in f"{served!r} {vars(served)!r}"


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("hermes.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("hermes/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "I am allergic to peanuts" in second
    assert "peanuts" not in stranger
