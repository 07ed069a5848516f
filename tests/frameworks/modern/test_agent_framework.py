"""Agents of the Microsoft Agent Framework with a memory: what the model gets, what is recorded, what failures do."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    Content,
    InMemoryHistoryProvider,
    Message,
    WorkflowBuilder,
)

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.prompts import agent_framework as prompts
from tests.frameworks.prompts.checking import check_prompts
from truekeep import ConfigurationError, Memory
from truekeep.adapters.agent_framework import (
    FailOpen,
    Recording,
    Scopes,
    TruekeepContextProvider,
    current_session,
)
from truekeep.adapters.common import AnyScopes

from .memory_down import WAYS, memory_that_is
from .offline_client import OfflineClient, calling

MARK = "<recalled-memory"
ASKED = "What does Ana drink?"


def provider_on(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepContextProvider:
    return TruekeepContextProvider(spaces(folder, scopes), guard=patient(), **options)


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def contents(folder: Path, space: str = "ana") -> list[str]:
    return [content for _, _, content in said(folder, space)]


def test_the_model_gets_what_another_conversation_brought(tmp_path: Path) -> None:
    first = Agent(OfflineClient("Noted."), "BASE", name="bot", context_providers=[provider_on(tmp_path)])
    asyncio.run(first.run("Ana drinks green tea"))
    client = OfflineClient("Tea.")

    reply = asyncio.run(Agent(client, "BASE", name="bot", context_providers=[provider_on(tmp_path)]).run(ASKED))

    assert reply.text == "Tea."
    assert client.options[0]["instructions"] == "BASE"
    block, asked = client.received[0]
    assert (block.role, asked.role, asked.text) == ("user", "user", ASKED)
    assert block.text.startswith(f"## Long-term memory\n{MARK}")
    assert "Ana drinks green tea" in block.text


def test_the_prompts_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(prompts.play, tmp_path)


def test_between_tool_calls_the_block_stays_where_it_was(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    client = OfflineClient(calling("recall", '{"query": "tea"}'), "Tea.")

    asyncio.run(Agent(client, "BASE", context_providers=[provider_on(tmp_path)]).run(ASKED))

    first, second = ([(one.role, one.text) for one in received] for received in client.received)
    assert MARK in first[0][1]
    assert second[: len(first)] == first


def test_recalled_text_can_be_instructions(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    client = OfflineClient("Tea.")

    asyncio.run(Agent(client, "BASE", context_providers=[provider_on(tmp_path, inject="instructions")]).run(ASKED))

    assert client.options[0]["instructions"].startswith(f"BASE\n## Long-term memory\n{MARK}")
    assert [message.text for message in client.received[0]] == [ASKED]


class KeepingClient(OfflineClient):
    """One whose service has the conversation, unless it is told not to."""

    STORES_BY_DEFAULT = True


@pytest.mark.parametrize(
    ("client", "options", "is_kept"),
    [
        (KeepingClient, {}, True),
        (KeepingClient, {"store": False}, False),
        (OfflineClient, {"store": True}, True),
        (OfflineClient, {"conversation_id": "c1"}, True),
        (OfflineClient, {}, False),
    ],
)
def test_what_a_service_would_keep_goes_into_the_instructions(
    client: type[OfflineClient], options: dict[str, Any], is_kept: bool, tmp_path: Path
) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = client("Tea.")

    asyncio.run(Agent(model, "BASE", context_providers=[provider_on(tmp_path)]).run(ASKED, options=options))

    assert (MARK in model.options[0]["instructions"]) == is_kept
    assert (MARK in str([message.text for message in model.received[0]])) != is_kept


def test_block_and_tools_can_be_left_out(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    client = OfflineClient("Tea.")

    asyncio.run(Agent(client, "BASE", context_providers=[provider_on(tmp_path, inject=None, tools=False)]).run(ASKED))

    assert MARK not in client.shown()
    assert not client.options[0].get("tools")


def test_another_way_to_inject_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="'message', 'instructions' or None"):
        provider_on(tmp_path, inject="system")


def test_the_meaning_is_found_with_the_model_that_ships(tmp_path: Path) -> None:
    client = OfflineClient("Lentils.")
    with Memory("ana", at=tmp_path / "memory.db") as memory:
        memory.remember("Ana is a vegetarian")
        provider = TruekeepContextProvider(memory, guard=patient())

        asyncio.run(Agent(client, context_providers=[provider]).run("Which dish without meat shall I cook for her?"))

    assert "Ana is a vegetarian" in client.shown()


@pytest.mark.parametrize("inject", ["instructions", "message"])
def test_fifty_turns_show_one_block_each_and_leave_none(inject: str, tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    client = OfflineClient(*[f"Answer {number}." for number in range(50)])
    agent = Agent(client, "BASE", context_providers=[provider_on(tmp_path, inject=inject)])
    session = agent.create_session()

    async def chat() -> None:
        for number in range(50):
            await agent.run(f"{ASKED} {number}", session=session)

    asyncio.run(chat())

    assert [client.shown(call).count(MARK) for call in range(50)] == [1] * 50
    assert MARK not in json.dumps(session.to_dict())
    assert not any(MARK in content for content in contents(tmp_path))
    assert len(kept(tmp_path)) == 1 + 100


def test_a_history_that_is_kept_call_by_call_holds_no_block(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    client = OfflineClient(calling("forget", '{"ids": ["x"]}'), "Tea.", "Tea.")
    agent = Agent(
        client,
        context_providers=[InMemoryHistoryProvider(), provider_on(tmp_path)],
        require_per_service_call_history_persistence=True,
    )
    session = agent.create_session()

    async def chat() -> None:
        await agent.run(ASKED, session=session)
        await agent.run(f"{ASKED} Tell me again.", session=session)

    asyncio.run(chat())

    assert [client.shown(call).count(MARK) for call in range(3)] == [1] * 3
    assert MARK not in json.dumps(session.to_dict())


def test_what_the_model_sees_already_is_not_recalled(tmp_path: Path) -> None:
    client = OfflineClient("Noted.", "Tea.")
    agent = Agent(client, context_providers=[provider_on(tmp_path)])  # the history provider comes after ours
    session = agent.create_session()

    async def chat() -> None:
        await agent.run("Ana drinks green tea", session=session)
        await agent.run(ASKED, session=session)

    asyncio.run(chat())

    assert [message.text for message in client.received[1]] == ["Ana drinks green tea", "Noted.", ASKED]
    assert MARK not in client.shown()


def test_both_sides_are_recorded_with_who_said_it(tmp_path: Path) -> None:
    agent = Agent(OfflineClient("Noted."), name="bot", context_providers=[provider_on(tmp_path)])

    message = Message("user", ["Ana drinks green tea"], author_name="Ana")
    asyncio.run(agent.run(message, session=agent.create_session(session_id="monday")))

    assert said(tmp_path) == [("Ana", "user", "Ana drinks green tea"), ("bot", "assistant", "Noted.")]
    assert {item.session for item in kept(tmp_path)} == {"monday"}
    assert [item.source.trust for item in kept(tmp_path)] == ["user", "agent"]


def test_a_session_that_goes_on_in_another_process_loses_and_repeats_nothing(tmp_path: Path) -> None:
    session = AgentSession(session_id="monday")
    for _ in range(3):
        agent = Agent(OfflineClient("Yes?"), context_providers=[provider_on(tmp_path)])
        session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))

        asyncio.run(agent.run("Hello", session=session))

    assert contents(tmp_path) == ["Hello", "Yes?"] * 3


def test_a_transcript_that_is_sent_along_is_not_recorded_again(tmp_path: Path) -> None:
    agent = Agent(OfflineClient("Noted.", "Tea."), context_providers=[provider_on(tmp_path)])

    async def chat() -> None:
        first = [Message("user", ["Ana drinks green tea"])]
        reply = await agent.run(first)
        await agent.run([*first, *reply.messages, Message("user", [ASKED])])

    asyncio.run(chat())

    assert contents(tmp_path) == ["Ana drinks green tea", "Noted.", ASKED, "Tea."]


def test_streamed_replies_are_recorded(tmp_path: Path) -> None:
    agent = Agent(OfflineClient("Noted."), name="bot", context_providers=[provider_on(tmp_path)])

    async def chat() -> None:
        async for _ in agent.run("Ana drinks green tea", stream=True):
            pass

    asyncio.run(chat())

    assert contents(tmp_path) == ["Ana drinks green tea", "Noted."]


def test_the_model_can_use_the_tools(tmp_path: Path) -> None:
    client = OfflineClient(
        calling("remember", '{"content": "Ana drinks green tea", "kind": "preference", "tags": ["drinks"]}'),
        calling("recall", '{"query": "what does Ana drink", "limit": 1}'),
        calling("forget", '{"ids": ["Ana drinks green tea"]}'),
        "Done.",
    )
    agent = Agent(client, context_providers=[provider_on(tmp_path, recording=Recording(mode=None))])

    reply = asyncio.run(agent.run("Remember, recall, forget."))

    results = [content.result for message in reply.messages for content in message.contents if content.result]
    assert results[0].startswith("Memory stored (id: ")
    assert "] Ana drinks green tea (id: " in results[1]
    assert results[2].startswith("Memory forgotten (id: ")
    assert kept(tmp_path) == []
    tools = {tool.name: tool for tool in client.options[0]["tools"]}
    assert "self-contained" in json.dumps(tools["remember"].parameters())


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    client = OfflineClient()
    agent = Agent(client, context_providers=[provider_on(tmp_path, recording=Recording(mode=None))])

    def call(name: str, arguments: dict[str, Any]) -> str:
        client.replies += [calling(name, json.dumps(arguments)), "Done."]
        reply = asyncio.run(agent.run("Use it."))
        (result,) = [content.result for message in reply.messages for content in message.contents if content.result]
        return str(result)

    call("recall", {"query": "anything"})
    shown = {tool.name: tool.parameters() for tool in client.options[0]["tools"]}
    with opened(tmp_path) as memory:
        check_surface(call, shown, memory)


def test_a_tool_of_the_same_name_does_not_end_the_run(tmp_path: Path) -> None:
    def recall(query: str) -> str:
        """The application's own."""
        return query

    client = OfflineClient("Fine.")
    providers = [provider_on(tmp_path), provider_on(tmp_path, "team", source_id="team")]

    reply = asyncio.run(Agent(client, tools=[recall], context_providers=providers).run("Hello"))

    assert reply.text == "Fine."
    assert [tool.name for tool in client.options[0]["tools"]] == ["recall", "remember", "forget"]


