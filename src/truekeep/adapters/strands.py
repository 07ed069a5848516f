"""Strands Agents: a plugin that recalls, records and brings the tools, and a store for Strands' memory manager."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import uuid4

from truekeep.errors import StoreError
from truekeep.memory import Memory

from .common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces
from .common.adapter import Attached, Current, MissingFramework, shielded
from .common.speech import is_mere_question
from .common.verbs import UNAVAILABLE

try:
    from strands import Agent
    from strands.hooks import MessageAddedEvent
    from strands.memory import MemoryEntry
    from strands.middleware import InvokeModelStage
    from strands.middleware.stages import InvokeModelContext
    from strands.plugins import Plugin
    from strands.types.content import Message
    from strands.types.tools import AgentTool, ToolSpec, ToolUse
except ModuleNotFoundError as error:
    raise MissingFramework("strands", error) from error

__all__ = ["FailOpen", "Recalling", "Recording", "Scopes", "Spaces", "TruekeepPlugin", "TruekeepStore", "current_agent"]

current_agent: Current[Agent] = Current("Strands agent")
"""The agent of the turn under way, for a function that says whose memory it is.

`Spaces(lambda: f"user:{current_agent().state.get('user')}")` serves each user from a space of their own.
"""


class TruekeepPlugin(Attached, Plugin):  # type: ignore[misc]  # Strands is not installed where types are checked
    """Gives an agent a memory: `Agent(model, plugins=[TruekeepPlugin("support-bot")])`.

    What is recalled stands at the end of the last message of a person, where Strands keeps it out of a provider's
    prompt cache, and in no history. Agents that share a plugin share its memory. No failure of the memory ends a turn;
    `failures` counts them.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        inject: whether to show the model what the memory has to say.
        tools: whether to give the model `remember`, `recall` and `forget`.
        recalling: what of the memory enters the prompt.
        recording: what of the conversation is kept.
        conversation: its name; by default that of the agent's session, or a new one for each plugin.
        guard: how failures are met.
    """

    name = "truekeep"

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        inject: bool = True,
        tools: bool = True,
        recalling: Recalling | None = None,
        recording: Recording | None = None,
        conversation: str | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        super().__init__()
        self.remembering = Remembering(
            memory, recalling=recalling, recording=recording, conversation=conversation, guard=guard
        )
        self._inject = inject
        schemas = self.remembering.tools.function_schemas if tools else []
        self._offered = [_Verb(self.remembering, schema) for schema in schemas]
        self._conversation = conversation

    @property
    def tools(self) -> list[AgentTool]:
        """`remember`, `recall` and `forget`; none of them raises."""
        return [*self._offered]

    def init_agent(self, agent: Agent) -> None:
        """Listen to the agent, and show its model what the memory has to say."""
        agent.add_hook(self._hear, MessageAddedEvent)
        if self._inject:
            agent.add_middleware(InvokeModelStage.Input, self._show)

    async def _hear(self, event: MessageAddedEvent) -> None:
        with shielded(self.remembering.guard), current_agent.set_to(event.agent):
            said = _plain(event.message, event.agent.name)
            await self.remembering.aio.note(
                said,
                id=event.message.get("tracking_id") or uuid4().hex,
                conversation=self._name_of(event.agent),
            )

    async def _show(self, context: InvokeModelContext) -> InvokeModelContext:
        with shielded(self.remembering.guard), current_agent.set_to(context.agent):
            asked = [number for number, message in enumerate(context.messages) if _asks(message)]
            if asked:
                seen = [_plain(message) for message in context.messages]
                block = await self.remembering.aio.block(
                    seen[asked[-1]]["content"], seen=seen, conversation=self._name_of(context.agent)
                )
                return _with_block(context, asked[-1], block)
        return context

    def _name_of(self, agent: Agent) -> str | None:
        """The conversation: where a session manager keeps it, which Strands shows to models only."""
        return self._conversation or getattr(getattr(agent, "_session_manager", None), "session_id", None)


class TruekeepStore:
    """A store for the `MemoryManager` of Strands, beside others: `MemoryManager([TruekeepStore("facts")])`.

    The manager shows what `search` finds in its own tags, and gives the model tools of its own. With `extraction=True`
    it tells the store what was said, every few turns and on `flush`.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        name: under which the tools of the manager know it.
        description: what it holds, for the model.
        max_search_results: how much a search finds that does not say it.
        extraction: whether the manager tells what was said; or when, as Strands takes it.
        recording: what of it is kept.
        guard: how failures are met.
    """

    writable = True

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        name: str = "truekeep",
        description: str | None = "What earlier conversations brought.",
        max_search_results: int = 5,
        extraction: Any = None,
        recording: Recording | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.extraction = extraction
        self.remembering = Remembering(memory, recording=recording, guard=guard)

    async def search(self, query: str, options: Any = None) -> list[MemoryEntry]:
        """What is known about it, best first; nothing when the memory fails."""
        limit = (options or {}).get("max_search_results") or self.max_search_results
        found = await self.remembering.aio.recall(query, limit=limit)
        telling = [match for match in found if not is_mere_question(match)]
        return [
            MemoryEntry(match.content, metadata={"id": match.id, "kind": match.kind})
            for match in (*telling, *found.lessons)
        ]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> None:
        """Remember it.

        Raises:
            StoreError: that was not possible; the manager tells the model so, and the turn goes on.
        """
        if not await self.remembering.aio.on_memory(lambda memory: bool(memory.remember(content)), False):
            raise StoreError(UNAVAILABLE, retryable=True)

    async def add_messages(self, messages: Sequence[Message], context: Any = None) -> None:
        """Record what was said; a message that is recorded already is left out."""
        with shielded(self.remembering.guard):
            said = [{**_plain(message), "id": message.get("tracking_id") or uuid4().hex} for message in messages]
            await self.remembering.aio.record(said)


class _Verb(AgentTool):  # type: ignore[misc]
    def __init__(self, remembering: Remembering, schema: dict[str, Any]) -> None:
        super().__init__()
        self._tools = remembering.tools
        self._schema = schema

    @property
    def tool_name(self) -> str:
        return str(self._schema["name"])

    @property
    def tool_spec(self) -> ToolSpec:
        return {
            "name": self.tool_name,
            "description": self._schema["description"],
            "inputSchema": {"json": self._schema["parameters"]},
        }

    @property
    def tool_type(self) -> str:
        return "truekeep"

    async def stream(self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any) -> AsyncIterator[Any]:
        with current_agent.set_to(invocation_state["agent"]):
            answer = await self._tools.async_call(self.tool_name, tool_use["input"])
        yield {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": answer}]}


def _plain(message: Message, speaker: str | None = None) -> dict[str, Any]:
    """What was said in it; calls of tools, their results and thoughts are not."""
    text = "\n".join(block["text"] for block in message["content"] if block.get("text"))
    named = {"speaker": speaker} if speaker and message["role"] == "assistant" else {}
    return {"role": message["role"], "content": text, **named}


def _asks(message: Message) -> bool:
    """Whether a person says something in it, rather than a tool."""
    return message["role"] == "user" and bool(_plain(message)["content"])


def _with_block(context: InvokeModelContext, number: int, block: str) -> InvokeModelContext:
    """The context with the block in one of its messages; those that are given belong to the history."""
    if not block:
        return context
    messages = [*context.messages]
    message = messages[number]
    messages[number] = {**message, "content": [*message["content"], {"text": f"\n\n{block}"}]}
    trailing = context.dynamic_trailing_blocks + (number == len(messages) - 1)
    return context.replace(messages=messages, dynamic_trailing_blocks=trailing)
