"""Crews with a memory: their tools remember across processes, are asked anew each time, and never end a task."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.guides import run_guide
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from tests.frameworks.modern.run_example import run_example
from truekeep.adapters.common import AnyScopes
from truekeep.adapters.crewai import FailOpen, MemoryTool, Scopes, Spaces, memory_tools

from .offline_llm import OfflineLLM, crew_of, done, using


def tools_on(folder: Path, scopes: AnyScopes = "ana") -> list[MemoryTool]:
    return memory_tools(spaces(folder, scopes), guard=patient())


def test_a_crew_knows_what_another_one_remembered(tmp_path: Path) -> None:
    first = OfflineLLM.saying(using("remember", content="Ana drinks green tea", kind="preference"), done("Noted."))
    crew_of(first, tools_on(tmp_path)).kickoff()
    second = OfflineLLM.saying(using("recall", query="what does Ana drink?"), done("Green tea."))

    answer = crew_of(second, tools_on(tmp_path)).kickoff()

    assert answer.raw == "Green tea."
    assert "] Ana drinks green tea (id: " in second.observed
    assert [(item.kind, item.content, item.source.trust) for item in kept(tmp_path)] == [
        ("preference", "Ana drinks green tea", "agent")
    ]


def test_an_answer_is_never_taken_from_the_cache(tmp_path: Path) -> None:
    llm = OfflineLLM.saying(
        using("recall", query="tea"),
        using("remember", content="Ana drinks green tea"),
        using("recall", query="tea"),
        done("Green tea."),
    )

    crew_of(llm, tools_on(tmp_path)).kickoff()

    assert "No relevant memories found." in llm.observed
    assert "] Ana drinks green tea (id: " in llm.observed


def test_an_async_crew_uses_the_same_tools(tmp_path: Path) -> None:
    llm = OfflineLLM.saying(using("remember", content="Ana drinks green tea"), done("Noted."))

    answer = asyncio.run(crew_of(llm, tools_on(tmp_path)).akickoff())

    assert answer.raw == "Noted."
    assert [item.content for item in kept(tmp_path)] == ["Ana drinks green tea"]


def test_each_tool_tells_a_model_what_it_takes(tmp_path: Path) -> None:
    remember, recall, forget = tools_on(tmp_path)

    assert [tool.name for tool in (remember, recall, forget)] == ["remember", "recall", "forget"]
    schema = remember.args_schema.model_json_schema()
    assert schema["required"] == ["content"]
    assert all("description" in argument for argument in schema["properties"].values())


@pytest.mark.parametrize("is_async", [False, True])
def test_the_tools_have_the_surface_of_all_adapters(is_async: bool, tmp_path: Path) -> None:
    tools = tools_on(tmp_path)

    def call(name: str, arguments: dict[str, Any]) -> str:
        llm = OfflineLLM.saying(using(name, **arguments), done("Done."))
        crew = crew_of(llm, tools)
        if is_async:
            asyncio.run(crew.akickoff())
        else:
            crew.kickoff()
        return llm.observation

    with opened(tmp_path) as memory:
        check_surface(call, {tool.name: tool.args_schema.model_json_schema() for tool in tools}, memory)


def test_tools_work_in_either_way_on_their_own(tmp_path: Path) -> None:
    remember, recall, forget = tools_on(tmp_path)

    assert remember.run(content="Ana drinks tea").startswith("Memory stored")
    assert "] Ana drinks tea (id: " in asyncio.run(recall.arun(query="tea"))
    assert forget.run(ids=["Ana drinks tea"]).startswith("Memory forgotten")


def test_each_user_has_a_memory_of_their_own(tmp_path: Path) -> None:
    user: ContextVar[str] = ContextVar("user")
    tools = tools_on(tmp_path, lambda: f"user:{user.get()}")
    llm = OfflineLLM.saying(
        using("remember", content="Ana drinks green tea"), done("Noted."), using("recall", query="green tea"), done("?")
    )

    user.set("ana")
    crew_of(llm, tools).kickoff()
    user.set("ben")
    crew_of(llm, tools).kickoff()

    assert [item.content for item in kept(tmp_path, "user:ana")] == ["Ana drinks green tea"]
    assert "No relevant memories found." in llm.observed


def test_what_may_only_be_read_says_so(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    remember, recall, _ = tools_on(tmp_path, Scopes(read="ana"))

    assert remember.run(content="Ben drinks beer") == "This memory can only be read."
    assert "] Ana drinks green tea (id: " in recall.run(query="tea")


def test_a_saved_tool_holds_no_secret_and_restored_it_says_that_it_has_no_memory() -> None:
    tool = memory_tools(Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))[0]

    saved = tool.model_dump_json()

    assert "verysecret" not in f"{saved} {tool!r} {tool!s}"
    restored = MemoryTool.model_validate({**tool.model_dump(), "args_schema": tool.args_schema})
    assert "unavailable" in restored.run(content="x")


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_task(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        tools = memory_tools(away, guard=FailOpen(deadline=0.2, tolerance=99))
        llm = OfflineLLM.saying(using("remember", content="Ana drinks tea"), done("I shall try to remember."))

        assert crew_of(llm, tools).kickoff().raw == "I shall try to remember."
        assert "Memory is unavailable right now" in llm.observed


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("crewai.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("crewai/remember_across_processes.py", tmp_path)

    assert "Memory stored" in first
    assert "Ana drinks green tea" in second
    assert "No relevant memories found." in stranger
