"""Group chats that go on where another process left them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.classic.parts import bot, chat, contents, give_model, group, opened, patient, person
from truekeep.adapters.classic_autogen import PersistentGroupChat
from truekeep.memory import Memory

both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
FIRST = ["Let us build it.", "I build it.", "I review it."]


class Team:
    def __init__(self, memory: Memory, *, rounds: int = 3, **options: Any) -> None:
        self.user, self.coder, self.reviewer = person(), bot("coder"), bot("reviewer")
        self.prompts = give_model(self.coder, "I build it.", "I go on.")
        self.reviews = give_model(self.reviewer, "I review it.", "I review more.")
        agents = (self.user, self.coder, self.reviewer)
        self.groupchat, self.manager = group(
            *agents, rounds=rounds, cls=PersistentGroupChat, memory=memory, guard=patient(), **options
        )

    def chat(self, message: Any = FIRST[0], start: Any = None, **options: Any) -> None:
        chat(start or self.user, self.manager, message, **options)
        self.groupchat.remembering.flush()


def stored(memory: Memory) -> list[Any]:
    return contents(memory.get("messages"))


@both
@pytest.mark.parametrize("clear_history", [True, False])
def test_participants_have_what_another_process_said(is_async: bool, clear_history: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Team(memory).chat(is_async=is_async)
    with opened(tmp_path) as memory:
        team = Team(memory)
        restored = contents(team.groupchat.messages), team.groupchat.speaker_history
        team.chat("What now?", clear_history=clear_history, is_async=is_async)

        assert restored == (FIRST, ["ana", "coder", "reviewer"])
        assert contents(team.prompts[0][1:]) == [*FIRST, "What now?"]
        assert [message["role"] for message in team.prompts[0][1:]] == ["user", "assistant", "user", "user"]
        assert contents(team.reviews[0][1:]) == [*FIRST, "What now?", "I build it."]
        assert contents(team.user.chat_messages[team.manager])[:4] == [*FIRST, "What now?"]
        assert (
            stored(memory) == contents(team.groupchat.messages) == [*FIRST, "What now?", "I build it.", "I review it."]
        )


@both
@pytest.mark.parametrize("last", [3, 2, 1])
def test_resuming_does_not_duplicate(is_async: bool, last: int, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Team(memory).chat(is_async=is_async)
    with opened(tmp_path) as memory:
        team = Team(memory, rounds=3)
        saved = [dict(message) for message in team.groupchat.messages][-last:]
        speaker, message = _resumed(team.manager, saved, is_async)
        team.chat(message, speaker, clear_history=False, is_async=is_async)

        assert stored(memory) == contents(team.groupchat.messages) == [*FIRST, "Go on.", "I build it."]
        assert contents(team.prompts[0][1:]) == [*FIRST, "Go on."]


@both
def test_resuming_with_another_message_than_the_last_does_not_duplicate(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        Team(memory).chat(is_async=is_async)
    with opened(tmp_path) as memory:
        team = Team(memory, rounds=2)
        speaker, _ = _resumed(team.manager, [dict(message) for message in team.groupchat.messages], is_async)
        team.chat("Something new.", speaker, clear_history=False, is_async=is_async)
        kept = stored(memory)
    with opened(tmp_path) as memory:
        again = contents(Team(memory).groupchat.messages)

    assert kept == again == [*FIRST, "Something new.", "Go on."]


def _resumed(manager: Any, saved: list[Any], is_async: bool) -> Any:
    if is_async:
        return asyncio.run(manager.a_resume(messages=saved, silent=True))
    return manager.resume(messages=saved, silent=True)


@both
def test_the_same_opening_again_goes_on_with_the_conversation(is_async: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(memory)
        for _ in range(2):
            team.chat(is_async=is_async)

        assert contents(team.prompts[1][1:]) == [*FIRST, FIRST[0]]
        assert stored(memory) == [*FIRST, FIRST[0], "I go on.", "I review more."]


def test_fifty_chats_are_kept_once_each(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(memory, rounds=1)
        for number in range(50):
            team.chat(f"Message {number}")

        assert stored(memory) == [f"Message {number}" for number in range(50)]


def test_a_history_that_is_handed_over_is_where_it_begins(tmp_path: Path) -> None:
    given = [{"role": "user", "name": "ana", "content": "We met before."}]
    with opened(tmp_path) as memory:
        team = Team(memory, messages=given, rounds=2)
        team.chat("Do you remember?")

        assert contents(team.prompts[0][1:]) == ["We met before.", "Do you remember?"]
        assert stored(memory) == ["We met before.", "Do you remember?", "I build it."]


def test_tool_calls_and_odd_contents_are_kept_as_they_are(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    with opened(tmp_path) as memory:
        groupchat = PersistentGroupChat([person(), bot("coder")], memory=memory, guard=patient())
        groupchat.append({"role": "assistant", "content": None, "tool_calls": [call]}, groupchat.agents[1])
        groupchat.append({"role": "tool", "content": "", "tool_responses": [{"content": ""}]}, groupchat.agents[0])
        groupchat.append({"role": "user", "content": [picture], "extra": object()}, groupchat.agents[0])

        again = PersistentGroupChat([person(), bot("coder")], memory=memory, guard=patient())

    assert again.messages[0]["tool_calls"] == [call]
    assert [message["name"] for message in again.messages] == ["coder", "ana", "ana"]
    assert again.messages[2]["content"] == groupchat.messages[2]["content"] != []


def test_the_history_can_be_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        team = Team(memory)
        team.chat()
        team.groupchat.forget_history()
        team.chat("What now?")

        assert stored(memory) == ["What now?", "I go on.", "I review more."]


def test_without_a_memory_a_group_has_a_space_that_is_named_after_its_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEKEEP_HOME", str(tmp_path))

    def space_of(*agents: Any) -> str:
        groupchat = PersistentGroupChat([*agents])
        space: str = groupchat.group_memory.space
        groupchat.remembering.close()
        return space

    crowd = [person(f"somebody_with_a_long_name_{number}") for number in range(30)]
    ours = space_of(bot("coder"), person())
    others = [[person()], [person(), bot("coder"), bot("reviewer")], [person("ana-coder")], crowd, crowd[:-1]]

    assert ours == space_of(person(), bot("coder"))
    assert ours.startswith("autogen-group-ana-coder-")
    assert len({ours, *(space_of(*agents) for agents in others)}) == 6
