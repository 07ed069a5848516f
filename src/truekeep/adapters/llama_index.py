"""LlamaIndex: a memory block that recalls, a `Memory` that shows it in the right place and records, and the tools."""

from __future__ import annotations

from typing import Any

from truekeep.memory import Memory as Truekeep

from .common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces, last_said
from .common import memory_tools as tools_on
from .common.adapter import MissingFramework, shielded

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock, InsertMethod, Memory
    from llama_index.core.tools import FunctionTool
    from pydantic import PrivateAttr

    from .common.tools import open_model
except ModuleNotFoundError as error:
    raise MissingFramework("llama-index", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "Recording",
    "Scopes",
    "Spaces",
    "TruekeepMemory",
    "TruekeepMemoryBlock",
    "memory_tools",
]

_SPEAKS = {MessageRole.CHATBOT: "assistant", MessageRole.MODEL: "assistant"}


class TruekeepMemoryBlock(BaseMemoryBlock[str]):  # type: ignore[misc]  # not installed where types are checked
    """What the memory has to say about the last message of a person: `memory_blocks=[TruekeepMemoryBlock("cook")]`.

    In a `TruekeepMemory` it also records each message. A plain `Memory` of LlamaIndex tells its blocks only what no
    longer fits into its window, so that there short conversations are not recorded. Blocks that share a memory share
    what it knows. No failure of the memory ends a run; `failures` counts them.

    Args:
        memory: a `Memory` of Truekeep, for reading and writing; `Spaces(...)`; or the name of a space.
        name: under which LlamaIndex shows the block.
        priority: 0 keeps the block when the window is full; with any other number it is the first to go.
        speaker: the name of the agent, which LlamaIndex does not tell.
        recalling: what of the memory enters the prompt.
        recording: what of the conversation is kept.
        guard: how failures are met.
    """

    _remembering: Remembering = PrivateAttr()
    _speaker: str | None = PrivateAttr()

    def __init__(
        self,
        memory: Truekeep | Spaces | str,
        *,
        name: str = "long_term_memory",
        priority: int = 0,
        speaker: str | None = None,
        recalling: Recalling | None = None,
        recording: Recording | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        super().__init__(name=name, priority=priority)
        self._remembering = Remembering(memory, recalling=recalling, recording=recording, guard=guard)
        self._speaker = speaker

    @property
    def remembering(self) -> Remembering:
        """The memory as the block sees it."""
        return self._remembering

    @property
    def failures(self) -> int:
        """How often an agent went on without its memory."""
        return self._remembering.failures

    async def record(self, messages: list[ChatMessage], session_id: str | None = None) -> None:
        """Record a conversation from its beginning, as far as it is not recorded yet."""
        with shielded(self._remembering.guard):
            said = [self._plain(message) for message in messages]
            await self._remembering.aio.record(said, conversation=session_id)

    async def flush(self, limit: float = 10.0) -> bool:
        """Keep what is not kept yet; whether all is done within so many seconds."""
        return await self._remembering.aio.flush(limit)

    async def close(self, limit: float = 10.0) -> None:
        """Flush, and release what was opened here; deletes nothing."""
        await self._remembering.aio.close(limit)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        with shielded(self._remembering.guard):
            seen = [self._plain(message) for message in messages or ()]
            asked = last_said([one for one in seen if one["role"] == "user"])
            return await self._remembering.aio.block(asked, seen=seen, conversation=block_kwargs.get("session_id"))
        return ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        session = next((message.additional_kwargs.get("session_id") for message in messages), None)
        await self.record(messages, session)

    def _plain(self, message: ChatMessage) -> dict[str, Any]:
        role = _SPEAKS.get(message.role, message.role.value)
        named = {"speaker": self._speaker} if role == "assistant" and self._speaker else {}
        return {"role": role, "content": message.content or "", **named}


class TruekeepMemory(Memory):  # type: ignore[misc]
    """The `Memory` of LlamaIndex, with blocks in the last user message, and each message told to them at once.

    `TruekeepMemory.from_defaults(session_id="monday", memory_blocks=[TruekeepMemoryBlock("cook")])`. LlamaIndex itself
    puts blocks into the system message, whose bytes then change with every question.
    """

    @classmethod
    def from_defaults(
        cls, *args: Any, insert_method: InsertMethod = InsertMethod.USER, **options: Any
    ) -> TruekeepMemory:
        """As `Memory.from_defaults`."""
        made: TruekeepMemory = super().from_defaults(*args, insert_method=insert_method, **options)
        return made

    async def aput(self, message: ChatMessage) -> None:
        """As `Memory.aput`; and record it."""
        await super().aput(message)
        await self._record()

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """As `Memory.aput_messages`; and record them."""
        await super().aput_messages(messages)
        await self._record()

    async def _record(self) -> None:
        """From the beginning: how often somebody said something tells messages apart, which have no ids."""
        said = await self.aget_all()
        for block in self.memory_blocks:
            if isinstance(block, TruekeepMemoryBlock):
                await block.record(said, self.session_id)


def memory_tools(memory: Truekeep | Spaces | Remembering | str) -> list[FunctionTool]:
    """`remember`, `recall` and `forget` as tools of LlamaIndex, for sync and async agents; none of them raises.

    Args:
        memory: a `Memory` of Truekeep; `Spaces(...)`; the name of a space; or `block.remembering`.
    """
    tools = tools_on(memory)
    return [
        FunctionTool.from_defaults(
            fn=function,
            async_fn=coroutine,
            name=schema["name"],
            description=schema["description"],
            fn_schema=open_model(schema),
        )
        for function, coroutine, schema in zip(
            tools.functions, tools.async_functions, tools.function_schemas, strict=True
        )
    ]
