"""Agents of Pydantic AI with a memory: what the model gets, what is kept, what failures do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, AgentRunResult, BinaryContent, ModelMessagesTypeAdapter
from pydantic_ai.messages import ModelMessage, ModelRequest, TextContent, ToolCallPart

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.guides import run_guide
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from tests.frameworks.modern.run_example import run_example
from tests.frameworks.prompts import pydantic_ai as prompts
from tests.frameworks.prompts.checking import check_prompts
from truekeep.adapters.common import AnyScopes
from truekeep.adapters.pydantic_ai import FailOpen, Recording, Spaces, TruekeepCapability, current_context

from .offline_model import OfflineModel

MARK = "<recalled-memory"
TEA = "Ana drinks green tea"
ASKED = "What does Ana drink?"
PICTURE = BinaryContent(b"GIF89a", media_type="image/gif")


@dataclass
class User:
    name: str


def remembering(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepCapability:
    return TruekeepCapability(spaces(folder, scopes), guard=patient(), **options)


def agent(model: OfflineModel, memory: TruekeepCapability) -> Agent[Any, str]:
    return Agent(model.model, name="bot", instructions="BASE", capabilities=[memory])


def run(bot: Agent[Any, str], *given: Any, **options: Any) -> AgentRunResult[str]:
    return asyncio.run(bot.run(*given, **options))


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def bare(messages: list[ModelMessage]) -> bytes:
    """The messages as they would be sent, without what differs between two of the same words."""
    return ModelMessagesTypeAdapter.dump_json(messages, include={"__all__": {"parts": {"__all__": {"content"}}}})


def test_the_model_gets_what_another_conversation_brought(tmp_path: Path) -> None:
    run(agent(OfflineModel("Noted."), remembering(tmp_path)), TEA)
    model = OfflineModel("Tea.")

    assert run(agent(model, remembering(tmp_path)), ASKED).output == "Tea."

    (prompt,) = model.prompts
    assert prompt.startswith(f"## Long-term memory\n{MARK}")
    assert TEA in prompt
    assert prompt.endswith(f"</recalled-memory>\n\n{ASKED}")


def test_what_is_recalled_is_neither_in_the_instructions_nor_in_the_history(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Tea.")

    result = run(agent(model, remembering(tmp_path)), ASKED)

    assert MARK in str(model.shown)
    (request,) = model.shown[0]
    assert isinstance(request, ModelRequest)
    assert request.instructions == "BASE"
    assert MARK not in result.all_messages_json().decode()
    assert not any(MARK in content for _, _, content in said(tmp_path))


def test_each_request_repeats_the_one_before_it_up_to_its_block(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    recall = ToolCallPart("recall", {"query": "tea"})
    model = OfflineModel(recall, "Tea.", "Coffee.", "Water.")
    bot, history = agent(model, remembering(tmp_path)), []
    for question in (ASKED, "And Ben, does he drink tea?", "And the cat, does it drink tea?"):
        history = run(bot, question, message_history=history).all_messages()

    requests = [bare(messages).decode().rstrip("]}") for messages in model.shown]
    assert requests[1].startswith(requests[0])  # within a turn also the block is the same
    for before, after in pairwise(requests):
        beginning, block, _ = before.partition("## Long-term memory")
        assert block
        assert after.startswith(beginning)


def test_a_prompt_of_several_parts_begins_with_the_block(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Tea.")

    run(agent(model, remembering(tmp_path)), [TextContent(ASKED), PICTURE])

    ((block, question, picture),) = model.prompts
    assert TEA in block
    assert (question.content, picture) == (ASKED, PICTURE)
    assert said(tmp_path)[1] == (None, "user", ASKED)


def test_the_prompts_of_a_chat_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(prompts.play, tmp_path)


def test_each_message_is_recorded_once_with_its_speaker(tmp_path: Path) -> None:
    model = OfflineModel(ToolCallPart("recall", {"query": "x"}), "Noted.", "Noted.")
    bot = agent(model, remembering(tmp_path))

    first = run(bot, "I drink tea", conversation_id="monday")
    run(bot, "I drink tea", message_history=first.all_messages())

    assert said(tmp_path) == [(None, "user", "I drink tea"), ("bot", "assistant", "Noted.")] * 2
    assert {item.session for item in kept(tmp_path)} == {"monday"}


def test_a_run_that_is_carried_out_again_is_recorded_once(tmp_path: Path) -> None:
    for _ in range(2):
        bot = agent(OfflineModel("Noted."), remembering(tmp_path))
        run(bot, "I drink tea", run_id="run", conversation_id="monday")

    assert len(said(tmp_path)) == 2


def test_what_the_model_sees_anyway_is_not_repeated(tmp_path: Path) -> None:
    model = OfflineModel("Noted.", "Tea.")
    bot = agent(model, remembering(tmp_path))

    run(bot, ASKED, message_history=run(bot, TEA).all_messages())

    assert model.prompts == [TEA, ASKED]


def test_a_streamed_run_is_kept_just_the_same(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Tea.")

    async def stream() -> str:
        async with agent(model, remembering(tmp_path)).run_stream(ASKED) as result:
            return str(await result.get_output())

    assert asyncio.run(stream()) == "Tea."
    assert TEA in model.prompts[0]
    assert said(tmp_path)[1:] == [(None, "user", ASKED), ("bot", "assistant", "Tea.")]


def test_each_user_has_a_memory_of_their_own(tmp_path: Path) -> None:
    model = OfflineModel(ToolCallPart("remember", {"content": TEA}), "Noted.", "Tea.", "Hm.")
    bot = agent(model, remembering(tmp_path, lambda: f"user:{current_context().deps.name}"))

    run(bot, "Remember my drink", deps=User("ana"))
    run(bot, "Who drinks green tea?", deps=User("ana"))
    assert TEA in model.prompts[0]

    run(bot, "Who drinks green tea?", deps=User("ben"))
    assert model.prompts == ["Who drinks green tea?"]
    assert [content for _, _, content in said(tmp_path, "user:ben")] == ["Who drinks green tea?", "Hm."]


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    memory = remembering(tmp_path, inject=False, recording=Recording(mode=None))
    model = OfflineModel("Hello.")
    run(agent(model, memory), "Hi")

    def call(name: str, arguments: dict[str, Any]) -> str:
        asked = OfflineModel(ToolCallPart(name, arguments), "Done.")
        run(agent(asked, memory), "Use it.")
        return asked.result

    with opened(tmp_path) as other:
        check_surface(call, model.offered, other)


def test_an_argument_of_whatever_name_is_the_tool_s_to_refuse(tmp_path: Path) -> None:
    model = OfflineModel(ToolCallPart("remember", {"content": TEA, "ctx": 1}), "Sorry.")

    assert run(agent(model, remembering(tmp_path)), "Remember that").output == "Sorry."
    assert "That did not work: ctx: is unknown" in model.result


def test_each_part_can_be_left_out(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Hm.")

    run(agent(model, remembering(tmp_path, inject=False, tools=False, recording=Recording(mode=None))), ASKED)

    assert (model.prompts, model.offered) == ([ASKED], {})
    assert [content for _, _, content in said(tmp_path)] == [TEA]


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_run(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        memory = TruekeepCapability(away, guard=FailOpen(deadline=0.2, tolerance=99))
        model = OfflineModel(ToolCallPart("remember", {"content": "x"}), "Hello.")

        assert run(agent(model, memory), "Hi").output == "Hello."
        assert "Memory is unavailable right now" in model.result
        assert memory.failures >= 1


def test_close_deletes_nothing_and_no_key_is_shown(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    run(agent(OfflineModel("Noted."), memory), "a")

    asyncio.run(memory.close())

    assert len(said(tmp_path)) == 2
    served = TruekeepCapability(Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))
    assert "verysecret" not in f"{served!r} {vars(served)!r}"


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("pydantic-ai.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("pydantic_ai/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "I am allergic to peanuts" in second
    assert "peanuts" not in stranger
