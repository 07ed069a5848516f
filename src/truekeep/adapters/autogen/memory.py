"""`TruekeepMemory`: AutoGen's memory protocol, with one block per turn that no history ever holds."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from autogen_core import CancellationToken, Component, ComponentModel
from autogen_core.memory import Memory as AutoGenMemory
from autogen_core.memory import MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.tools import FunctionTool
from pydantic import BaseModel

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces, announcement, last_said
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.tools import open_model
from truekeep.errors import ConfigurationError, StoreError
from truekeep.lazy import lazy
from truekeep.memory import Memory

from .config import KEY_VARIABLE, TruekeepMemoryConfig, opened, written
from .contents import arguments_in, content_of, from_context, text_in
from .injection import MODES, Inject, Overlay

_T = TypeVar("_T")


class TruekeepMemory(AutoGenMemory, Component[TruekeepMemoryConfig]):  # type: ignore[misc]  # untyped in our checks
    """A memory for `AssistantAgent(memory=[...])` that outlives the process.

    Before every turn the agent's prompt gets one block with what is known about the latest message, in place of that
    of the turn before. It is shown to the model only: neither `save_state` nor the messages of a run hold it. One
    `TruekeepMemory` may serve several agents. If the memory fails, the agent goes on without it; `failures` counts.

    Args:
        memory: a `truekeep.Memory`, for reading and writing; `Spaces(...)`, for scopes that are chosen per call; the
            name of a space; or a `Remembering`, with all that is said about it.
        inject: how the block enters the prompt: "merge" as the beginning of the last user message, "user" as a user
            message before that, so that prompt caches keep all that comes before; "system" as a system message after
            the agent's own.
        announce: tell people of every block, with a `MemoryQueryEvent` that says "recalled 3 memories".
        recalling: what of the memory enters a prompt.
        recording: what of a conversation a `WriteBack` keeps.
        guard: how failures are met.
        key_variable: the environment variable from which a loaded copy takes the access key.
    """

    component_config_schema = TruekeepMemoryConfig
    component_provider_override = "truekeep.adapters.autogen.TruekeepMemory"
    component_description = "A memory that outlives the process."

    def __init__(
        self,
        memory: Memory | Spaces | Remembering | str,
        *,
        inject: Inject = "merge",
        announce: bool = False,
        recalling: Recalling | None = None,
        recording: Recording | None = None,
        guard: FailOpen | None = None,
        key_variable: str = KEY_VARIABLE,
    ) -> None:
        if inject not in MODES:
            raise ConfigurationError(f"inject is one of {', '.join(map(repr, MODES))}, not {inject!r}")
        self.remembering = (
            memory
            if isinstance(memory, Remembering)
            else Remembering(memory, recalling=recalling, recording=recording, guard=guard)
        )
        self._inject: Inject = inject
        self._announce = announce
        self._key_variable = key_variable

    @property
    def failures(self) -> int:
        """How often an agent went on without its memory."""
        return self.remembering.failures

    @lazy
    def tools(self) -> list[MemoryTool]:
        """`remember`, `recall` and `forget` for a model."""
        return [MemoryTool(self, verb) for verb in self.remembering.tools.function_map]

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Show the model what is known about the latest message, instead of what was shown before."""
        told = []
        with shielded(self.remembering.guard):
            overlay = Overlay.of(model_context)
            overlay.show(self, "", self._inject)  # the former block may be about somebody else: gone, whatever comes
            messages = [from_context(message) for message in await overlay.held()]
            block = await self.remembering.aio.block(last_said(messages), seen=messages)
            overlay.show(self, block, self._inject)
            if block and self._announce:
                told.append(MemoryContent(content=announcement(block), mime_type=MemoryMimeType.TEXT))
        return UpdateContextResult(memories=MemoryQueryResult(results=told))

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """What is known about it, best first; nothing if the memory fails.

        Args:
            query: a question or a topic, in any words.
            cancellation_token: ends the waiting.
            **kwargs: `limit`, and the filters of `truekeep.Memory.recall`.
        """
        results: list[MemoryContent] = []
        with shielded(self.remembering.guard):
            asked = query if isinstance(query, str) else text_in(query)
            found = await _linked(self.remembering.aio.recall(asked, **kwargs), cancellation_token)
            results += [content_of(match) for match in found]
        return MemoryQueryResult(results=results)

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Remember text or JSON. Its metadata come back with it; `kind`, `tags`, `session` and `speaker` label it."""
        with shielded(self.remembering.guard):
            arguments = arguments_in(content)
            keeping = self.remembering.aio.on_memory(lambda memory: memory.remember(**arguments), None)
            await _linked(keeping, cancellation_token)

    async def clear(self) -> None:
        """Erase the whole space that is written to, values and saved teams included.

        Raises:
            ConfigurationError: this memory can only be read.
            StoreError: it is not certain that everything is gone.
        """
        if self.remembering.spaces.scopes().write is None:
            raise ConfigurationError("this memory can only be read; there is nothing to clear")

        def erase(memory: Memory) -> bool:
            memory.forget(everything=True)
            return True

        if not await self.remembering.aio.on_memory(erase, False):
            raise StoreError("the memory could not be cleared", retryable=True)  # never a silent no

    async def close(self) -> None:
        """Finish what waits, and release what was opened here; deletes nothing."""
        await self.remembering.aio.close()

    def _to_config(self) -> TruekeepMemoryConfig:
        return written(self.remembering, inject=self._inject, announce=self._announce, key_variable=self._key_variable)

    @classmethod
    def _from_config(cls, config: TruekeepMemoryConfig) -> TruekeepMemory:
        return cls(
            opened(config),
            inject=config.inject,
            announce=config.announce,
            key_variable=config.key_variable or KEY_VARIABLE,
        )


async def _linked(work: Coroutine[Any, Any, _T], token: CancellationToken | None) -> _T:
    """Wait for it until the token says otherwise."""
    future = asyncio.ensure_future(work)
    if token is not None:
        token.link_future(future)
    return await future


class MemoryToolConfig(BaseModel):
    """A tool by its name, and the memory that it works on."""

    verb: str
    memory: ComponentModel


class MemoryTool(FunctionTool):  # type: ignore[misc]  # as above
    """One of the tools of a memory. It never raises: a model gets an answer that it can read.

    A function tool is dumped as source code, which would not find its memory again; this one is dumped by its name.

    Args:
        memory: what it works on.
        verb: remember, recall or forget.
    """

    component_config_schema = MemoryToolConfig
    component_provider_override = "truekeep.adapters.autogen.MemoryTool"
    component_description = "A tool on a memory that outlives the process."

    def __init__(self, memory: TruekeepMemory, verb: str) -> None:
        tools = memory.remembering.tools
        function = {one.__name__: one for one in tools.async_functions}[verb]
        schema = {one["name"]: one for one in tools.function_schemas}[verb]
        super().__init__(function, description=schema["description"], name=verb)
        self._args_type = open_model(schema)
        self._memory = memory

    async def run(self, args: BaseModel, cancellation_token: CancellationToken) -> str:
        """Carry out a call as the model wrote it: what is wrong with it, the tool says itself."""
        answer: str = await self._func(**args.model_dump())
        return answer

    def _to_config(self) -> MemoryToolConfig:
        return MemoryToolConfig(verb=self.name, memory=self._memory.dump_component())

    @classmethod
    def _from_config(cls, config: MemoryToolConfig) -> MemoryTool:
        return cls(TruekeepMemory.load_component(config.memory), config.verb)
