"""LangChain's side: a middleware that recalls, records and brings the tools, and the transcript of a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeAlias
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, message_to_dict, messages_from_dict
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.runtime import Runtime

from truekeep.adapters.common import (
    FailOpen,
    Plan,
    Recalling,
    Recording,
    Remembering,
    Spaces,
    announcement,
    is_recalled,
    last_said,
)
from truekeep.adapters.common import memory_tools as tools_on
from truekeep.adapters.common.adapter import Attached, shielded
from truekeep.adapters.common.plans import NOTHING
from truekeep.adapters.common.transcripts import Transcript
from truekeep.memory import Memory

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "HumanMessageChunk": "user"}
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
        return handler(self._shown(request, self.remembering.run(self._asked(request))))

    async def awrap_model_call(self, request: ModelRequest, handler: AsyncHandler) -> ModelResponse:
        """As `wrap_model_call`."""
        return await handler(self._shown(request, await self.remembering.aio.run(self._asked(request))))

    def after_agent(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        """Record what was said in the conversation, as far as it is not recorded yet."""
        self.remembering.run(self._said(state, runtime))
        return None

    async def aafter_agent(self, state: AgentState, runtime: Runtime) -> dict[str, Any] | None:
        """As `after_agent`."""
        await self.remembering.aio.run(self._said(state, runtime))
        return None

    def _said(self, state: AgentState, runtime: Runtime) -> Plan[None]:
        """Without the ids of messages: where no checkpointer keeps them, they are made up anew for a history that the
        caller sends again, so who said what how often tells messages apart."""
        with shielded(self.remembering.guard):
            said = [_plain(message) for message in state["messages"]]
            return self.remembering.plans.record(said, conversation=self._name(runtime))
        return NOTHING

    def _name(self, runtime: Runtime) -> str | None:
        return self._conversation or getattr(getattr(runtime, "execution_info", None), "thread_id", None)

    def _asked(self, request: ModelRequest) -> Plan[str]:
        """What to ask the memory: about the last thing that a person said, which stays the same within a turn."""
        with shielded(self.remembering.guard):
            if self._inject:
                seen = [_plain(message) for message in request.messages]
                people = [_plain(message) for message in request.messages if isinstance(message, HumanMessage)]
                name = self._name(request.runtime)
                return self.remembering.plans.block(last_said(people), seen=seen, conversation=name)
        return Plan(None, "")

    def _shown(self, request: ModelRequest, block: str) -> ModelRequest:
        """The request with the block above what a person said last: also between tool calls, all before it is alike."""
        with shielded(self.remembering.guard):
            places = [place for place, message in enumerate(request.messages) if isinstance(message, HumanMessage)]
            if block and places:
                place = places[-1]
                if self._announce and place == len(request.messages) - 1:
                    request.runtime.stream_writer(announcement(block))
                messages = [*request.messages]
                messages[place] = _beneath(block, messages[place])
                return request.override(messages=messages)
        return request


def _beneath(block: str, message: AnyMessage) -> AnyMessage:
    """Another message: that of the state stays as it is."""
    said = message.content
    content = f"{block}\n\n{said}" if isinstance(said, str) else [{"type": "text", "text": block}, *said]
    return message.model_copy(update={"content": content})


class TruekeepChatMessageHistory(Attached, BaseChatMessageHistory):  # type: ignore[misc]  # as in the store
    """The messages of a session, for `RunnableWithMessageHistory` and chains of your own.

    A transcript is the value `history:{session id}` of the space that is written to, and holds up to 16 MiB. What
    cannot be saved waits and goes with the next messages; no failure of the memory ends a run.

    Args:
        session_id: the name of the conversation.
        memory: a `Memory`; `Spaces(...)`; or the name of a space.
        recording: what of the conversation is also remembered, so that other sessions recall it; by default nothing.
        guard: how failures are met.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | Spaces | str,
        *,
        recording: Recording | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        self.session_id = session_id
        self.remembering = Remembering(
            memory, recording=recording or Recording(mode=None), conversation=session_id, guard=guard
        )
        self._transcript = Transcript(self.remembering.spaces, session_id)
        self.remembering.entrust(self._transcript.unsaved)

    @property
    def messages(self) -> list[BaseMessage]:
        """The transcript; when the memory fails, as much of it as waits here to be saved."""
        with shielded(self.remembering.guard):
            return [*messages_from_dict(self.remembering.on_memory(self._transcript.load, self._transcript.late()))]
        return []

    async def aget_messages(self) -> list[BaseMessage]:
        """As `messages`."""
        with shielded(self.remembering.guard):
            found = await self.remembering.aio.on_memory(self._transcript.load, self._transcript.late())
            return [*messages_from_dict(found)]
        return []

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages to the end of the transcript."""
        for plan in self._kept(messages):
            self.remembering.run(plan)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """As `add_messages`."""
        for plan in self._kept(messages):
            await self.remembering.aio.run(plan)

    def clear(self) -> None:
        """Delete the transcript; what was remembered of it stays."""
        self.remembering.on_memory(self._transcript.clear, False)

    async def aclear(self) -> None:
        """As `clear`."""
        await self.remembering.aio.on_memory(self._transcript.clear, False)

    def _kept(self, messages: Sequence[BaseMessage]) -> Iterator[Plan[None]]:
        """Those that somebody said: a system message with a recalled block is made anew for each run."""
        with shielded(self.remembering.guard):
            said = [one for one in messages if not (one.type == "system" and is_recalled(str(one.text)))]
            self._transcript.queue([message_to_dict(message) for message in said])
            yield self.remembering.plans.on_memory(self._transcript.send, None)
            for message in said:
                yield self.remembering.plans.note(_plain(message), id=message.id or uuid4().hex)  # certainly new


def _plain(message: BaseMessage) -> dict[str, Any]:
    """The message with its words only; calls, results, pictures and thoughts are left out."""
    role = getattr(message, "role", None) or _ROLES.get(message.type, message.type)
    return {"role": str(role), "name": message.name, "content": str(message.text)}
