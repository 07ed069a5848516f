"""`TruekeepMiddleware`: recalls before a model is called, records after the agent is done, and brings the tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.runtime import Runtime

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces, announcement, last_said
from truekeep.adapters.common import memory_tools as tools_on
from truekeep.adapters.common.adapter import Attached, shielded
from truekeep.memory import Memory

from .chat_history import plain

Handler: TypeAlias = Callable[[ModelRequest], ModelResponse]
AsyncHandler: TypeAlias = Callable[[ModelRequest], Awaitable[ModelResponse]]


def memory_tools(memory: Memory | Spaces | Remembering | str) -> list[BaseTool]:
    """`remember`, `recall` and `forget` as LangChain tools, for sync and async graphs; none of them raises."""
    tools = tools_on(memory)
    return [
        StructuredTool.from_function(
            func=function,
            coroutine=coroutine,
            name=schema["name"],
            description=schema["description"],
            args_schema=schema["parameters"],  # not a model, which would drop what it does not know
        )
        for function, coroutine, schema in zip(
            tools.functions, tools.async_functions, tools.function_schemas, strict=True
        )
    ]


class TruekeepMiddleware(Attached, AgentMiddleware):  # type: ignore[misc]  # LangChain is not installed where types are checked
    """Gives an agent a memory: `create_agent(model, middleware=[TruekeepMiddleware("support-bot")])`.

    What is recalled stands above the last message of a person, for one model call; no state and no checkpoint keeps it,
    and all that comes before stays as it is, for the cache of the provider. Agents that share a middleware share its
    memory. No failure of the memory ends a run; `failures` counts them.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        inject: whether to show the model what the memory has to say.
        announce: whether to write "recalled 3 memories" to the custom stream, once a turn.
        tools: whether to give the model `remember`, `recall` and `forget`.
        recalling: what of the memory enters the prompt.
        recording: what of the conversation is kept.
        conversation: its name; by default the id of the thread.
        guard: how failures are met.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        inject: bool = True,
        announce: bool = False,
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
        self.tools = memory_tools(self.remembering) if tools else []
        self._inject = inject
        self._announce = announce
        self._conversation = conversation

    def wrap_model_call(self, request: ModelRequest, handler: Handler) -> ModelResponse:
        """Show the model what the memory has to say about the last message of a person."""
        shown = request
        if self._inject:
            with shielded(self.remembering.guard):
                shown = self._shown(request, self.remembering.block(**self._asked(request)))
        return handler(shown)

    async def awrap_model_call(self, request: ModelRequest, handler: AsyncHandler) -> ModelResponse:
        """As `wrap_model_call`."""
        shown = request
        if self._inject:
            with shielded(self.remembering.guard):
                block = await self.remembering.aio.block(**self._asked(request))
                shown = self._shown(request, block)
        return await handler(shown)

    def after_agent(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        """Record what was said in the conversation, as far as it is not recorded yet."""
        with shielded(self.remembering.guard):
            said, conversation = self._said(state, runtime)
            self.remembering.record(said, conversation=conversation)
        return None

    async def aafter_agent(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        """As `after_agent`."""
        with shielded(self.remembering.guard):
            said, conversation = self._said(state, runtime)
            await self.remembering.aio.record(said, conversation=conversation)
        return None

    def _said(self, state: AgentState, runtime: Runtime) -> tuple[list[dict[str, Any]], str | None]:
        """The messages of the state, and the name of their conversation.

        Without their ids: where no checkpointer keeps them, they are made up anew for a history that the caller sends
        again, so who said what how often tells messages apart.
        """
        return [plain(message) for message in state["messages"]], self._name(runtime)

    def _name(self, runtime: Runtime) -> str | None:
        return self._conversation or getattr(getattr(runtime, "execution_info", None), "thread_id", None)

    def _asked(self, request: ModelRequest) -> dict[str, Any]:
        """What to recall for: the last thing that a person said; within a turn that stays the same."""
        seen = [plain(message) for message in request.messages]
        people = [plain(message) for message in request.messages if isinstance(message, HumanMessage)]
        return {"query": last_said(people), "seen": seen, "conversation": self._name(request.runtime)}

    def _shown(self, request: ModelRequest, block: str) -> ModelRequest:
        """The request with the block above what a person said last: also between tool calls, all before it is alike."""
        places = [place for place, message in enumerate(request.messages) if isinstance(message, HumanMessage)]
        if not block or not places:
            return request
        place = places[-1]
        if self._announce and place == len(request.messages) - 1:
            request.runtime.stream_writer(announcement(block))
        messages = [*request.messages]
        messages[place] = _beneath(block, messages[place])
        return request.override(messages=messages)


def _beneath(block: str, message: AnyMessage) -> AnyMessage:
    """Another message: that of the state stays as it is."""
    said = message.content
    content = f"{block}\n\n{said}" if isinstance(said, str) else [{"type": "text", "text": block}, *said]
    return message.model_copy(update={"content": content})
