"""The chat client with a memory, against the real `openai` package and a model behind a real endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import APIConnectionError, AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletionMessageParam

from tests.frameworks.prompts import chat_client
from tests.frameworks.prompts.checking import check_prompts
from truekeep import ConfigurationError, Memory
from truekeep.adapters.chat_client import FailOpen, Recalling, Recording, Remembering, with_memory
from truekeep.testing.fakes import FakeEmbedder

from .model import Model, running

TEA = "I drink green tea"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory("bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False) as memory:
        yield memory


@pytest.fixture
def model() -> Iterator[Model]:
    with running("Noted.", "Green tea, then.") as model:
        yield model


@pytest.fixture
def client(model: Model) -> Iterator[OpenAI]:
    with OpenAI(base_url=model.url, api_key="none", max_retries=0) as client:
        yield client


def said(text: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": text}]


def record(memory: Memory) -> list[tuple[str | None, str]]:
    """Who said what, oldest first."""
    return [(item.source.role, item.content) for item in reversed(memory.items())]


def shown(model: Model, call: int = -1) -> str:
    """All that the model saw in a call."""
    return json.dumps(model.asked[call], ensure_ascii=False)


def test_what_was_said_in_one_conversation_is_shown_to_the_model_in_the_next(
    client: OpenAI, model: Model, memory: Memory
) -> None:
    first = with_memory(client, memory, conversation="monday")
    first.chat.completions.create(model="m", messages=said(TEA))
    mine = said("what green drink do I like?")

    reply = with_memory(client, memory, conversation="tuesday").chat.completions.create(model="m", messages=mine)

    assert reply.choices[0].message.content == "Green tea, then."
    [user] = model.asked[-1]["messages"]
    assert user["content"].startswith("## Long-term memory\n<recalled-memory")
    assert TEA in user["content"]
    assert user["content"].endswith("</recalled-memory>\n\nwhat green drink do I like?")
    assert mine == said("what green drink do I like?")  # the caller's own list is as it was


def test_what_comes_before_the_last_message_stays_as_it_is(tmp_path: Path) -> None:
    check_prompts(chat_client.play, tmp_path)


def test_between_tool_calls_the_block_stays_as_it_is(client: OpenAI, model: Model, memory: Memory) -> None:
    memory.remember_many([TEA, "The kettle stands in the kitchen"])
    chat: Any = with_memory(client, memory, recalling=Recalling(limit=1), recording=Recording(mode=None))
    function = {"name": "look", "arguments": "{}"}
    call = {"id": "c1", "type": "function", "function": function}
    messages: list[Any] = said("which green tea do I drink?")

    chat.chat.completions.create(model="m", messages=messages)
    messages += [{"role": "assistant", "content": "Where is the kettle in the kitchen?", "tool_calls": [call]}]
    messages += [{"role": "tool", "tool_call_id": "c1", "content": "found"}]
    chat.chat.completions.create(model="m", messages=messages)

    assert TEA in model.asked[0]["messages"][0]["content"]
    assert model.asked[1]["messages"][0] == model.asked[0]["messages"][0]


def test_it_may_join_the_system_message_instead(client: OpenAI, model: Model, memory: Memory) -> None:
    memory.remember(TEA)
    messages: list[ChatCompletionMessageParam] = [{"role": "developer", "content": "Be brief."}, *said("green tea?")]

    with_memory(client, memory, inject="system").chat.completions.create(model="m", messages=messages)

    assert [message["role"] for message in model.asked[-1]["messages"]] == ["developer", "user"]
    assert model.asked[-1]["messages"][0]["content"].startswith("Be brief.\n\n## Long-term memory\n<recalled-memory")
    assert messages[0]["content"] == "Be brief."


def test_it_is_a_part_of_a_message_of_parts(client: OpenAI, model: Model, memory: Memory) -> None:
    memory.remember(TEA)
    parts: list[ChatCompletionMessageParam] = [{"role": "user", "content": [{"type": "text", "text": "green tea?"}]}]
    chat = with_memory(client, memory, recording=Recording(mode=None))

    chat.chat.completions.create(model="m", messages=parts)

    assert [part["type"] for part in model.asked[0]["messages"][0]["content"]] == ["text", "text"]


def test_a_growing_history_is_recorded_once_and_what_was_recalled_never(client: OpenAI, memory: Memory) -> None:
    chat = with_memory(client, memory, conversation="monday")
    history: list[Any] = [{"role": "system", "content": "Be brief."}, *said(TEA)]

    first = chat.chat.completions.create(model="m", messages=history)
    history += [first.choices[0].message, *said("which green drink?")]  # the answer's own object goes back in
    chat.chat.completions.create(model="m", messages=history)

    assert record(memory) == [
        ("user", TEA),
        ("assistant", "Noted."),
        ("user", "which green drink?"),
        ("assistant", "Green tea, then."),
    ]
    assert {item.session for item in memory.items()} == {"monday"}


def test_another_process_that_goes_on_with_a_conversation_records_nothing_twice(client: OpenAI, memory: Memory) -> None:
    history: list[Any] = said(TEA)
    with_memory(client, memory, conversation="monday").chat.completions.create(model="m", messages=history)
    history += [{"role": "assistant", "content": "Noted."}, *said("and you?")]

    with_memory(client, memory, conversation="monday").chat.completions.create(model="m", messages=history)

    assert [text for _, text in record(memory)] == [TEA, "Noted.", "and you?", "Green tea, then."]


def test_a_stream_passes_every_chunk_on_and_is_recorded_when_it_ends(client: OpenAI, memory: Memory) -> None:
    plain = [chunk.choices for chunk in client.chat.completions.create(model="m", messages=said("?"), stream=True)]
    stream = with_memory(client, memory).chat.completions.create(model="m", messages=said(TEA), stream=True)

    begun = next(stream)
    kept_meanwhile = record(memory)
    chunks = [begun, *stream]

    assert kept_meanwhile == []
    assert len(chunks) > len(plain)  # a longer reply, and the chunk without choices at its end too
    assert stream.response.status_code == 200  # all else of the stream is there
    assert record(memory) == [("user", TEA), ("assistant", "Green tea, then.")]


def test_a_stream_that_is_cut_off_records_what_was_asked_but_not_half_a_reply(client: OpenAI, memory: Memory) -> None:
    chat = with_memory(client, memory)

    with chat.chat.completions.create(model="m", messages=said(TEA), stream=True) as stream:
        next(iter(stream))
    another = chat.chat.completions.create(model="m", messages=said("and coffee?"), stream=True)
    next(another)
    another.close()

    assert record(memory) == [("user", TEA), ("user", "and coffee?")]


def test_an_asynchronous_client_does_the_same_awaited(model: Model, memory: Memory) -> None:
    async def story() -> tuple[str | None, str]:
        async with AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0) as client:
            chat = with_memory(client, memory, conversation="monday")
            whole = await chat.chat.completions.create(model="m", messages=said(TEA))
            streamed = ""
            stream = await chat.chat.completions.create(model="m", messages=said("which green drink?"), stream=True)
            async for chunk in stream:
                streamed += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            return whole.choices[0].message.content, streamed

    assert asyncio.run(story()) == ("Noted.", "Green tea, then.")
    assert TEA in shown(model)
    assert [text for _, text in record(memory)] == [TEA, "Noted.", "which green drink?", "Green tea, then."]


def test_an_asynchronous_stream_may_be_cut_off_too(model: Model, memory: Memory) -> None:
    async def story() -> None:
        async with AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0) as client:
            chat = with_memory(client, memory)
            async with await chat.chat.completions.create(model="m", messages=said(TEA), stream=True) as stream:
                await anext(aiter(stream))

    asyncio.run(story())

    assert record(memory) == [("user", TEA)]


def test_a_service_that_may_keep_the_input_gets_the_block_as_instructions(
    client: OpenAI, model: Model, memory: Memory
) -> None:
    chat = with_memory(client, memory, conversation="monday")

    first = chat.responses.create(model="m", input=TEA)
    chat.responses.create(model="m", input=said("which green drink?"), instructions="Be brief.")  # type: ignore[arg-type]  # a message is an item, too
    events = list(
        chat.responses.create(model="m", input="which green drink?", previous_response_id=first.id, stream=True)
    )

    assert model.asked[1]["instructions"].startswith("Be brief.\n\n## Long-term memory\n")
    assert TEA in model.asked[1]["instructions"]
    assert model.asked[2]["input"] == "which green drink?"
    assert events[-1].type == "response.completed"
    assert [text for _, text in record(memory)] == [
        TEA,
        "Noted.",
        "which green drink?",
        "Green tea, then.",
        "which green drink?",  # said again: a call that goes on with another brings only what is new
        "Green tea, then.",
    ]


def test_a_service_that_keeps_nothing_gets_the_block_above_the_last_message(
    client: OpenAI, model: Model, memory: Memory
) -> None:
    memory.remember(TEA)
    chat: Any = with_memory(client, memory, recording=Recording(mode=None))
    history = [*said("Hello"), {"role": "assistant", "content": "Hello."}, *said("which green drink?")]

    chat.responses.create(model="m", input=history, instructions="Be brief.")
    chat.responses.create(model="m", input="which green drink?", instructions="Be brief.", store=False)

    for asked in model.asked:
        assert asked["instructions"] == "Be brief."
        assert asked["input"][-1]["content"].endswith("</recalled-memory>\n\nwhich green drink?")
    assert model.asked[0]["input"][:-1] == history[:-1]


def test_a_memory_that_fails_makes_no_call_fail_and_is_counted(client: OpenAI, tmp_path: Path) -> None:
    gone = Memory("bot", at="http://127.0.0.1:1")
    remembering = Remembering(gone, guard=FailOpen(deadline=1.0))
    chat = with_memory(client, remembering)

    reply = chat.chat.completions.create(model="m", messages=said(TEA))
    pieces = list(chat.chat.completions.create(model="m", messages=said(TEA), stream=True))

    assert reply.choices[0].message.content == "Noted."
    assert pieces
    assert remembering.failures


def test_a_call_that_fails_raises_what_it_always_did_and_records_nothing(memory: Memory) -> None:
    client = with_memory(OpenAI(base_url="http://127.0.0.1:1/v1", api_key="none", max_retries=0), memory)

    with pytest.raises(APIConnectionError):
        client.chat.completions.create(model="m", messages=said(TEA))

    assert record(memory) == []


@pytest.mark.parametrize("messages", [[], None, [None], [7, "text", object()], [{"role": "user"}], "text"])
def test_messages_of_any_shape_reach_the_client_as_they_are(memory: Memory, messages: object) -> None:
    seen: list[object] = []

    class Completions:
        def create(self, **arguments: object) -> object:
            seen.append(arguments["messages"])
            return None

    class Client:
        class chat:
            completions = Completions()

    assert with_memory(Client(), memory).chat.completions.create(messages=messages) is None
    assert seen == [messages]


def test_messages_that_can_be_read_only_once_reach_both(client: OpenAI, model: Model, memory: Memory) -> None:
    with_memory(client, memory).chat.completions.create(model="m", messages=iter(said(TEA)))

    assert model.asked[-1]["messages"] == said(TEA)
    assert record(memory)[0] == ("user", TEA)


def test_the_client_is_still_one_and_its_copies_remember_as_well(client: OpenAI, memory: Memory) -> None:
    chat = with_memory(client, memory)

    assert isinstance(chat, OpenAI)
    assert str(chat.base_url) == str(client.base_url)
    chat.with_options(timeout=5).chat.completions.create(model="m", messages=said(TEA))
    assert record(memory)[0] == ("user", TEA)
    client.chat.completions.create(model="m", messages=said("not to be kept"))
    assert "not to be kept" not in [text for _, text in record(memory)]


def test_one_remembering_serves_several_conversations(client: OpenAI, memory: Memory) -> None:
    shared = Remembering(memory)

    for name in ("monday", "tuesday"):
        with_memory(client, shared, conversation=name).chat.completions.create(model="m", messages=said(TEA))

    assert {item.session for item in memory.items()} == {"monday", "tuesday"}


def test_what_cannot_be_is_said_at_once(client: OpenAI, memory: Memory) -> None:
    with pytest.raises(ConfigurationError, match="not 'assistant'"):
        with_memory(client, memory, inject="assistant")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="say it there"):
        with_memory(client, Remembering(memory), recording=Recording(mode=None))
