"""AG2 1.x agents with a memory: what the model gets, what is recorded, and what happens when the memory fails."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from ag2 import Agent, Context, MemoryStream
from ag2.events import BaseEvent, ImageInput, ModelRequest, ModelResponse, TextInput, ToolCallEvent, ToolResultsEvent
from ag2.history import MemoryStorage
from ag2.knowledge import MemoryKnowledgeStore
from ag2.network import EV_TEXT, Hub
from ag2.testing import TestConfig, TrackingClient, TrackingConfig, Turn

from tests.adapters.common.places import kept, opened, patient, spaces
from tests.adapters.surface import check_surface
from tests.frameworks.prompts import ag2 as prompts
from tests.frameworks.prompts.checking import check_prompts
from truekeep import Memory, errors
from truekeep.adapters.ag2 import RecallPolicy, Recording, Scopes, TruekeepPlugin, current_context
from truekeep.adapters.common import AnyScopes, FailOpen, Remembering

from .memory_down import WAYS, memory_that_is

MARK = "<recalled-memory"
ASKED = "What does Ana drink?"


def plugin_on(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepPlugin:
    return TruekeepPlugin(spaces(folder, scopes), guard=patient(), **options)


class _Client(TrackingClient):
    def __init__(self, client: Any, tracking: Tracking) -> None:
        super().__init__(client, tracking.mock, tracking.calls)
        self._shown = tracking.shown

    async def __call__(self, messages: Sequence[BaseEvent], context: Context, **options: Any) -> ModelResponse:
        texts = [part.content for one in messages if isinstance(one, ModelRequest) for part in one.parts if _is(part)]
        self._shown.append([str(text) for text in texts])
        return await super().__call__(messages, context=context, **options)


def _is(part: object) -> bool:
    return isinstance(part, TextInput)


class Tracking(TrackingConfig):
    """Keeps also what was said to the model in each call, oldest first."""

    def __init__(self, config: TestConfig) -> None:
        super().__init__(config)
        self.shown: list[list[str]] = []

    def create(self) -> TrackingClient:
        return _Client(self.config.create(), self)


def replying(*turns: Turn) -> Tracking:
    return Tracking(TestConfig(*turns, raise_tool_errors=False))


def calling(name: str, arguments: str) -> ToolCallEvent:
    return ToolCallEvent(name=name, arguments=arguments)


def said(folder: Path, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
    return [(item.source.speaker, item.source.role, item.content) for item in kept(folder, space)]


def ask(agent: Agent, text: str, **options: Any) -> str | None:
    return asyncio.run(agent.ask(text, **options)).body


def test_the_model_gets_what_another_conversation_brought(tmp_path: Path) -> None:
    ask(Agent("bot", "BASE", config=replying("Noted."), plugins=[plugin_on(tmp_path)]), "Ana drinks green tea")
    model = replying("Tea.")

    reply = ask(Agent("bot", "BASE", config=model, plugins=[plugin_on(tmp_path)]), ASKED)

    assert reply == "Tea."
    assert model.calls[0].prompt == ("BASE",)
    [asked] = model.shown[0]
    assert asked.startswith(f"## Long-term memory\n{MARK}")
    assert "Ana drinks green tea" in asked
    assert asked.endswith(f"</recalled-memory>\n\n{ASKED}")


def test_the_prompts_begin_as_the_ones_before(tmp_path: Path) -> None:
    check_prompts(prompts.play, tmp_path)


def test_the_plugin_works_for_a_single_ask(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = replying("Tea.")

    ask(Agent("bot", "BASE", config=model), ASKED, plugins=[plugin_on(tmp_path)])

    assert "Ana drinks green tea" in model.shown[0][-1]
    assert said(tmp_path)[1:] == [(None, "user", ASKED), ("bot", "assistant", "Tea.")]


def test_the_meaning_is_found_with_the_model_that_ships(tmp_path: Path) -> None:
    with Memory("ana", at=tmp_path / "memory.db") as memory:
        memory.remember("Ana is a vegetarian")
        model = replying("Lentils.")
        agent = Agent("bot", config=model, plugins=[TruekeepPlugin(memory, guard=patient())])

        ask(agent, "Which dish without meat shall I cook for her?")

    assert "Ana is a vegetarian" in model.shown[0][-1]


def test_fifty_turns_show_one_block_each_and_leave_none(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = replying(*[f"Answer {number}." for number in range(50)])
    agent = Agent("bot", "BASE", config=model, plugins=[plugin_on(tmp_path)])

    async def chat() -> list[BaseEvent]:
        reply = await agent.ask(f"{ASKED} 0")
        for number in range(1, 50):
            reply = await reply.ask(f"{ASKED} {number}")
        assert reply.context.prompt == ["BASE"]
        return list(await reply.history.get_events())

    events = asyncio.run(chat())

    assert [[text.count(MARK) for text in shown] for shown in model.shown] == [[0] * n + [1] for n in range(50)]
    assert MARK not in repr(events)
    assert not any(MARK in content for _, _, content in said(tmp_path))
    assert len(kept(tmp_path)) == 1 + 100


def test_a_turn_with_tool_calls_asks_the_memory_once(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    plugin, asked = plugin_on(tmp_path), []
    aio = plugin.remembering.aio
    block = aio.block
    aio.block = lambda *args, **named: asked.append(args) or block(*args, **named)  # type: ignore[method-assign]
    model = replying(calling("lookup", '{"q": "x"}'), calling("lookup", '{"q": "y"}'), "Tea.")

    def lookup(q: str) -> str:
        """Look something up."""
        return "found"

    ask(Agent("bot", config=model, tools=[lookup], plugins=[plugin]), ASKED)

    assert len(asked) == 1
    assert MARK in model.shown[0][0]
    assert model.shown == [model.shown[0]] * 3


def test_what_the_model_sees_already_is_not_recalled(tmp_path: Path) -> None:
    model = replying("Noted.", "Tea.")
    agent = Agent("bot", config=model, plugins=[plugin_on(tmp_path)])

    async def chat() -> None:
        reply = await agent.ask("Ana drinks green tea")
        await reply.ask(ASKED)

    asyncio.run(chat())

    assert MARK not in str(model.shown)


def test_both_sides_are_recorded_with_who_said_it(tmp_path: Path) -> None:
    stream = MemoryStream()
    agent = Agent("bot", config=replying("Noted."), plugins=[plugin_on(tmp_path)])

    ask(agent, "Ana drinks green tea", stream=stream)

    assert said(tmp_path) == [(None, "user", "Ana drinks green tea"), ("bot", "assistant", "Noted.")]
    assert {item.session for item in kept(tmp_path)} == {str(stream.id)}
    assert [item.source.trust for item in kept(tmp_path)] == ["user", "agent"]


def test_what_is_said_twice_is_recorded_twice(tmp_path: Path) -> None:
    agent = Agent("bot", config=replying("Yes?", "Yes?", "Yes?"), plugins=[plugin_on(tmp_path)])

    async def chat() -> None:
        reply = await agent.ask("Hello")
        reply = await reply.ask("Hello")
        await reply.ask("Hello")

    asyncio.run(chat())

    assert [content for _, _, content in said(tmp_path)] == ["Hello", "Yes?"] * 3


def test_resuming_a_turn_neither_loses_nor_repeats_anything(tmp_path: Path) -> None:
    storage, name = MemoryStorage(), UUID(int=7)
    plugin = plugin_on(tmp_path)

    async def chat() -> None:
        first = Agent("bot", config=replying("Noted."), plugins=[plugin])
        reply = await first.ask("Ana drinks green tea", stream=MemoryStream(storage, id=name))
        before = list(await reply.history.get_events())
        failing = Agent("bot", config=replying(ConnectionError("no model")), plugins=[plugin])
        with pytest.raises(ConnectionError):
            await failing.ask(ASKED, stream=MemoryStream(storage, id=name))
        again = [*before, ModelRequest.ensure_request([ASKED])]
        for _ in range(2):  # the second time the reply is only made anew
            agent = Agent("bot", config=replying("Tea."), plugins=[plugin_on(tmp_path)])  # another process
            await agent.resume(*again, stream=MemoryStream(storage, id=name))

    asyncio.run(chat())

    assert [content for _, _, content in said(tmp_path)] == ["Ana drinks green tea", "Noted.", ASKED, "Tea."]


def test_the_model_can_use_the_tools(tmp_path: Path) -> None:
    model = replying(
        calling("remember", '{"content": "Ana drinks green tea", "kind": "preference", "tags": ["drinks"]}'),
        calling("recall", '{"query": "what does Ana drink", "limit": 1}'),
        calling("forget", '{"ids": ["Ana drinks green tea"]}'),
        "Done.",
    )
    agent = Agent("bot", config=model, plugins=[plugin_on(tmp_path, recording=Recording(mode=None))])

    async def chat() -> str:
        reply = await agent.ask("Remember, recall, forget.")
        return repr(list(await reply.history.get_events()))

    events = asyncio.run(chat())

    for answer in ("Memory stored (id: ", "Memory forgotten (id: "):
        assert answer in events
    assert kept(tmp_path) == []
    described = {schema.function.name: schema.function.parameters for schema in model.calls[0].tools}
    assert described.keys() == {"remember", "recall", "forget"}
    assert "self-contained" in described["remember"]["properties"]["content"]["description"]


def test_the_tools_have_the_surface_of_all_adapters(tmp_path: Path) -> None:
    plugin = plugin_on(tmp_path, inject=False, recording=Recording(mode=None))
    shown: dict[str, Any] = {}

    def call(name: str, arguments: dict[str, Any]) -> str:
        model = replying(calling(name, json.dumps(arguments)), "Done.")
        agent = Agent("bot", config=model, plugins=[plugin])

        async def chat() -> str:
            reply = await agent.ask("Use it.")
            events = [event for event in await reply.history.get_events() if isinstance(event, ToolResultsEvent)]
            return "".join(part.content for part in events[0].results[0].result.parts)

        answer = asyncio.run(chat())
        shown.update({schema.function.name: schema.function.parameters for schema in model.calls[0].tools})
        return answer

    call("recall", {"query": "anything"})
    with opened(tmp_path) as memory:
        check_surface(call, shown, memory)


def test_tools_and_block_can_be_left_out(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = replying("Tea.")

    ask(Agent("bot", "BASE", config=model, plugins=[plugin_on(tmp_path, inject=False, tools=False)]), ASKED)

    assert (model.calls[0].prompt, model.shown[0]) == (("BASE",), [ASKED])
    assert model.calls[0].tools == ()


def test_each_user_of_one_agent_has_a_memory_of_their_own(tmp_path: Path) -> None:
    plugin = plugin_on(tmp_path, lambda: f"user:{current_context().variables['user']}")
    model = replying(calling("remember", '{"content": "Ana drinks green tea"}'), "Noted.")
    ask(Agent("bot", config=model, plugins=[plugin]), "Hello, I am Ana", variables={"user": "ana"})
    model = replying(calling("recall", '{"query": "what does Ana drink"}'), "No idea.")

    async def chat() -> str:
        reply = await Agent("bot", config=model, plugins=[plugin]).ask(ASKED, variables={"user": "ben"})
        return repr(list(await reply.history.get_events()))

    events = asyncio.run(chat())

    assert plugin.failures == 0
    assert "No relevant memories found." in events
    assert "tea" not in str(model.shown)
    assert len(kept(tmp_path, "user:ana")) == 3
    assert [content for _, _, content in said(tmp_path, "user:ben")] == [ASKED, "No idea."]


def test_users_who_ask_at_the_same_time_are_not_mixed_up(tmp_path: Path) -> None:
    for user in ("ana", "ben", "eve"):
        opened(tmp_path, f"user:{user}").remember(f"The password hint of {user} is a city")
    plugin = plugin_on(tmp_path, lambda: f"user:{current_context().variables['user']}")
    models = {user: replying(calling("recall", '{"query": "password hint"}'), "Ok.") for user in ("ana", "ben", "eve")}

    async def chat() -> None:
        agents = [
            Agent("bot", config=model, plugins=[plugin]).ask("My password hint?", variables={"user": user})
            for user, model in models.items()
        ]
        await asyncio.gather(*agents)

    asyncio.run(chat())

    for user, model in models.items():
        block = model.shown[0][-1]
        assert [other for other in models if f"hint of {other}" in block] == [user]


def test_without_a_turn_nobody_is_read(tmp_path: Path) -> None:
    plugin = plugin_on(tmp_path, lambda: f"user:{current_context().variables['user']}")

    found = plugin.remembering.recall("tea")

    assert list(found) == []
    assert plugin.failures == 1
    with pytest.raises(errors.ConfigurationError, match="outside of an agent's turn"):
        current_context()


def test_what_is_read_need_not_be_what_is_written(tmp_path: Path) -> None:
    opened(tmp_path, "team").remember("Ana drinks green tea")
    model = replying("Tea.")

    ask(Agent("bot", config=model, plugins=[plugin_on(tmp_path, Scopes(read=["ana", "team"], write="ana"))]), ASKED)

    assert "Ana drinks green tea" in model.shown[0][-1]
    assert len(kept(tmp_path, "team")) == 1
    assert len(kept(tmp_path, "ana")) == 2


def test_an_agent_can_have_two_memories(tmp_path: Path) -> None:
    opened(tmp_path, "ana").remember("Ana drinks green tea")
    opened(tmp_path, "team").remember("The team drinks coffee")
    model = replying("Tea, or coffee.")
    team = plugin_on(tmp_path, "team", tools=False, recording=Recording(mode=None))

    ask(Agent("bot", config=model, plugins=[plugin_on(tmp_path, "ana"), team]), "Who drinks what?")

    [asked] = model.shown[0]
    assert asked.count(MARK) == 2
    assert ("green tea" in asked, "coffee" in asked, asked.endswith("\n\nWho drinks what?")) == (True, True, True)
    assert (len(kept(tmp_path, "ana")), len(kept(tmp_path, "team"))) == (3, 1)


def test_three_agents_of_a_channel_share_a_memory_in_which_each_message_is_once(tmp_path: Path) -> None:
    opened(tmp_path, "team").remember("The release train leaves on Thursday")
    plugin, models = plugin_on(tmp_path, "team"), {}

    def member(name: str) -> Agent:
        models[name] = replying(*[f"The {name} has an opinion."])
        return Agent(name, config=models[name], plugins=[plugin])

    async def discuss() -> list[str]:
        hub = await Hub.open(MemoryKnowledgeStore(), ttl_sweep_interval=0)
        planner, _, _ = [await hub.register(member(name)) for name in ("planner", "coder", "reviewer")]
        channel = await planner.open(type="discussion", target=["coder", "reviewer"])
        await channel.send("When does the release train leave?")
        texts: list[str] = []
        while len(texts) < 4:
            await asyncio.sleep(0.02)
            texts = [e.event_data["text"] for e in await hub.read_wal(channel.channel_id) if e.event_type == EV_TEXT]
        await channel.close()
        await hub.close()
        return texts[:4]

    asyncio.run(asyncio.wait_for(discuss(), 60))

    assert said(tmp_path, "team")[1:5] == [
        ("planner", "assistant", "When does the release train leave?"),
        ("coder", "assistant", "The coder has an opinion."),
        ("reviewer", "assistant", "The reviewer has an opinion."),
        ("planner", "assistant", "The planner has an opinion."),
    ]
    assert all("on Thursday" in model.shown[0][-1] for model in models.values())


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_that_fails_changes_no_reply(way: str, tmp_path: Path) -> None:
    told: list[Exception] = []
    with memory_that_is(way, tmp_path) as lost:
        plugin = TruekeepPlugin(lost, guard=FailOpen(deadline=0.5, retry_after=60, on_error=told.append))
        model = replying(calling("recall", '{"query": "tea"}'), "First.", "Second.", "Third.")
        agent = Agent("bot", "BASE", config=model, plugins=[plugin])

        async def chat() -> list[str | None]:
            reply = await agent.ask(ASKED)
            replies = [reply.body]
            for _ in range(2):
                reply = await reply.ask(ASKED)
                replies.append(reply.body)
            return replies

        replies = asyncio.run(asyncio.wait_for(chat(), 30))

    assert replies == ["First.", "Second.", "Third."]
    assert plugin.failures == len(told) >= 3
    assert [call.prompt for call in model.calls] == [("BASE",)] * 4
    assert MARK not in str(model.shown)


def test_what_could_not_be_recorded_is_recorded_later(tmp_path: Path) -> None:
    with memory_that_is("locked", tmp_path) as lost:
        plugin = TruekeepPlugin(lost, guard=FailOpen(deadline=0.2, tolerance=1000), tools=False)
        ask(Agent("bot", config=replying("Noted."), plugins=[plugin]), "Ana drinks green tea")
    failures = plugin.failures

    while not asyncio.run(plugin.flush()):
        time.sleep(0.05)

    assert failures > 0
    assert [content for _, _, content in said(tmp_path)] == ["Ana drinks green tea", "Noted."]


def test_pictures_data_and_silence_break_nothing(tmp_path: Path) -> None:
    plugin = plugin_on(tmp_path)
    picture = ImageInput(data=b"\x89PNG", media_type="image/png")

    async def chat() -> None:
        agent = Agent("bot", config=replying("A picture.", "A number.", ModelResponse(), "So?"), plugins=[plugin])
        reply = await agent.ask("What is this?", picture)
        reply = await reply.ask({"answer": 42})
        reply = await reply.ask("")
        await reply.ask(picture)

    asyncio.run(chat())

    assert plugin.failures == 0
    assert [content for _, _, content in said(tmp_path)] == ["What is this?", "A picture.", "A number.", "So?"]


def test_a_policy_on_its_own_recalls(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    model = replying("Tea.")
    policy = RecallPolicy(Remembering(spaces(tmp_path, "ana"), guard=patient()))

    ask(Agent("bot", "BASE", config=model, assembly=[policy]), ASKED)

    assert "Ana drinks green tea" in model.shown[0][-1]
    assert len(kept(tmp_path)) == 1


def test_an_answer_of_a_human_is_recorded(tmp_path: Path) -> None:
    async def question(context: Context) -> str:
        """Ask the user."""
        return await context.input("Which tea?")

    agent = Agent(
        "bot",
        config=replying(calling("question", "{}"), "Noted."),
        tools=[question],
        hitl_hook=lambda: "Green tea, always",
        plugins=[plugin_on(tmp_path)],
    )

    ask(agent, "Ask me")

    assert [content for _, _, content in said(tmp_path)] == ["Green tea, always", "Ask me", "Noted."]


def test_facts_are_extracted_on_flush(tmp_path: Path) -> None:
    plugin = plugin_on(tmp_path, recording=Recording(mode="extract"))
    ask(Agent("bot", config=replying("Noted."), plugins=[plugin]), "I prefer green tea over coffee.")

    done = asyncio.run(plugin.flush())

    assert done
    assert any("green tea" in item.content and item.kind == "preference" for item in kept(tmp_path))


def test_closing_deletes_nothing(tmp_path: Path) -> None:
    plugin = plugin_on(tmp_path)
    ask(Agent("bot", config=replying("Noted."), plugins=[plugin]), "Ana drinks green tea")

    asyncio.run(plugin.close())

    assert len(kept(tmp_path)) == 2
