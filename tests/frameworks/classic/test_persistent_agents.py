"""Agents that go on with their conversations where another process left them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frameworks.classic.parts import HEADING, bot, chat, contents, give_model, group, opened, patient, person
from truekeep.adapters.classic_autogen import PersistentAgent, PersistentGroupChat, StatefulAgent, attach
from truekeep.adapters.classic_autogen.transcript import Transcript

both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


def persistent(memory: Any, name: str = "bot", cls: Any = PersistentAgent, **options: Any) -> Any:
    return bot(name, cls, memory=memory, guard=patient(), **options)


def told(prompt: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in prompt[1:]]


@both
def test_the_next_process_shows_the_conversation_to_the_model(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first = persistent(memory)
        give_model(first, "Hello Sarah.")
        chat(person(), first, "My name is Sarah.", max_turns=1, is_async=is_async)
    with opened(tmp_path) as memory:
        second, user = persistent(memory), person()
        prompts = give_model(second, "Sarah.")
        chat(user, second, "What is my name?", max_turns=1, is_async=is_async)
        history = memory.get("conversation_history")

    assert told(prompts[0]) == [
        ("user", "My name is Sarah."),
        ("assistant", "Hello Sarah."),
        ("user", "What is my name?"),
    ]
    assert contents(second.chat_messages[user]) == ["What is my name?", "Sarah."]
    assert [(entry["sender"], entry["message"]) for entry in history] == [
        ("ana", "My name is Sarah."),
        ("bot", "Hello Sarah."),
        ("ana", "What is my name?"),
        ("bot", "Sarah."),
    ]


@both
def test_a_chat_that_is_nested_in_receive_is_kept_in_order(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent, other = persistent(memory, max_consecutive_auto_reply=3), bot("other", max_consecutive_auto_reply=3)
        give_model(agent, "two", "four", "six")
        give_model(other, "three", "five", "seven")
        chat(other, agent, "one", is_async=is_async)
        history = [entry["message"] for entry in memory.get("conversation_history")]

    assert history == contents(agent.chat_messages[other])
    assert history == ["one", "two", "three", "four", "five", "six", "seven"][: len(history)]
    assert len(history) >= 3  # in an async chat, 0.2 counts each reply twice


@both
def test_clearing_the_history_neither_loses_nor_repeats_anything(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent, user = persistent(memory), person()
        prompts = give_model(agent, "one", "two", "three")
        for _ in range(3):
            chat(user, agent, "Hello again.", max_turns=1, is_async=is_async)
        history = [entry["message"] for entry in memory.get("conversation_history")]

    assert contents(prompts[2][1:]) == ["Hello again.", "one", "Hello again.", "two", "Hello again."]
    assert history == ["Hello again.", "one", "Hello again.", "two", "Hello again.", "three"]


def test_a_chat_that_keeps_its_history_is_shown_once(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent, user = persistent(memory), person()
        prompts = give_model(agent, "one", "two")
        for message in ("Hello.", "Hello again."):
            chat(user, agent, message, max_turns=1, clear_history=False)

    assert contents(prompts[1][1:]) == ["Hello.", "one", "Hello again."]


def test_only_so_many_earlier_messages_are_shown(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for turn in range(3):
            agent = persistent(memory, history=2)
            prompts = give_model(agent, f"answer {turn}")
            chat(person(), agent, f"question {turn}", max_turns=1)

    assert contents(prompts[0][1:]) == ["question 1", "answer 1", "question 2"]


def test_another_partner_does_not_see_the_conversation(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent = persistent(memory)
        prompts = give_model(agent, "Hello Ana.")
        chat(person("ana"), agent, "I am Ana, and this is private.", max_turns=1)
        chat(person("bob"), agent, "Who was here before me?", max_turns=1)

    assert contents(prompts[1][1:]) == ["Who was here before me?"]


def test_without_a_sender_somebody_says_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent = persistent(memory)
        agent.receive("Remember: I am working on a Flask API", silent=True)
    with opened(tmp_path) as memory:
        agent = persistent(memory)
        prompts = give_model(agent, "A Flask API.")
        agent.receive("What am I working on?", request_reply=True, silent=True)

    assert contents(prompts[0][1:]) == ["Remember: I am working on a Flask API", "What am I working on?"]
    assert agent.last_message()["content"] == "A Flask API."


def test_its_memory_is_named_after_it_and_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEKEEP_HOME", str(tmp_path))
    researcher = PersistentAgent("researcher", llm_config=False)
    researcher.memory.set("findings", {"topic": "FastAPI"})
    researcher.remembering.close()
    writer = PersistentAgent("writer", llm_config=False, memory="autogen-researcher")

    assert researcher.memory.space == "autogen-researcher"
    assert writer.memory.get("findings") == {"topic": "FastAPI"}
    researcher.remembering.close()
    writer.remembering.close()


def test_the_history_can_be_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent, user = persistent(memory), person()
        prompts = give_model(agent)
        chat(user, agent, "This is a secret.", max_turns=1)
        agent.forget_history()
        chat(user, agent, "What did I say?", max_turns=1)

    assert contents(prompts[1][1:]) == ["What did I say?"]


def test_a_memory_can_be_attached_as_well(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Ana drinks green tea")
        agent, user = persistent(memory), person()
        attach(agent, agent.memory, guard=patient())
        prompts = give_model(agent)
        for _ in range(2):
            chat(user, agent, "Which tea does Ana drink?", max_turns=1)

    assert [str(prompt).count(HEADING) for prompt in prompts] == [1, 1]
    assert len(prompts[1]) == 4


def test_tool_calls_and_pictures_leave_no_gap(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent, user = persistent(memory), person()
        attach(agent, memory, record=None, guard=patient())
        give_model(agent, {"recall": {"query": "tea"}}, "I found nothing.")
        chat(user, agent, {"content": [{"type": "text", "text": "Which tea?"}]}, max_turns=2)
        history = [entry["message"] for entry in memory.get("conversation_history")]

    assert history == ["Which tea?", "I found nothing."]


@both
def test_a_group_that_resumes_does_not_repeat_itself_in_its_agents(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        coder, user = persistent(memory, "coder"), person()
        groupchat, manager = group(user, coder, rounds=2)
        give_model(coder, "Here it is.")
        chat(user, manager, "Build it.", is_async=is_async)
        last, message = manager.resume(messages=[dict(one) for one in groupchat.messages], silent=True)
        chat(last, manager, message, clear_history=False, is_async=is_async)
        history = [entry["message"] for entry in memory.get("conversation_history")]

    assert history == ["Build it.", "Here it is.", "Go on."]


def test_state_is_restored_on_start(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent = persistent(memory, cls=StatefulAgent)
        agent.learn_preference("language", "TypeScript")
        agent.add_pattern("asks for tests first")
        give_model(agent)
        chat(person(), agent, "Hello.", max_turns=3)
    with opened(tmp_path) as memory:
        again = persistent(memory, cls=StatefulAgent)

        assert again.user_preferences == {"language": "TypeScript"}
        assert again.learned_patterns == ["asks for tests first"]
        assert again.get_context() == {
            "preferences": {"language": "TypeScript"},
            "patterns": ["asks for tests first"],
            "conversation_count": 3,
        }


def test_two_processes_learn_without_losing_what_the_other_learned(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as other:
        first, second = persistent(one, cls=StatefulAgent), persistent(other, cls=StatefulAgent)
        first.learn_preference("language", "TypeScript")
        second.learn_preference("tone", "brief")
        first.add_pattern("tests first")
        second.add_pattern("small commits")

        assert first.get_context() == second.get_context()
        assert first.get_context()["preferences"] == {"language": "TypeScript", "tone": "brief"}
        assert first.get_context()["patterns"] == ["tests first", "small commits"]


MESSAGES = st.lists(st.sampled_from("abc"), max_size=6)


@given(kept=MESSAGES, new=MESSAGES, replayed=st.integers(0, 6))
def test_what_is_replayed_is_recognised_and_what_is_new_is_kept(kept: list[str], new: list[str], replayed: int) -> None:
    past = [{"text": text} for text in kept]
    again = past[len(past) - min(replayed, len(past)) :]
    transcript = Transcript("messages", past, likeness=lambda entry: entry["text"])

    for entry in again:
        transcript.add(entry)
    transcript.go_on()
    for text in new:
        transcript.add({"text": text})

    assert len(transcript.earlier) + len(again) == len(past)
    assert [entry["text"] for entry in transcript._waiting.values()] == new


def test_a_group_chat_is_one_too(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert PersistentGroupChat([person()], memory=memory).speaker_history == []
