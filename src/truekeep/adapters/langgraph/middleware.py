"""`TruekeepMiddleware`: recalls before a model is called, records after the agent is done, and brings the tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.runtime import Runtime

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces
from truekeep.adapters.common import memory_tools as tools_on
from truekeep.adapters.common.turns import shielded
from truekeep.memory import Memory

from .messages import plain, question

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


class TruekeepMiddleware(AgentMiddleware):  # type: ignore[misc]  # LangChain is not installed where types are checked
    """Gives an agent a memory: `create_agent(model, middleware=[TruekeepMiddleware("support-bot")])`.

    What is recalled is part of the system message of one model call; no state and no checkpoint keeps it. Agents that
    share a middleware share its memory. No failure of the memory ends a run; `failures` counts them.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        inject: whether to show the model what the memory has to say.
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
        self._conversation = conversation

    @property
    def failures(self) -> int:
        """How often an agent went on without its memory."""
        return self.remembering.failures

    def wrap_model_call(self, request: ModelRequest, handler: Handler) -> ModelResponse:
        """Show the model what the memory has to say about the last message of a person."""
        shown = request
        if self._inject:
            with shielded(self.remembering.guard):
                shown = _with_block(request, self.remembering.block(question(request.messages), seen=_seen(request)))
        return handler(shown)

    async def awrap_model_call(self, request: ModelRequest, handler: AsyncHandler) -> ModelResponse:
        """As `wrap_model_call`."""
        shown = request
        if self._inject:
            with shielded(self.remembering.guard):
                block = await self.remembering.aio.block(question(request.messages), seen=_seen(request))
                shown = _with_block(request, block)
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

    def flush(self, limit: float = 10.0) -> bool:
        """Keep what is not kept yet; whether all is done within so many seconds."""
        return self.remembering.flush(limit)

    def close(self, limit: float = 10.0) -> None:
        """Flush, and release what was opened here; deletes nothing."""
        self.remembering.close(limit)

    def _said(self, state: AgentState, runtime: Runtime) -> tuple[list[dict[str, Any]], str | None]:
        """The messages of the state, and the name of their conversation.

        Without their ids: where no checkpointer keeps them, they are made up anew for a history that the caller sends
        again, so who said what how often tells messages apart.
        """
        info = getattr(runtime, "execution_info", None)
        return [plain(message) for message in state["messages"]], self._conversation or getattr(info, "thread_id", None)


def _seen(request: ModelRequest) -> Iterable[dict[str, Any]]:
    return [plain(message) for message in request.messages]


def _with_block(request: ModelRequest, block: str) -> ModelRequest:
    if not block:
        return request
    system = request.system_message
    if system is None:
        content: str | list[Any] = block
    elif isinstance(system.content, str):
        content = f"{system.content}\n\n{block}"
    else:
        content = [*system.content, {"type": "text", "text": block}]
    return request.override(system_message=SystemMessage(content=content))
