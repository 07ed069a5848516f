"""OpenAI Agents SDK: a session that keeps and records the conversation, a filter that recalls, and the tools."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeAlias
from uuid import uuid4

from truekeep.memory import Memory

from .common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces, Tools, is_recalled, last_said
from .common import memory_tools as tools_on
from .common.adapter import AsyncAttached, Current, MissingFramework, shielded
from .common.transcripts import Transcript

try:
    from agents import Agent, FunctionTool, RunContextWrapper, RunHooks, TResponseInputItem
    from agents.memory import SessionSettings
    from agents.memory.session_settings import resolve_session_limit
    from agents.run import CallModelData, ModelInputData
    from agents.tool_context import ToolContext
except ImportError as error:  # somebody else's package may be called `agents`, too
    raise MissingFramework("openai-agents", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "Recording",
    "Scopes",
    "Spaces",
    "TruekeepInstructions",
    "TruekeepRecall",
    "TruekeepSession",
    "current_context",
    "memory_tools",
]

Instructions: TypeAlias = str | Callable[[RunContextWrapper[Any], Agent[Any]], str | Awaitable[str]]

current_context: Current[RunContextWrapper[Any]] = Current("run context")
"""The context of the run under way, for a function that says whose memory it is.

`Spaces(lambda: f"user:{current_context().context.user}")` serves each user from a space of their own, in all but
sessions. A session belongs to one conversation: give it the space of its user.
"""


class TruekeepSession(AsyncAttached):
    """The session of a conversation: `Runner.run(agent, text, session=TruekeepSession("monday", "support-bot"))`.

    The transcript comes back exactly as it was; it is the value `history:{session id}` of the space that is written to,
    of up to 16 MiB. What people and agents say is also remembered, so that other sessions recall it. What cannot be
    saved waits and goes with the next items; no failure of the memory ends a run.

    Args:
        session_id: the name of the conversation.
        memory: a `Memory`; `Spaces(...)`; or the name of a space.
        recording: what of the conversation is remembered beside the transcript.
        speaker: the name of the agent; with `hooks`, the run tells.
        session_settings: those of the SDK, such as how many items are read.
        guard: how failures are met.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | Spaces | str,
        *,
        recording: Recording | None = None,
        speaker: str | None = None,
        session_settings: SessionSettings | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self.speaker = speaker
        self.remembering = Remembering(memory, recording=recording, conversation=session_id, guard=guard)
        self._transcript = Transcript(self.remembering.spaces, session_id)
        self.remembering.entrust(self._transcript.unsaved)

    @property
    def hooks(self) -> RunHooks[Any]:
        """For `Runner.run(..., hooks=session.hooks)`: agents that hand over to each other are recorded by name."""
        return _Speakers(self)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The latest items, oldest first; when the memory fails, those that wait here to be saved."""
        most = resolve_session_limit(limit, self.session_settings)
        with shielded(self.remembering.guard):
            items = await self.remembering.aio.on_memory(self._transcript.load, self._transcript.late())
            return items if most is None else items[-most:] if most > 0 else []
        return []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items to the transcript, and record what was said in them."""
        with shielded(self.remembering.guard):
            said = [item for item in items if not _is_injected(item)]
            self._transcript.queue(said)
            await self.remembering.aio.on_memory(self._transcript.send, None)
            for item in filter(_is_message, said):
                # What a run brings is new, also when the same was said before; not every id is a message's own.
                name = self.speaker if item["role"] == "assistant" else None
                await self.remembering.aio.note(item, speaker=name, id=uuid4().hex)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item out of the transcript; what was remembered of it stays."""
        return await self.remembering.aio.on_memory(self._transcript.pop, None)

    async def clear_session(self) -> None:
        """Delete the transcript; what was remembered of it stays."""
        await self.remembering.aio.on_memory(self._transcript.clear, False)


class _Speakers(RunHooks[Any]):  # type: ignore[misc]  # the SDK is not installed where types are checked
    """Tells a session which agent is speaking."""

    def __init__(self, session: TruekeepSession) -> None:
        self._session = session

    async def on_agent_start(self, context: RunContextWrapper[Any], agent: Agent[Any]) -> None:
        self._session.speaker = agent.name


class _Recalling(AsyncAttached):
    """What shows a model what the memory has to say."""

    def __init__(
        self, memory: Memory | Spaces | str, *, recalling: Recalling | None = None, guard: FailOpen | None = None
    ) -> None:
        self.remembering = Remembering(memory, recalling=recalling, recording=Recording(mode=None), guard=guard)

    async def _block(self, context: RunContextWrapper[Any], items: Sequence[Any]) -> str:
        with shielded(self.remembering.guard), current_context.set_to(context):
            messages = [*filter(_is_message, items)]
            asked = [message for message in messages if message["role"] == "user"]  # within a turn that stays the same
            return await self.remembering.aio.block(last_said(asked), seen=messages)
        return ""


class TruekeepRecall(_Recalling):
    """Recalls before each model call: `RunConfig(call_model_input_filter=TruekeepRecall(memory))`.

    What is recalled stands right before the last thing that a person said. No session keeps it, and all that comes
    before stays as it is, for the cache of the provider. No failure of the memory ends a run. Where the service itself
    keeps the conversation (`conversation_id`, `previous_response_id`) it would keep that as well: take
    `TruekeepInstructions` there.

    Args:
        memory: a `Memory`; `Spaces(...)`; or the name of a space.
        recalling: what of the memory enters the prompt.
        guard: how failures are met.
    """

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """The input of one model call."""
        given = data.model_data
        block = await self._block(RunContextWrapper(data.context), given.input)
        places = [place for place, item in enumerate(given.input) if _is_message(item) and item["role"] == "user"]
        if not block or not places:
            return given
        above: TResponseInputItem = {"role": "user", "content": block}
        return ModelInputData(
            input=[*given.input[: places[-1]], above, *given.input[places[-1] :]], instructions=given.instructions
        )


class TruekeepInstructions(_Recalling):
    """Instructions that end with what the memory has to say: `Agent(instructions=TruekeepInstructions(memory, ...))`.

    They are made for each model call and kept nowhere, but they change with every question: the cache of a provider is
    of no use then. No failure of the memory ends a run.

    Args:
        memory: a `Memory`; `Spaces(...)`; or the name of a space.
        instructions: what the agent is told besides: text, or a function as the SDK takes it.
        recalling: what of the memory enters the prompt.
        guard: how failures are met.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        instructions: Instructions = "",
        *,
        recalling: Recalling | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        super().__init__(memory, recalling=recalling, guard=guard)
        self._instructions = instructions

    async def __call__(self, context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        """The instructions for one model call."""
        base = await self._base(context, agent)
        block = await self._block(context, context.turn_input)
        return "\n\n".join(part for part in (base, block) if part)

    async def _base(self, context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        if isinstance(self._instructions, str):
            return self._instructions
        made = self._instructions(context, agent)
        return await made if inspect.isawaitable(made) else made


def memory_tools(memory: Memory | Spaces | Remembering | str) -> list[FunctionTool]:
    """`remember`, `recall` and `forget` as tools of the SDK; none of them raises."""
    tools = tools_on(memory)
    return [
        FunctionTool(
            name=schema["name"],
            description=schema["description"],
            params_json_schema=schema["parameters"],
            on_invoke_tool=_invoking(tools, schema["name"]),
            strict_json_schema=False,  # what has a default may be left out
        )
        for schema in tools.function_schemas
    ]


def _invoking(tools: Tools, name: str) -> Callable[[ToolContext[Any], str], Coroutine[Any, Any, str]]:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        with current_context.set_to(context):
            return await tools.async_call(name, arguments)

    return invoke


def _is_message(item: Any) -> bool:
    """Whether somebody says something in it; not a call, a result or a thought."""
    return isinstance(item, dict) and "role" in item and item.get("type", "message") == "message"


def _is_injected(item: Any) -> bool:
    """Whether somebody put recalled text there, such as a `session_input_callback`: it is not part of what was said."""
    return _is_message(item) and item["role"] in ("system", "developer") and is_recalled(str(item.get("content")))
