"""A memory on one agent: what it recalls, records and offers, in sync and in async chats."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from autogen import AssistantAgent, ConversableAgent, UserProxyAgent
from autogen.io import IOStream

from tests.adapters.surface import check_surface
from tests.frameworks.classic.parts import (
    CONFIG,
    HEADING,
    asked,
    bot,
    chat,
    contents,
    eventually,
    give_model,
    group,
    kept,
    opened,
    patient,
    person,
    spaces,
    system,
)
from tests.frameworks.prompts import classic
from tests.frameworks.prompts.checking import check_prompts
from truekeep import Memory
from truekeep.adapters.classic_autogen import attach, partner
from truekeep.adapters.common import Recalling, Scopes, memory_tools
from truekeep.errors import ConfigurationError

both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@both
def test_what_one_chat_brought_reaches_the_model_in_the_next_process(is_async: bool, tmp_path: Path) -> None:
    first = bot()
    with opened(tmp_path) as memory:
        attached = attach(first, memory, guard=patient())
        give_model(first, "Noted, I will use TypeScript from now on.")
        chat(person(), first, "I prefer TypeScript over JavaScript.", max_turns=1, is_async=is_async)
        attached.flush()
    second = bot()
    with opened(tmp_path) as memory:
        attached = attach(second, memory, guard=patient())
        prompts = give_model(second)
        chat(person(), second, "Which language do I prefer, TypeScript?", max_turns=1, is_async=is_async)
        attached.flush()  # an async chat goes on while its messages are kept

    assert system(prompts[0]) == "You are helpful."
    assert asked(prompts[0]).startswith(HEADING)
    assert "I prefer TypeScript over JavaScript." in asked(prompts[0])
    assert "I will use TypeScript from now on." in asked(prompts[0])
    assert asked(prompts[0]).endswith("</recalled-memory>\n\nWhich language do I prefer, TypeScript?")
    assert attached.failures == 0


@both
def test_a_question_recalls_no_earlier_question(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for day in range(2):
            agent = bot()
            attached = attach(agent, memory, guard=patient())
            prompts = give_model(agent, f"You prefer TypeScript, as you said on day {day}.")
            chat(person(), agent, "Which language do I prefer?", max_turns=1, is_async=is_async)
            attached.flush()

    assert "You prefer TypeScript, as you said on day 0." in asked(prompts[0])
    assert asked(prompts[0]).count("Which language") == 1  # the question itself


@both
def test_fifty_turns_leave_one_block_and_a_clean_history(is_async: bool, tmp_path: Path) -> None:
    agent, user = bot(), person()
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea", kind="preference")
        attached = attach(agent, memory, guard=patient())
        prompts = give_model(agent)
        chat(user, agent, "What kind of tea does Ana drink?", max_turns=50, is_async=is_async)
        attached.flush()

    assert len(prompts) == 50
    assert [asked(prompt).count("green tea") for prompt in prompts] == [1] * 50
    assert [str(prompt).count(HEADING) for prompt in prompts] == [1] * 50
    assert "green tea" not in str(agent.chat_messages[user]) + str(user.chat_messages[agent])
    assert [item.content for item in kept(tmp_path) if "green tea" in item.content] == ["Ana drinks green tea"]


def test_an_empty_memory_adds_nothing(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        attach(agent, memory, record=None, guard=patient())
        prompts = give_model(agent)
        chat(person(), agent, "What do you know about me?", max_turns=1)

    assert contents(prompts[0]) == [agent.system_message, "What do you know about me?"]


def test_without_injecting_the_prompt_stays(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea")
        attach(agent, memory, inject=False, guard=patient())
        prompts = give_model(agent)
        chat(person(), agent, "Which tea does Ana drink?", max_turns=1)

    assert contents(prompts[0]) == ["You are helpful.", "Which tea does Ana drink?"]


def test_a_fixed_query_is_recalled_for_whatever_is_said(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        memory.remember("We deploy with Railway", kind="decision")
        memory.remember("Lunch is at noon")
        attach(agent, memory, memory_query="deploy", recalling=Recalling(limit=1), guard=patient())
        prompts = give_model(agent)
        chat(person(), agent, "When is lunch?", max_turns=1)

    assert "Railway" in asked(prompts[0])
    assert "noon" not in asked(prompts[0])


def test_the_system_message_is_left_to_others(tmp_path: Path) -> None:
    agent, user = bot(), person()
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea")
        attach(agent, memory, record=None, guard=patient())
        prompts = give_model(agent)
        chat(user, agent, "Which tea does Ana drink?", max_turns=1)
        agent.update_system_message("You are brief. ")
        chat(user, agent, "Which tea does Ana drink?", max_turns=1)

    assert [system(prompt) for prompt in prompts] == ["You are helpful.", "You are brief. "]
    assert [HEADING in asked(prompt) for prompt in prompts] == [True, True]


def test_the_prompts_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(classic.play, tmp_path)


@both
def test_between_tool_calls_the_block_stays_where_it_was(is_async: bool, tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea")
        attach(agent, memory, record=None, guard=patient())
        prompts = give_model(agent, {"recall": {"query": "cups"}}, "Tea.")
        chat(person(), agent, "Which tea does Ana drink?", max_turns=2, is_async=is_async)

    assert HEADING in asked(prompts[0])
    assert prompts[1][: len(prompts[0])] == prompts[0]
    assert len(prompts[1]) > len(prompts[0])


def test_what_the_agent_says_with_a_tool_call_recalls_nothing_else(tmp_path: Path) -> None:
    agent, user = bot(), person()
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    told = [{"role": "user", "content": "Which green tea does Ana drink?"}]
    looking = {"role": "assistant", "content": "Where is the kettle in the kitchen?", "tool_calls": [call]}
    with opened(tmp_path) as memory:
        memory.remember_many(["Ana drinks green tea", "The kettle stands in the kitchen"])
        attach(agent, memory, record=None, recalling=Recalling(limit=1), guard=patient())
        prompts = give_model(agent)
        agent.generate_reply(messages=told, sender=user)
        agent.generate_reply(
            messages=[*told, looking, {"role": "tool", "tool_call_id": "c1", "content": "found"}], sender=user
        )

    assert "Ana drinks green tea" in asked(prompts[0])
    assert asked(prompts[1]) == asked(prompts[0])


def test_only_the_model_is_shown_what_was_recalled(tmp_path: Path) -> None:
    """Others look for the end of a chat, or for code to run, in what was said."""
    looked_at: list[str] = []

    def is_over(message: dict[str, Any]) -> bool:
        looked_at.append(str(message["content"]))
        return "TERMINATE" in looked_at[-1]

    agent = bot(is_termination_msg=is_over)
    with opened(tmp_path) as memory:
        memory.remember("Ana says TERMINATE when the tea is ready")
        attach(agent, memory, record=None, guard=patient())
        prompts = give_model(agent, "Green tea.")
        result = chat(person(), agent, "Which tea is ready?", max_turns=1)

    assert "TERMINATE" in asked(prompts[0])
    assert looked_at == ["Which tea is ready?"]
    assert result.chat_history[-1]["content"] == "Green tea."


class Screen:
    """What AutoGen would print."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, *objects: Any, **options: Any) -> None:
        self.lines.append(" ".join(map(str, objects)))

    def send(self, message: Any) -> None:
        """Messages of the framework itself."""