def test_each_user_of_one_agent_has_a_memory_of_their_own(tmp_path: Path) -> None:
    provider = provider_on(tmp_path, lambda: f"user:{current_session().state['user']}")
    client = OfflineClient(
        calling("remember", '{"content": "Ana drinks green tea"}'),
        "Noted.",
        calling("recall", '{"query": "what does Ana drink"}'),
        "No idea.",
    )
    agent = Agent(client, context_providers=[provider])

    async def chat() -> str:
        ana, ben = agent.create_session(), agent.create_session()
        ana.state["user"], ben.state["user"] = "ana", "ben"
        await agent.run("Hello, I am Ana", session=ana)
        reply = await agent.run(ASKED, session=ben)
        return json.dumps([message.to_dict() for message in reply.messages])

    reply = asyncio.run(chat())

    assert provider.failures == 0
    assert "No relevant memories found." in reply
    assert "tea" not in client.shown(2) + client.shown(3)
    assert len(kept(tmp_path, "user:ana")) == 3
    assert contents(tmp_path, "user:ben") == [ASKED, "No idea."]


def test_a_run_without_a_user_reads_and_writes_nothing(tmp_path: Path) -> None:
    provider = provider_on(tmp_path, lambda: f"user:{current_session().state['user']}")
    client = OfflineClient("Who are you?")

    reply = asyncio.run(Agent(client, context_providers=[provider]).run("Hello"))

    assert reply.text == "Who are you?"
    assert provider.failures > 0
    with pytest.raises(ConfigurationError, match="outside of an agent's turn"):
        current_session()


