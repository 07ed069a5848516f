"""Agents of Strands with a memory: what the model gets, what is kept, what failures do."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from strands import Agent
from strands.memory import MemoryManager
from strands.session.file_session_manager import FileSessionManager
from strands.types.exceptions import AggregateMemoryError

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.guides import run_guide
from tests.frameworks.modern.memory_down import WAYS, gone_server, memory_that_is
from tests.frameworks.modern.run_example import run_example
from tests.frameworks.prompts import strands as prompts
from tests.frameworks.prompts.checking import check_prompts
from truekeep.adapters.common import AnyScopes
from truekeep.adapters.strands import FailOpen, Recording, Spaces, TruekeepPlugin, TruekeepStore, current_agent

from .offline_model import OfflineModel, calling

MARK = "<recalled-memory"
TEA = "Ana drinks green tea"
ASKED = "What does Ana drink?"


def plugin(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepPlugin:
    return TruekeepPlugin(spaces(folder, scopes), guard=patient(), **options)


def store(folder: Path, **options: Any) -> TruekeepStore:
    return TruekeepStore(spaces(folder, "ana"), guard=patient(), **options)


def agent(model: OfflineModel, *plugins: TruekeepPlugin, **options: Any) -> Agent:
    return Agent(model=model, name="bot", system_prompt="BASE", plugins=[*plugins], callback_handler=None, **options)


def ask(bot: Agent, text: str) -> str:
    return str(bot(text)).strip()


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def test_the_model_gets_what_another_agent_brought(tmp_path: Path) -> None:
    ask(agent(OfflineModel("Noted."), plugin(tmp_path)), TEA)
    model = OfflineModel("Tea.")

    assert ask(agent(model, plugin(tmp_path)), ASKED) == "Tea."

    question, block = model.prompt
    assert question == ASKED
    assert block.startswith(f"\n\n## Long-term memory\n{MARK}")
    assert TEA in block


def test_what_is_recalled_is_neither_in_the_system_prompt_nor_in_the_history(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Tea.")
    bot = agent(model, plugin(tmp_path))

    ask(bot, ASKED)

    assert MARK in str(model.shown)
    assert model.system == "BASE"
    assert MARK not in str(bot.messages)
    assert not any(MARK in content for _, _, content in said(tmp_path))


def test_each_request_repeats_the_one_before_it_up_to_its_block(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel(calling("recall", query="tea"), "Tea.", "Coffee.", "Water.")
    bot = agent(model, plugin(tmp_path))
    for question in (ASKED, "And Ben, does he drink tea?", "And the cat, does it drink tea?"):
        ask(bot, question)

    blocks = [[block for message in request for block in message["content"]] for request in model.shown]
    assert len(blocks) == 4
    assert blocks[1][: len(blocks[0])] == blocks[0]  # within a turn also the block is the same
    for before, after in pairwise(blocks):
        place = next(number for number, block in enumerate(before) if "## Long-term memory" in block.get("text", ""))
        assert after[:place] == before[:place]
    assert model.trailing == [1, 0, 1, 1]  # what a provider must not cache, at the end of the last message


def test_the_prompts_of_a_chat_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(prompts.play, tmp_path)


def test_each_message_is_recorded_once_with_its_speaker(tmp_path: Path) -> None:
    bot = agent(OfflineModel(calling("recall", query="x"), "Noted.", "Noted."), plugin(tmp_path))

    for _ in range(2):
        ask(bot, "I drink tea")

    assert said(tmp_path) == [(None, "user", "I drink tea"), ("bot", "assistant", "Noted.")] * 2


def test_a_session_that_is_restored_is_recorded_once_under_its_name(tmp_path: Path) -> None:
    for reply in ("Noted.", "Again?"):
        manager = FileSessionManager(session_id="monday", storage_dir=str(tmp_path / "sessions"))
        bot = agent(OfflineModel(reply), plugin(tmp_path), session_manager=manager, agent_id="bot")
        ask(bot, f"I drink tea; {reply}")

    assert len(bot.messages) == 4
    assert [content for _, _, content in said(tmp_path)] == [
        "I drink tea; Noted.",
        "Noted.",
        "I drink tea; Again?",
        "Again?",
    ]
    assert {item.session for item in kept(tmp_path)} == {"monday"}


def test_what_the_model_sees_anyway_is_not_repeated(tmp_path: Path) -> None:
    model = OfflineModel("Noted.", "Tea.")
    bot = agent(model, plugin(tmp_path))

    ask(bot, TEA)
    ask(bot, ASKED)

    assert model.prompt == [ASKED]


def test_it_serves_async_agents_just_the_same(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Tea.")

    asyncio.run(agent(model, plugin(tmp_path)).invoke_async(ASKED))

    assert TEA in model.prompt[1]
    assert said(tmp_path)[1:] == [(None, "user", ASKED), ("bot", "assistant", "Tea.")]


def test_each_user_has_a_memory_of_their_own(tmp_path: Path) -> None:
    model = OfflineModel(calling("remember", content=TEA), "Noted.", "Tea.", "Hm.")
    shared = plugin(tmp_path, lambda: f"user:{current_agent().state.get('user')}")

    ask(agent(model, shared, state={"user": "ana"}), "Remember my drink")
    ask(agent(model, shared, state={"user": "ana"}), "Who drinks green tea?")
    assert TEA in model.prompt[1]

    ask(agent(model, shared, state={"user": "ben"}), "Who drinks green tea?")
    assert model.prompt == ["Who drinks green tea?"]
    assert [content for _, _, content in said(tmp_path, "user:ben")] == ["Who drinks green tea?", "Hm."]


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    memory = plugin(tmp_path, inject=False, recording=Recording(mode=None))
    model = OfflineModel("Hello.")
    ask(agent(model, memory), "Hi")

    def call(name: str, arguments: dict[str, Any]) -> str:
        asked = OfflineModel(calling(name, **arguments), "Done.")
        ask(agent(asked, memory), "Use it.")
        return asked.result

    with opened(tmp_path) as other:
        check_surface(call, model.offered, other)


def test_a_program_may_call_the_tools_of_an_agent(tmp_path: Path) -> None:
    bot = agent(OfflineModel(), plugin(tmp_path, lambda: f"user:{current_agent().state.get('user')}"))
    bot.state.set("user", "ana")

    bot.tool.remember(content=TEA, record_direct_tool_call=False)

    assert [content for _, _, content in said(tmp_path, "user:ana")] == [TEA]


def test_each_part_can_be_left_out(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    model = OfflineModel("Hm.")

    ask(agent(model, plugin(tmp_path, inject=False, tools=False, recording=Recording(mode=None))), ASKED)

    assert (model.prompt, model.offered) == ([ASKED], {})
    assert [content for _, _, content in said(tmp_path)] == [TEA]


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_turn(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        memory = TruekeepPlugin(away, guard=FailOpen(deadline=0.2, tolerance=99))
        model = OfflineModel(calling("remember", content="x"), "Hello.")

        assert ask(agent(model, memory), "Hi") == "Hello."
        assert "Memory is unavailable right now" in model.result
        assert memory.failures >= 1


def test_the_manager_of_strands_finds_and_keeps_in_the_store(tmp_path: Path) -> None:
    opened(tmp_path).remember(TEA)
    manager = MemoryManager([store(tmp_path, extraction=True)], add_tool_config=True)
    model = OfflineModel(calling("add_memory", entries=["Ben drinks coffee"]), "Tea.")

    ask(agent(model, memory_manager=manager), ASKED)

    assert f'<entry source="truekeep">{TEA}</entry>' in str(model.shown[0])
    assert said(tmp_path)[1:] == [
        (None, None, "Ben drinks coffee"),
        (None, "user", ASKED),
        (None, "assistant", "Tea."),
    ]


def test_a_search_of_the_store_leaves_out_questions_and_keeps_to_its_limit(tmp_path: Path) -> None:
    memory = store(tmp_path)
    asyncio.run(memory.add_messages([{"role": "user", "content": [{"text": ASKED}]}]))
    for number in range(5):
        asyncio.run(memory.add(f"Ana drinks tea number {number}"))

    found = asyncio.run(memory.search(ASKED, {"max_search_results": 3}))

    assert len(found) in (2, 3)
    assert all(entry.content.startswith("Ana drinks tea number") for entry in found)


def test_a_store_that_is_away_ends_no_turn_and_is_not_hidden(tmp_path: Path) -> None:
    with gone_server() as address:
        away = TruekeepStore(Spaces("ana", at=address), guard=FailOpen(deadline=0.2, tolerance=99), extraction=True)
        manager = MemoryManager([away])

        assert ask(agent(OfflineModel("Hello."), memory_manager=manager), "Hi") == "Hello."
        with pytest.raises(AggregateMemoryError):
            asyncio.run(manager.add(TEA))


def test_close_deletes_nothing_and_no_key_is_shown(tmp_path: Path) -> None:
    memory = plugin(tmp_path)
    ask(agent(OfflineModel("Noted."), memory), "a")

    memory.close()

    assert len(said(tmp_path)) == 2
    served = TruekeepPlugin(Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))
    assert "verysecret" not in f"{served!r} {vars(served)!r}"


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("strands.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("strands/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "I am allergic to peanuts" in second
    assert "peanuts" not in stranger
