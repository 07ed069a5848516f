"""`TruekeepMemory`: AutoGen's memory protocol, with one block per turn that no history ever holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from autogen_core import CancellationToken, Component, ComponentModel
from autogen_core.memory import Memory as AutoGenMemory
from autogen_core.memory import MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.tools import FunctionTool
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces, announcement, last_said
from truekeep.adapters.common.adapter import AsyncAttached, shielded
from truekeep.adapters.common.tools import open_model
from truekeep.errors import ConfigurationError, InvalidInput, StoreError
from truekeep.lazy import lazy
from truekeep.memory import Memory
from truekeep.model import Match

from .config import KEY_VARIABLE, TruekeepMemoryConfig, opened, written
from .injection import MODES, Inject, Overlay, from_context

_TEXT, _JSON = MemoryMimeType.TEXT.value, MemoryMimeType.JSON.value
_LABELS = ("kind", "session", "speaker")  # not `key` or `ttl`: in metadata of others they mean something else
_OURS = {"id", "score", "similarity", "confidence", "created"}  # what `_content_of` tells; it may be handed back to us
_T = TypeVar("_T")


class TruekeepMemory(AsyncAttached, AutoGenMemory, Component[TruekeepMemoryConfig]):  # type: ignore[misc]  # untyped here
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
        if not isinstance(memory, Remembering):
            memory = Remembering(memory, recalling=recalling, recording=recording, guard=guard)
        self.remembering = memory
        self._inject: Inject = inject
        self._announce = announce
        self._key_variable = key_variable

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
            asked = query if isinstance(query, str) else _text_in(query)
            found = await _linked(self.remembering.aio.recall(asked, **kwargs), cancellation_token)
            results += [_content_of(match) for match in found]
        return MemoryQueryResult(results=results)

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Remember text or JSON. Its metadata come back with it; `kind`, `tags`, `session` and `speaker` label it."""
        with shielded(self.remembering.guard):
            arguments = _arguments_in(content)
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


def _text_in(content: MemoryContent) -> str:
    """Its text; JSON for a mapping.

    Raises:
        InvalidInput: a picture, or bytes that are no text.
    """
    given = content.content
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return json.dumps(to_jsonable_python(given, fallback=str), ensure_ascii=False)
    if isinstance(given, bytes) and _mime_of(content).startswith("text/"):
        return given.decode("utf-8", "replace")
    raise InvalidInput("content", f"only text and JSON can be remembered, not {type(given).__name__}")


def _arguments_in(content: MemoryContent) -> dict[str, Any]:
    """The arguments of `Memory.remember`: a kind, tags, session and speaker among the metadata are meant as such."""
    metadata = to_jsonable_python({**(content.metadata or {})}, fallback=str)
    arguments: dict[str, Any] = {name: metadata.pop(name) for name in _LABELS if isinstance(metadata.get(name), str)}
    if "kind" in arguments:
        arguments["kind"] = "-".join(arguments["kind"].lower().split())
    if isinstance(metadata.get("tags"), list):
        arguments["tags"] = [str(tag) for tag in metadata.pop("tags")]
    if _mime_of(content) != _TEXT:
        metadata["mime_type"] = _mime_of(content)
    kept = {name: value for name, value in metadata.items() if name not in _OURS}
    return {"content": _text_in(content), "metadata": kept, **arguments}


def _content_of(match: Match) -> MemoryContent:
    """What was found, as it was added."""
    item = match.item
    metadata: dict[str, Any] = dict(item.metadata)
    mime = str(metadata.pop("mime_type", _TEXT))
    told: dict[str, Any] = {
        "id": item.id,
        "kind": item.kind,
        "tags": list(item.tags),
        "session": item.session,
        "speaker": item.speaker,
        "created": item.created.isoformat(),
        "score": match.score,
        "similarity": match.similarity,
        "confidence": match.confidence,
    }
    metadata.update({name: value for name, value in told.items() if value is not None})
    return MemoryContent(content=_as_added(item.content, mime), mime_type=mime, metadata=metadata)


def _mime_of(content: MemoryContent) -> str:
    """As text, whether an enum or a plain string was given."""
    mime = content.mime_type
    return str(mime.value) if isinstance(mime, MemoryMimeType) else str(mime)


def _as_added(text: str, mime: str) -> str | dict[str, Any]:
    if mime != _JSON:
        return text
    try:
        found = json.loads(text)
    except ValueError:  # corrected by hand since
        return text
    return found if isinstance(found, dict) else text


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