def test_what_is_read_need_not_be_what_is_written(tmp_path: Path) -> None:
    opened(tmp_path, "team").remember("Ana drinks green tea")
    client = OfflineClient("Tea.")
    provider = provider_on(tmp_path, Scopes(read=["ana", "team"], write="ana"))

    asyncio.run(Agent(client, context_providers=[provider]).run(ASKED))

    assert "Ana drinks green tea" in client.shown()
    assert len(kept(tmp_path, "team")) == 1
    assert len(kept(tmp_path, "ana")) == 2


@pytest.mark.parametrize("stream", [False, True])
def test_three_agents_of_a_workflow_share_a_memory_in_which_each_message_is_once(stream: bool, tmp_path: Path) -> None:
    opened(tmp_path, "team").remember("The release train leaves on Thursday")
    provider = provider_on(tmp_path, "team")
    clients = {name: OfflineClient(f"The {name} agrees.") for name in ("planner", "coder", "reviewer")}
    planner, coder, reviewer = (
        Agent(client, name=name, context_providers=[provider]) for name, client in clients.items()
    )
    workflow = WorkflowBuilder(start_executor=planner).add_edge(planner, coder).add_edge(coder, reviewer).build()

    async def work() -> None:
        if not stream:
            await workflow.run("When does the release train leave?")
            return
        async for _ in workflow.run("When does the release train leave?", stream=True):
            pass

    asyncio.run(work())

    assert said(tmp_path, "team")[1:] == [
        (None, "user", "When does the release train leave?"),
        ("planner", "assistant", "The planner agrees."),
        ("coder", "assistant", "The coder agrees."),
        ("reviewer", "assistant", "The reviewer agrees."),
    ]
    assert all("on Thursday" in client.shown() for client in clients.values())


