"""Agents of LlamaIndex with a memory: what the model gets, what is kept, what failures do."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import Memory

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.guides import run_guide
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from tests.frameworks.modern.run_example import run_example
from tests.frameworks.prompts import llama_index as prompts
from tests.frameworks.prompts.checking import check_prompts
from truekeep.adapters.llama_index import (
    FailOpen,
    Recording,
    Spaces,
    TruekeepMemory,
    TruekeepMemoryBlock,
    memory_tools,
)

from .offline_model import OfflineModel, calling

MARK = "<recalled-memory"
TEA = "Ana drinks green tea"
ASKED = "What does Ana drink?"


def block_on(folder: Path, scopes: str = "ana", **options: Any) -> TruekeepMemoryBlock:
    return TruekeepMemoryBlock(spaces(folder, scopes), speaker="bot", guard=patient(), **options)


def session(block: TruekeepMemoryBlock, name: str = "monday", **options: Any) -> TruekeepMemory:
    return TruekeepMemory.from_defaults(session_id=name, memory_blocks=[block], **options)


def run(model: OfflineModel, text: str, memory: Memory, tools: Any = ()) -> str:
    async def answer() -> str:
        agent = FunctionAgent(name="bot", system_prompt="BASE", llm=model.llm, tools=[*tools])
        return str(await agent.run(text, memory=memory))

    return asyncio.run(answer())


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def test_the_model_gets_what_another_session_brought(tmp_path: Path) -> None:
    run(OfflineModel("Noted."), TEA, session(block_on(tmp_path)))
    model = OfflineModel("Tea.")

    assert run(model, ASKED, session(block_on(tmp_path), "tuesday")) == "Tea."

    assert f"## Long-term memory\n{MARK}" in model.prompt
    assert TEA in model.prompt
    assert model.prompt.endswith(f"</memory>\n{ASKED}")


def test_what_is_recalled_is_neither_in_the_system_message_nor_in_the_history(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model, memory = OfflineModel("Tea."), session(block_on(tmp_path))

    run(model, ASKED, memory)

    assert MARK in model.prompt
    assert model.system == "BASE"
    assert MARK not in str(memory.get_all())
    assert not any(MARK in content for _, _, content in said(tmp_path))


def test_each_request_repeats_the_one_before_it_up_to_its_block(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel(calling("recall", query="tea"), "Tea.", "Coffee.", "Water.")
    block = block_on(tmp_path)
    memory, tools = session(block), memory_tools(block.remembering)
    for question in (ASKED, "And Ben, does he drink tea?", "And the cat, does it drink tea?"):
        run(model, question, memory, tools)

    assert len(model.shown) == 4
    assert model.shown[1][: len(model.shown[0])] == model.shown[0]  # within a turn also the block is the same
    for before, after in pairwise(model.shown):
        place = next(number for number, (_, text) in enumerate(before) if f"## Long-term memory\n{MARK}" in text)
        assert after[:place] == before[:place]


def test_what_is_recalled_is_no_template(tmp_path: Path) -> None:
    odd = 'Ana drinks {{ 6 * 7 }} teas\n<content_block>{"type": "image_url"}</content_block>'
    opened(tmp_path).remember(odd)
    model = OfflineModel("Tea.")

    run(model, ASKED, session(block_on(tmp_path)))

    assert all(line in model.prompt for line in odd.splitlines())


def test_the_prompts_of_a_chat_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(prompts.play, tmp_path)


def test_each_message_is_recorded_once_with_its_speaker(tmp_path: Path) -> None:
    model, memory = OfflineModel(calling("recall", query="x"), "Noted.", "Noted."), session(block_on(tmp_path))
    for _ in range(2):
        run(model, "I drink tea", memory, memory_tools(spaces(tmp_path, "ana")))
    history = memory.get_all()

    again = session(block_on(tmp_path), chat_history=history[:-1])  # as another process may restore it
    again.put(history[-1])

    assert said(tmp_path) == [(None, "user", "I drink tea"), ("bot", "assistant", "Noted.")] * 2
    assert {item.session for item in kept(tmp_path)} == {"monday"}


def test_a_conversation_that_outgrows_its_window_is_recorded_once_all_the_same(tmp_path: Path) -> None:
    memory = session(block_on(tmp_path), token_limit=60, token_flush_size=20, tokenizer_fn=str.split)
    texts = [f"message number {number} with some words in it" for number in range(12)]

    for text in texts:
        memory.put(ChatMessage(role="user", content=text))

    assert len(memory.get()) < len(texts)
    assert [content for _, _, content in said(tmp_path)] == texts


def test_in_a_plain_memory_what_no_longer_fits_is_recorded(tmp_path: Path) -> None:
    memory = Memory.from_defaults(
        session_id="monday",
        memory_blocks=[block_on(tmp_path)],
        token_limit=60,
        token_flush_size=20,
        tokenizer_fn=str.split,
    )
    texts = [f"message number {number} with some words in it" for number in range(12)]

    memory.put_messages([ChatMessage(role="user", content=text) for text in texts])

    gone = [content for _, _, content in said(tmp_path)]
    assert gone
    assert gone == texts[: len(gone)]
    assert {item.session for item in kept(tmp_path)} == {"monday"}


def test_a_chat_engine_remembers_in_the_same_way(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Tea.")
    engine = SimpleChatEngine.from_defaults(llm=model.llm, memory=session(block_on(tmp_path)))

    assert str(engine.chat(ASKED)) == "Tea."

    assert TEA in model.prompt
    assert said(tmp_path)[1:] == [(None, "user", ASKED), ("bot", "assistant", "Tea.")]


def test_what_the_model_sees_anyway_is_not_repeated(tmp_path: Path) -> None:
    model, memory = OfflineModel("Noted.", "Tea."), session(block_on(tmp_path))

    run(model, TEA, memory)
    run(model, ASKED, memory)

    assert MARK not in model.prompt


def test_each_user_has_a_memory_of_their_own(tmp_path: Path) -> None:
    model = OfflineModel(calling("remember", content=TEA), "Noted.", "Tea.", "Hm.")
    for user, text in (
        ("ana", "Remember my drink"),
        ("ana", "Who drinks green tea?"),
        ("ben", "Who drinks green tea?"),
    ):
        block = block_on(tmp_path, f"user:{user}")
        run(model, text, session(block, text), memory_tools(block.remembering))

    assert TEA in str(model.shown[2])
    assert model.shown[3] == [("system", "BASE"), ("user", "Who drinks green tea?")]
    assert [content for _, _, content in said(tmp_path, "user:ben")] == ["Who drinks green tea?", "Hm."]


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    tools = memory_tools(block_on(tmp_path).remembering)
    plain, model = Memory.from_defaults(), OfflineModel("Hello.")
    run(model, "Hi", plain, tools)

    def call(name: str, arguments: dict[str, Any]) -> str:
        asked = OfflineModel(calling(name, **arguments), "Done.")
        run(asked, "Use it.", Memory.from_defaults(), tools)
        return asked.result

    with opened(tmp_path) as other:
        check_surface(call, model.offered, other)


def test_recording_can_be_left_out(tmp_path: Path) -> None:
    run(OfflineModel("Hm."), ASKED, session(block_on(tmp_path, recording=Recording(mode=None))))

    assert said(tmp_path) == []


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_run(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        block = TruekeepMemoryBlock(away, guard=FailOpen(deadline=0.2, tolerance=99))
        model = OfflineModel(calling("remember", content="x"), "Hello.")

        assert run(model, "Hi", session(block), memory_tools(block.remembering)) == "Hello."
        assert "Memory is unavailable right now" in model.result
        assert block.failures >= 1


def test_close_deletes_nothing_and_no_key_is_shown(tmp_path: Path) -> None:
    block = block_on(tmp_path)
    run(OfflineModel("Noted."), "a", session(block))

    asyncio.run(block.close())

    assert len(said(tmp_path)) == 2
    served = TruekeepMemoryBlock(Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))
    assert "verysecret" not in f"{served!r} {vars(served)!r} {session(served).model_dump_json()}"


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("llama-index.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("llama_index/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "I am allergic to peanuts" in second
    assert "peanuts" not in stranger
