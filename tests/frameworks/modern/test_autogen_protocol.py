"""The other verbs of AutoGen's memory protocol: add, query, clear and close."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from autogen_core import CancellationToken, Image
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import (
    UserMessage,
)
from PIL import Image as Picture

from truekeep import ConfigurationError, Memory, StoreError
from truekeep.adapters.autogen import FailOpen, Recalling, Scopes, Spaces, TruekeepMemory

from .autogen_parts import PATIENT, agent, contents, kept, opened, received, remembering, text


def test_what_is_added_is_found_again_as_it_was(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    order = {"order": 7, "late": True}

    async def use() -> list[MemoryContent]:
        await memory.add(
            MemoryContent(
                content="Ana drinks green tea",
                mime_type=MemoryMimeType.TEXT,
                metadata={"kind": "Preference", "tags": ["drinks"], "speaker": "Ana", "page": 3},
            )
        )
        await memory.add(MemoryContent(content=order, mime_type="application/json"), CancellationToken())
        await memory.add(MemoryContent(content=b"Ana lives in Rome", mime_type="text/plain"))
        tea = await memory.query("tea", limit=1)
        late = await memory.query(MemoryContent(content="order late", mime_type="text/plain"), CancellationToken())
        return [tea.results[0], late.results[0]]

    tea, late = asyncio.run(use())

    assert tea.content == "Ana drinks green tea"
    assert tea.mime_type == "text/plain"
    assert tea.metadata is not None
    assert {"kind": "preference", "tags": ["drinks"], "speaker": "Ana", "page": 3}.items() <= tea.metadata.items()
    assert (late.content, late.mime_type) == (order, "application/json")
    assert contents(tmp_path)[-1] == "Ana lives in Rome"
    assert memory.failures == 0


def test_what_was_found_can_be_added_again(tmp_path: Path) -> None:
    memory = remembering(tmp_path)

    async def use() -> None:
        await memory.add(MemoryContent(content="Ana drinks green tea", mime_type="text/plain"))
        await memory.add((await memory.query("tea")).results[0])

    asyncio.run(use())

    assert contents(tmp_path) == ["Ana drinks green tea"]
    assert kept(tmp_path)[0].metadata == {}
    assert memory.failures == 0


def test_a_picture_is_not_remembered_and_that_is_counted(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    picture = MemoryContent(content=Image(Picture.new("RGB", (1, 1))), mime_type=MemoryMimeType.IMAGE)

    async def use() -> int:
        await memory.add(picture)
        return len((await memory.query(picture)).results)

    assert asyncio.run(use()) == 0
    assert memory.failures == 2
    assert contents(tmp_path) == []


def test_a_cancelled_token_ends_the_waiting(tmp_path: Path) -> None:
    memory = remembering(tmp_path)
    token = CancellationToken()
    token.cancel()

    async def use() -> None:
        await memory.query("tea", token)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(use())


def test_clear_erases_the_space_and_no_other(tmp_path: Path) -> None:
    opened(tmp_path, "ana").remember("Ana drinks green tea")
    opened(tmp_path, "ben").remember("Ben drinks beer")
    memory = remembering(tmp_path, Scopes(read=["ana", "ben"], write="ana"))

    asyncio.run(memory.clear())

    assert contents(tmp_path, "ana") == []
    assert contents(tmp_path, "ben") == ["Ben drinks beer"]


def test_a_memory_that_can_only_be_read_is_not_cleared(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    memory = remembering(tmp_path, Scopes(read="ana"))

    with pytest.raises(ConfigurationError, match="only be read"):
        asyncio.run(memory.clear())

    assert contents(tmp_path) == ["Ana drinks green tea"]


def test_a_memory_that_cannot_be_cleared_says_so(tmp_path: Path) -> None:
    memory = TruekeepMemory(Spaces("ana", at=tmp_path))  # a folder, not a file

    with pytest.raises(StoreError, match="not be cleared"):
        asyncio.run(memory.clear())


def test_close_deletes_nothing_and_leaves_a_memory_of_others_open(tmp_path: Path) -> None:
    with opened(tmp_path) as ours:
        ours.remember("Ana drinks green tea")
        memory = TruekeepMemory(ours)

        async def use() -> int:
            await memory.close()
            return len((await memory.query("tea")).results)

        assert asyncio.run(use()) == 1
        assert len(ours.recall("tea")) == 1


def test_an_unknown_way_of_injection_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'system', not 'assistant'"):
        TruekeepMemory("ana", inject="assistant")  # type: ignore[arg-type]


@pytest.mark.timeout(120)
def test_the_model_inside_the_package_finds_a_paraphrase(tmp_path: Path) -> None:
    with Memory("ana", at=tmp_path / "memory.db") as memory:
        memory.remember_many(["Ana's daughter plays the violin", "The invoice is due on Friday"])
        bot = agent(TruekeepMemory(memory, guard=FailOpen(deadline=PATIENT), recalling=Recalling(limit=1)))

        asyncio.run(bot.run(task="Which instrument does her child practise?"))

        assert "violin" in text(received(bot))


def test_a_context_without_an_agent_shows_the_block_and_holds_only_the_messages(tmp_path: Path) -> None:
    opened(tmp_path).remember("Ana drinks green tea")
    memory, context = remembering(tmp_path), UnboundedChatCompletionContext()

    async def use() -> tuple[str, str]:
        await context.add_message(UserMessage(content="tea?", source="user"))
        await memory.update_context(context)
        return str(await context.get_messages()), str(await context.save_state())

    shown, held = asyncio.run(use())

    assert ("green tea" in shown, "tea?" in shown) == (True, True)
    assert ("green tea" in held, "tea?" in held) == (False, True)