def test_a_message_to_several_agents_is_recorded_once(tmp_path: Path) -> None:
    provider = provider_on(tmp_path)
    agents = [Agent(OfflineClient(f"{name}."), name=name, context_providers=[provider]) for name in ("A", "B", "C")]
    message = Message("user", ["Ana drinks green tea"])

    async def ask_all() -> None:
        await asyncio.gather(*[agent.run(message) for agent in agents])

    asyncio.run(ask_all())

    assert sorted(contents(tmp_path)) == ["A.", "Ana drinks green tea", "B.", "C."]


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_fails_changes_no_reply(way: str, tmp_path: Path) -> None:
    told: list[Exception] = []
    with memory_that_is(way, tmp_path) as lost:
        guard = FailOpen(deadline=0.5, retry_after=60, on_error=told.append)
        provider = TruekeepContextProvider(lost, guard=guard)
        client = OfflineClient(calling("recall", '{"query": "tea"}'), "First.", "Second.", "Third.")
        agent = Agent(client, "BASE", context_providers=[InMemoryHistoryProvider(), provider])
        session = agent.create_session()

        async def chat() -> list[str]:
            return [(await agent.run(ASKED, session=session)).text for _ in range(3)]

        replies = asyncio.run(asyncio.wait_for(chat(), 30))

    assert replies == ["First.", "Second.", "Third."]
    assert provider.failures == len(told) >= 3
    assert {options["instructions"] for options in client.options} == {"BASE"}


def test_pictures_calls_and_silence_break_nothing(tmp_path: Path) -> None:
    provider = provider_on(tmp_path)
    agent = Agent(OfflineClient("A picture.", "", "So?", "Well."), context_providers=[provider])
    picture = Content.from_data(data=b"\x89PNG", media_type="image/png")

    async def chat() -> None:
        await agent.run(Message("user", ["What is this?", picture]))
        await agent.run(Message("user", [picture]))
        await agent.run(Message("user", None))
        await agent.run(Message("user", [Content.from_text(""), "And now?"]))

    asyncio.run(chat())

    assert provider.failures == 0
    assert contents(tmp_path) == ["What is this?", "A picture.", "So?", "And now?", "Well."]


def test_facts_are_extracted_on_flush(tmp_path: Path) -> None:
    provider = provider_on(tmp_path, recording=Recording(mode="extract"))
    asyncio.run(Agent(OfflineClient("Noted."), context_providers=[provider]).run("I prefer green tea over coffee."))

    done = asyncio.run(provider.flush())

    assert done
    assert any("green tea" in item.content and item.kind == "preference" for item in kept(tmp_path))


def test_closing_deletes_nothing(tmp_path: Path) -> None:
    provider = provider_on(tmp_path)
    asyncio.run(Agent(OfflineClient("Noted."), context_providers=[provider]).run("Ana drinks green tea"))

    asyncio.run(provider.close())

    assert len(kept(tmp_path)) == 2
