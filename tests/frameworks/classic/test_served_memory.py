"""Classic AutoGen with a memory behind a real server, which goes away and comes back."""

from __future__ import annotations

from pathlib import Path

from tests.frameworks.classic.parts import asked, bot, chat, give_model, person
from tests.frameworks.live import TOLD, LiveServer, example, live_through_an_outage, patient
from truekeep.adapters.classic_autogen import PersistentAgent, attach

EXAMPLE = "classic_autogen/remember_across_processes.py"


def test_one_process_tells_the_server_and_another_one_knows(live: LiveServer, tmp_path: Path) -> None:
    at = ("--at", live.url, "--key", live.key)

    told = example(EXAMPLE, "tell", *at, folder=tmp_path)
    asked = example(EXAMPLE, "ask", *at, folder=tmp_path)

    assert "0 failures" in told
    assert "0 failures" in asked
    assert "I prefer TypeScript over JavaScript" in asked
    assert live.said("classic-autogen")[0][0] == "ana"


def test_a_process_whose_server_is_gone_answers_all_the_same(live: LiveServer, tmp_path: Path) -> None:
    live.stop()

    asked = example(EXAMPLE, "ask", "--at", live.url, "--key", live.key, folder=tmp_path)

    assert "assistant: " in asked
    assert "TypeScript" not in asked
    assert " 0 failures" not in asked


def test_a_chat_lives_through_an_outage(live: LiveServer) -> None:
    guard = patient()
    agent = bot()
    attached = attach(agent, live.spaces("bot"), guard=guard)
    prompts = give_model(agent, *[f"Answer {number}." for number in range(1, 5)])
    people = iter("cdef")  # each a conversation of its own

    def talk(said: str) -> tuple[str, str]:
        result = chat(person(next(people)), agent, said, max_turns=1)
        return str(result.chat_history[-1]["content"]), asked(prompts[-1])

    live_through_an_outage(live, guard, talk)
    assert attached.flush(60)

    said = live.said("bot")
    assert ("c", "user", TOLD) in said
    assert any(speaker == "e" for speaker, _, _ in said)  # said while it was away
    attached.close()


def test_a_persistent_agent_goes_on_from_the_server(live: LiveServer) -> None:
    def agent() -> PersistentAgent:
        return bot("bot", PersistentAgent, memory=live.spaces("bot"), guard=patient())  # type: ignore[no-any-return]

    first = agent()
    give_model(first, "This is a long enough reply.")
    chat(person(), first, "This is a long enough question.", max_turns=1)
    first.remembering.close()

    with live.spaces("bot").memory("bot") as memory:
        said = [entry["message"] for entry in memory.get("conversation_history")]

    assert said == ["This is a long enough question.", "This is a long enough reply."]
