"""Agents of Google ADK with a memory: what the model gets, what is kept, what failures do."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.tools import load_memory, preload_memory
from google.genai import types

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.guides import run_guide
from tests.frameworks.modern.memory_down import WAYS, memory_that_is
from tests.frameworks.modern.run_example import run_example
from tests.frameworks.prompts import google_adk as prompts
from tests.frameworks.prompts.checking import check_prompts
from truekeep.adapters.google_adk import FailOpen, Recording, Spaces, TruekeepMemoryService, current_user, user_space

from .offline_app import App, OfflineModel, calling, content

MARK = "<recalled-memory"
TEA = "Ana drinks green tea"
ASKED = "What does Ana drink?"
ANA = {"app_name": "app", "user_id": "ana"}
PLACE = "app/ana"


def serving(folder: Path, **options: Any) -> TruekeepMemoryService:
    return TruekeepMemoryService(spaces(folder, user_space), guard=patient(), **options)


def app(model: OfflineModel, memory: TruekeepMemoryService) -> App:
    return App(model, memory=memory, tools=[memory.preload, *memory.tools], after_agent_callback=memory.record)


def said(folder: Path, space: str = PLACE) -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def found(service: TruekeepMemoryService, query: str) -> list[MemoryEntry]:
    return list(asyncio.run(service.search_memory(**ANA, query=query)).memories)


def test_the_model_gets_what_another_session_brought(tmp_path: Path) -> None:
    app(OfflineModel.saying("Noted."), serving(tmp_path)).say(TEA)
    model = OfflineModel.saying("Tea.")

    assert app(model, serving(tmp_path)).say(ASKED, session="tuesday") == "Tea."

    ((block, question),) = model.shown
    assert block.startswith(f"## Long-term memory\n{MARK}")
    assert TEA in block
    assert question == ASKED


def test_what_is_recalled_is_neither_in_the_instructions_nor_in_the_session(tmp_path: Path) -> None:
    opened(tmp_path, PLACE).remember(TEA)
    model = OfflineModel.saying("Tea.")
    bot = app(model, serving(tmp_path))

    bot.say(ASKED)

    assert MARK in str(model.shown)
    assert MARK not in model.system
    assert MARK not in bot.session().model_dump_json()
    assert not any(MARK in content for _, _, content in said(tmp_path))


def test_each_request_repeats_the_one_before_it_up_to_its_block(tmp_path: Path) -> None:
    opened(tmp_path, PLACE).remember(TEA)
    model = OfflineModel.saying(calling("recall", query="tea"), "Tea.", "Coffee.", "Water.")
    bot = app(model, serving(tmp_path))
    for question in (ASKED, "And Ben, does he drink tea?", "And the cat, does it drink tea?"):
        bot.say(question)

    assert len(model.shown) == 4
    assert model.shown[1][:2] == model.shown[0]  # within a turn also the block is the same
    for before, after in pairwise(model.shown):
        (place,) = [number for number, text in enumerate(before) if MARK in text]
        assert after[:place] == before[:place]


def test_the_prompts_of_a_chat_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(prompts.play, tmp_path)


def test_each_message_is_recorded_once_with_its_speaker_and_its_time(tmp_path: Path) -> None:
    bot = app(OfflineModel.saying(calling("recall", query="x"), "Noted.", "Noted."), serving(tmp_path))

    bot.say("I drink tea")
    bot.say("I drink tea")
    asyncio.run(serving(tmp_path).add_session_to_memory(bot.session()))  # as another process may do

    assert said(tmp_path) == [(None, "user", "I drink tea"), ("bot", "assistant", "Noted.")] * 2
    assert {item.session for item in kept(tmp_path, PLACE)} == {"monday"}
    times = [event.timestamp for event in bot.session().events if event.content.parts[0].text]
    assert [item.when.timestamp() for item in kept(tmp_path, PLACE)] == pytest.approx(times)


def test_only_what_was_said_in_events_is_recorded(tmp_path: Path) -> None:
    thought = types.Part(text="Hm, tea.", thought=True)
    events = [
        Event(id="1", author="user", content=content("I drink")),
        Event(id="2", author="user", content=content("I dri"), partial=True),
        Event(id="3", author="bot", content=types.Content(role="model", parts=[thought, types.Part(text="Tea?")])),
        Event(id="4", author="bot"),
    ]

    asyncio.run(serving(tmp_path).add_events_to_memory(**ANA, events=events))

    assert said(tmp_path) == [(None, "user", "I drink"), ("bot", "assistant", "Tea?")]


def test_the_tools_of_adk_find_what_is_known(tmp_path: Path) -> None:
    opened(tmp_path, PLACE).remember(TEA, speaker="Ana")
    model = OfflineModel.saying(calling("load_memory", query="tea"), "Tea.")

    App(model, memory=serving(tmp_path), tools=[preload_memory, load_memory]).say(ASKED)

    assert f"Ana: {TEA}" in model.shown[0][0]
    assert TEA in model.result


def test_a_search_tells_who_said_what_and_when_and_leaves_out_questions(tmp_path: Path) -> None:
    service = serving(tmp_path)
    app(OfflineModel.saying("Green tea."), service).say(ASKED)

    (entry,) = found(service, ASKED)

    (item,) = [one for one in kept(tmp_path, PLACE) if one.speaker == "bot"]
    assert (entry.id, entry.author, entry.content.parts[0].text) == (item.id, "bot", "Green tea.")
    assert entry.timestamp == item.when.date().isoformat()


def test_memories_can_be_added_and_deleted(tmp_path: Path) -> None:
    service = serving(tmp_path)
    asyncio.run(service.add_memory(**ANA, memories=[MemoryEntry(content=content(TEA), author="Ana")]))

    (entry,) = found(service, ASKED)
    assert (entry.author, entry.content.parts[0].text) == ("Ana", TEA)
    asyncio.run(service.delete_memory(**ANA, memory_id=entry.id))

    assert found(service, ASKED) == []


def test_each_user_of_each_app_has_a_memory_of_their_own(tmp_path: Path) -> None:
    model = OfflineModel.saying(calling("remember", content=TEA), "Noted.", "Tea.", "Hm.")
    bot = app(model, serving(tmp_path))

    bot.say("Remember my drink")
    bot.say("Who drinks green tea?", session="tuesday")
    assert TEA in model.shown[-1][0]

    bot.say("Who drinks green tea?", user="ben")
    assert model.shown[-1] == ["Who drinks green tea?"]
    assert [content for _, _, content in said(tmp_path, "app/ben")] == ["Who drinks green tea?", "Hm."]


def test_no_name_of_an_app_leads_into_the_space_of_another(tmp_path: Path) -> None:
    service, names = serving(tmp_path), set()
    one, other = {"app_name": "a/b", "user_id": "c"}, {"app_name": "a", "user_id": "b/c"}

    for user in (one, other):
        asyncio.run(service.add_memory(**user, memories=[MemoryEntry(content=content(str(user)))]))
        names.add(str(asyncio.run(service.search_memory(**user, query="app_name"))))

    assert len(names) == 2


def test_a_function_may_choose_other_spaces(tmp_path: Path) -> None:
    service = TruekeepMemoryService(spaces(tmp_path, lambda: f"team of {current_user().app_name}"), guard=patient())

    asyncio.run(service.add_memory(**ANA, memories=[MemoryEntry(content=content(TEA))]))

    assert [content for _, _, content in said(tmp_path, "team of app")] == [TEA]


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    memory = serving(tmp_path, recording=Recording(mode=None))
    model = OfflineModel.saying("Hello.")
    App(model, tools=memory.tools).say("Hi")

    def call(name: str, arguments: dict[str, Any]) -> str:
        asked = OfflineModel.saying(calling(name, **arguments), "Done.")
        App(asked, tools=memory.tools).say("Use it.")
        return asked.result

    with opened(tmp_path, PLACE) as other:
        check_surface(call, model.offered, other)


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_is_away_ends_no_run(tmp_path: Path, way: str) -> None:
    with memory_that_is(way, tmp_path) as away:
        memory = TruekeepMemoryService(away, guard=FailOpen(deadline=0.2, tolerance=99))
        model = OfflineModel.saying(calling("remember", content="x"), "Hello.")

        assert app(model, memory).say("Hi") == "Hello."
        assert "Memory is unavailable right now" in model.result
        assert memory.failures >= 1


def test_close_deletes_nothing_and_no_key_is_shown(tmp_path: Path) -> None:
    memory = serving(tmp_path)
    app(OfflineModel.saying("Noted."), memory).say("a")

    asyncio.run(memory.close())

    assert len(said(tmp_path)) == 2
    served = TruekeepMemoryService(Spaces("ana", at="https://memory.invalid", key="tk_verysecret"))
    assert "verysecret" not in f"{served!r} {vars(served)!r}"


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    run_guide("google-adk.md", tmp_path)


def test_in_the_example_another_process_knows_and_another_user_does_not(tmp_path: Path) -> None:
    first, second, stranger = run_example("google_adk/remember_across_processes.py", tmp_path)

    assert "the model was shown: You are a cook.\n" in first
    assert "I am allergic to peanuts" in second
    assert "peanuts" not in stranger