@both
def test_people_are_told_how_much_was_recalled(is_async: bool, tmp_path: Path) -> None:
    agent, screen = bot(), Screen()
    with opened(tmp_path) as memory, IOStream.set_default(screen):
        memory.remember_many(["Ana drinks green tea", "Ana drinks from a cup"])
        attach(agent, memory, record=None, announce=True, guard=patient())
        give_model(agent)
        chat(person(), agent, "Which tea does Ana drink?", max_turns=1, is_async=is_async)

    assert screen.lines.count("recalled 2 memories") == 1


@both
def test_each_message_is_recorded_once_with_its_true_speaker(is_async: bool, tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        attached = attach(agent, memory, conversation="monday", guard=patient())
        give_model(agent, "Then I shall propose TypeScript to you.", "Yes.")
        chat(
            person(default_auto_reply="And what about the database, then?"),
            agent,
            "I like typed languages a lot.",
            max_turns=2,
            is_async=is_async,
        )
        attached.flush()

    assert [(item.speaker, item.source.role, item.content) for item in kept(tmp_path)] == [
        ("ana", "user", "I like typed languages a lot."),
        ("bot", "assistant", "Then I shall propose TypeScript to you."),
        ("ana", "user", "And what about the database, then?"),
    ]
    assert {(item.kind, item.session) for item in kept(tmp_path)} == {("interaction", "monday")}


def test_two_agents_with_the_same_memory_record_what_they_say_once(tmp_path: Path) -> None:
    one, other = bot("one"), bot("other")
    with opened(tmp_path) as memory:
        for agent in (one, other):
            attach(agent, memory, tools=False, guard=patient())
        give_model(one, "One is not sure about that either.")
        give_model(other, "The other asks back immediately.")
        chat(one, other, "One begins with a question.", max_turns=2)

    assert [(item.speaker, item.content) for item in kept(tmp_path)] == [
        ("one", "One begins with a question."),
        ("other", "The other asks back immediately."),
        ("one", "One is not sure about that either."),
        ("other", "other has nothing to add to that."),
    ]


@both
def test_the_same_words_in_a_new_chat_are_said_again(is_async: bool, tmp_path: Path) -> None:
    agent, user = bot(), person()
    with opened(tmp_path) as memory:
        attached = attach(agent, memory, guard=patient())
        give_model(agent, "All tests are green again.", "All tests are green again.")
        for _ in range(2):
            chat(user, agent, "What is the state of the build?", max_turns=1, is_async=is_async)
            attached.flush()

    said = ["What is the state of the build?", "All tests are green again."]
    assert [item.content for item in kept(tmp_path)] == said * 2


def test_asking_twice_for_a_reply_to_the_same_message_records_it_once(tmp_path: Path) -> None:
    agent = bot()
    question = [{"role": "user", "content": "What is the state of the build?"}]
    with opened(tmp_path) as memory:
        attach(agent, memory, guard=patient())
        give_model(agent)
        for _ in range(2):
            agent.generate_reply(messages=question)

    assert [item.content for item in kept(tmp_path)] == ["What is the state of the build?"]


@both
def test_extraction_reads_so_many_messages_together_and_the_rest_at_the_end(is_async: bool, tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        attached = attach(agent, memory, record="extract", every=4, guard=patient())
        give_model(agent)
        user = person(default_auto_reply="I prefer tabs over spaces.")
        chat(user, agent, "We decided to use PostgreSQL for orders.", max_turns=3, is_async=is_async)
        eventually(lambda: attached.plans.waiting == 2)  # of six messages, four are read together
        attached.flush()

    assert sorted(item.kind for item in kept(tmp_path)) == ["decision", "preference"]


def test_without_recording_nothing_is_kept(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        attach(agent, memory, record=None, guard=patient())
        give_model(agent)
        chat(person(), agent, "I prefer TypeScript over JavaScript.", max_turns=2)

    assert kept(tmp_path) == []


@both
def test_a_model_uses_the_memory_as_a_tool(is_async: bool, tmp_path: Path) -> None:
    agent, user = bot(), person()
    with opened(tmp_path) as memory:
        attach(agent, memory, inject=False, record=None, guard=patient())
        prompts = give_model(
            agent,
            {"remember": {"content": "Ana drinks green tea", "kind": "preference", "tags": ["user:ana"]}},
            {"recall": {"query": "green tea"}},
            "Done.",
        )
        chat(user, agent, "I drink green tea.", max_turns=3, is_async=is_async)

    assert [tool["function"]["name"] for tool in agent.llm_config["tools"]] == ["remember", "recall", "forget"]
    assert [(item.content, item.kind, [*item.tags]) for item in kept(tmp_path)] == [
        ("Ana drinks green tea", "preference", ["user:ana"])
    ]
    assert str(prompts[1][-1]["content"]).startswith("Memory stored (id: ")
    assert "] Ana drinks green tea (id: " in prompts[2][-1]["content"]


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    agent, user = bot(), person()
    with opened(tmp_path) as memory:
        attach(agent, memory, executor=user, inject=False, record=None, guard=patient())

        def call(name: str, arguments: dict[str, Any]) -> str:
            return str(user.execute_function({"name": name, "arguments": json.dumps(arguments)})[1]["content"])

        shown = {tool["function"]["name"]: tool["function"]["parameters"] for tool in agent.llm_config["tools"]}
        check_surface(call, shown, memory)


def test_an_executor_that_is_named_can_carry_out_the_tools_at_once(tmp_path: Path) -> None:
    agent, user = bot(), person()
    with opened(tmp_path) as memory:
        attach(agent, memory, executor=user, guard=patient())

    assert user.can_execute_function(["remember", "recall", "forget"])


def test_one_executor_serves_two_agents_on_their_own_memories(tmp_path: Path) -> None:
    user = person()
    with opened(tmp_path, "first") as first, opened(tmp_path, "second") as second:
        for name, memory in {"one": first, "other": second}.items():
            agent = bot(name)
            attach(agent, memory, executor=user, record=None, guard=patient())
            give_model(agent, {"remember": {"content": f"A secret of {name}"}}, "Done.")
            chat(user, agent, "Remember your secret.", max_turns=2)

    assert [item.content for item in kept(tmp_path, "first")] == ["A secret of one"]
    assert [item.content for item in kept(tmp_path, "second")] == ["A secret of other"]


def test_agents_that_are_configured_with_functions_get_them_as_schemas_and_a_map(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        tools = memory_tools(memory)
        agent = AssistantAgent("bot", llm_config={**CONFIG, "functions": tools.function_schemas})
        user = UserProxyAgent(
            "ana", human_input_mode="NEVER", code_execution_config=False, function_map=tools.function_map
        )
        stored = user.execute_function({"name": "remember", "arguments": '{"content": "Ana drinks tea"}'})
        found = user.execute_function({"name": "recall", "arguments": '{"query": "tea"}'})

    assert [function["name"] for function in agent.llm_config["functions"]] == ["remember", "recall", "forget"]
    assert stored[1]["content"].startswith("Memory stored (id: ")
    assert "] Ana drinks tea (id: " in found[1]["content"]


@both
def test_a_second_user_of_the_same_agent_sees_nothing_of_the_first(is_async: bool, tmp_path: Path) -> None:
    agent = bot()
    attached = attach(agent, spaces(tmp_path, lambda: f"user:{partner().name}"), guard=patient())
    prompts = give_model(agent, {"remember": {"content": "Ana's password hint is a tree"}})
    chat(person("ana"), agent, "My password hint is a tall tree.", max_turns=2, is_async=is_async)
    chat(person("bob"), agent, "What is the password hint, a tree?", max_turns=1, is_async=is_async)
    attached.close()

    assert HEADING in asked(prompts[1])
    assert asked(prompts[2]) == "What is the password hint, a tree?"
    assert "Ana" not in str(prompts[2])
    assert {item.speaker for item in kept(tmp_path, "user:bob")} == {"bob", "bot"}
    assert any(item.content == "Ana's password hint is a tree" for item in kept(tmp_path, "user:ana"))
    assert attached.failures == 0


def test_users_who_talk_to_one_agent_at_the_same_time_are_not_mixed_up(tmp_path: Path) -> None:
    users = ("ana", "bob", "eve")
    for user in users:
        with opened(tmp_path, f"user:{user}") as memory:
            memory.remember(f"The password hint of {user} is a tree")
    agent = bot()
    attached = attach(agent, spaces(tmp_path, lambda: f"user:{partner().name}"), record=None, guard=patient())
    prompts = give_model(agent)

    async def talk() -> None:
        options = {"max_turns": 1, "silent": True}
        chats = [person(user).a_initiate_chat(agent, message=f"I am {user}. My hint?", **options) for user in users]
        await asyncio.gather(*chats)

    asyncio.run(talk())
    attached.close()

    shown = [asked(prompt) for prompt in prompts]
    assert sorted(user for text in shown for user in users if f"I am {user}" in text) == sorted(users)
    assert all((f"hint of {user}" in text) == (f"I am {user}" in text) for text in shown for user in users)


def test_a_team_is_read_and_a_user_is_written(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path, "team:web") as team:
        team.remember("The team reviews in pairs")
    attached = attach(agent, spaces(tmp_path, Scopes(read=["user:ana", "team:web"], write="user:ana")), guard=patient())
    prompts = give_model(agent)
    chat(person(), agent, "How does the team review?", max_turns=1)
    attached.close()

    assert "reviews in pairs" in asked(prompts[0])
    assert len(kept(tmp_path, "team:web")) == 1
    assert len(kept(tmp_path, "user:ana")) == 2


def test_a_message_with_a_picture_has_its_block_too(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea")
        attach(agent, memory, record=None, guard=patient())
        prompts = give_model(agent)
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        question = {"content": [{"type": "text", "text": "Which tea is this, Ana?"}, picture]}
        chat(person(), agent, question, max_turns=3)

    block, *said = prompts[0][-1]["content"]
    assert HEADING in block["text"]
    assert said == question["content"]
    assert [str(prompt).count(HEADING) for prompt in prompts] == [1, 1, 1]


def test_meaning_finds_what_other_words_said(tmp_path: Path) -> None:
    agent = bot()
    with Memory("bot", at=tmp_path / "memory.db") as memory:
        memory.remember("Ana is allergic to peanuts")
        memory.remember("The office has a red door")
        attach(agent, memory, recalling=Recalling(limit=1), guard=patient())
        prompts = give_model(agent)
        chat(person(), agent, "Which food could harm her?", max_turns=1)

    assert "peanuts" in asked(prompts[0])


def test_an_agent_has_one_memory(tmp_path: Path) -> None:
    agent = bot()
    with opened(tmp_path) as memory:
        attach(agent, memory)

        with pytest.raises(ConfigurationError, match="has a memory already"):
            attach(agent, memory)


def test_a_manager_is_attached_with_its_group(tmp_path: Path) -> None:
    _, manager = group(person(), bot(), rounds=2)

    with opened(tmp_path) as memory, pytest.raises(ConfigurationError, match="attach_group"):
        attach(manager, memory)


def test_only_agents_have_a_memory(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, pytest.raises(ConfigurationError, match="ConversableAgent"):
        attach("bot", memory)


@both
def test_odd_messages_break_nothing(is_async: bool, tmp_path: Path) -> None:
    agent, user = bot(), person()
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    odd = [
        "",
        {"content": ""},
        {"content": [picture]},
        {"content": [{"type": "text", "text": "This is what I see every day."}, picture]},
        {"content": None, "function_call": {"name": "unknown", "arguments": "{"}},
        {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "x", "arguments": ""}}]},
        {"role": "tool", "content": "exit code 0, and more words", "tool_responses": [{"content": "exit code 0"}]},
        {"role": "function", "name": "f", "content": "a result that is long enough to be kept"},
    ]
    with opened(tmp_path) as memory:
        attached = attach(agent, memory, guard=patient())
        attach(user, memory, guard=patient())
        give_model(agent, *["Well, that is a strange message."] * len(odd))
        for message in odd:
            chat(user, agent, message, max_turns=1, clear_history=False, is_async=is_async)
        attached.flush()

    assert isinstance(user, ConversableAgent)
    assert len([c for c in contents(agent.chat_messages[user]) if c == "Well, that is a strange message."]) >= 4
    said = {item.content for item in kept(tmp_path)}
    assert said == {"Well, that is a strange message.", "This is what I see every day."}
    assert attached.failures == 0
