"""`TruekeepContextProvider`: recalls before a run, records after it, and brings the memory tools.

`TruekeepHistoryProvider`: the transcript of each session, kept in a space exactly as it was.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Literal
from uuid import uuid4
from weakref import WeakSet

from agent_framework import (
    AgentSession,
    ChatContext,
    ChatMiddleware,
    ChatMiddlewareLayer,
    ContextProvider,
    FunctionTool,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
    SessionContext,
    SupportsAgentRun,
)

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces, last_said
from truekeep.adapters.common.adapter import AsyncAttached, Current, shielded
from truekeep.adapters.common.tools import AsyncTool, open_model
from truekeep.adapters.common.transcripts import Transcript, Unsaved
from truekeep.errors import ConfigurationError
from truekeep.memory import Memory

current_session: Current[AgentSession] = Current("agent session")
"""The session of the run under way, for a function that says whose memory it is.

`Spaces(lambda: f"user:{current_session().state['user']}")` serves each user from a space of their own. Without a
session of the caller the framework makes one up for each run, so its id alone says nothing about who is asking.
"""


def _plain(message: Message) -> dict[str, Any]:
    """The message with its words only; calls, results, pictures and thoughts are left out."""
    texts = [content.text for content in message.contents if content.type == "text" and content.text]
    return {"role": str(message.role), "name": message.author_name, "content": " ".join(texts)}


def _just_said(messages: Sequence[Message]) -> Sequence[Message]:
    """What is new in the input of a run: all that comes before an agent's words was said, and recorded, earlier."""
    answered = [number for number, message in enumerate(messages, start=1) if message.role in ("assistant", "tool")]
    return messages[max(answered, default=0) :]


Inject = Literal["message", "instructions"]


class TruekeepContextProvider(AsyncAttached, ContextProvider):  # type: ignore[misc]  # not installed where types are checked
    """Gives an agent a memory: `Agent(client, context_providers=[TruekeepContextProvider("support-bot")])`.

    Agents that share a provider share its memory. No failure of the memory ends a run; `failures` counts them.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        source_id: under which the framework attributes what comes from here.
        inject: recalled text as a user "message" right before the last one, for one model call, so that prompt caches
            keep all that comes before (where the service keeps the conversation it would keep that, too: there, and
            where a client knows no middleware, it goes into the instructions); as "instructions"; None: not at all.
        tools: whether to give the model `remember`, `recall` and `forget`.
        recalling: what of the memory enters the prompt.
        recording: what of the conversation is kept.
        conversation: its name; by default the id of the session.
        guard: how failures are met.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        source_id: str = "truekeep",
        inject: Inject | None = "message",
        tools: bool = True,
        recalling: Recalling | None = None,
        recording: Recording | None = None,
        conversation: str | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        super().__init__(source_id)
        if inject not in ("message", "instructions", None):
            raise ConfigurationError(f"inject is 'message', 'instructions' or None, not {inject!r}")
        self.remembering = Remembering(
            memory, recalling=recalling, recording=recording, conversation=conversation, guard=guard
        )
        self._inject = inject
        self._tools = tools
        self._conversation = conversation
        self._recorded: WeakSet[Message] = WeakSet()  # one that is given to several agents is recorded once

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Show the model what the memory has to say, and give it the tools."""
        with shielded(self.remembering.guard), current_session.set_to(session):
            block = "" if self._inject is None else await self._block(agent, session, context)
            if block and self._inject == "message" and _can_show_for_a_call(agent, context):
                context.extend_middleware(self.source_id, _Above(block, self.source_id))
            elif block:
                context.extend_instructions(self.source_id, block)
            taken = {_name(tool) for tool in (*context.tools, *(_options(agent).get("tools") or ()))}
            context.extend_tools(self.source_id, [tool for tool in self._offered(session) if tool.name not in taken])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Record what was said in the run."""
        with shielded(self.remembering.guard), current_session.set_to(session):
            for message in _just_said(context.input_messages):
                await self._note(message, context, speaker=message.author_name)
            for message in context.response.messages if context.response is not None else ():
                await self._note(message, context, speaker=message.author_name or agent.name)

    async def _block(self, agent: SupportsAgentRun, session: AgentSession, context: SessionContext) -> str:
        asked = [_plain(message) for message in context.input_messages]
        seen = [*context.get_messages(), *_in_memory(agent, session)]
        name = self._conversation or context.session_id
        return await self.remembering.aio.block(last_said(asked), seen=[*asked, *map(_plain, seen)], conversation=name)

    def _offered(self, session: AgentSession) -> Iterable[FunctionTool]:
        """Our tools; one whose name is taken is left out, since two of one name would end the run."""
        tools = self.remembering.tools
        offered = zip(tools.async_functions, tools.function_schemas, strict=True) if self._tools else ()
        return (_within(session, function, schema) for function, schema in offered)

    async def _note(self, message: Message, context: SessionContext, *, speaker: str | None) -> None:
        if message in self._recorded:
            return
        self._recorded.add(message)
        await self.remembering.aio.note(
            _plain(message),
            speaker=speaker,
            id=message.message_id or uuid4().hex,  # what a run brings is new, also when the same was said before
            conversation=self._conversation or context.session_id,
        )


class _Above(ChatMiddleware):  # type: ignore[misc]  # as above
    """Shows a block right before the last user message. A message of the context would stand before the history."""

    def __init__(self, block: str, source_id: str) -> None:
        # By this the framework, and our history, tell it from what was said.
        attribution = {"source_id": source_id, "source_type": TruekeepContextProvider.__name__}
        self._message = Message("user", [block], additional_properties={"_attribution": attribution})

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        said = [place for place, message in enumerate(context.messages) if message.role == "user"]
        if said:
            context.messages = [*context.messages[: said[-1]], self._message, *context.messages[said[-1] :]]
        await call_next()


def _can_show_for_a_call(agent: SupportsAgentRun, context: SessionContext) -> bool:
    """Whether the client has middleware that sees the history, and no service keeps what it is sent."""
    client = getattr(agent, "client", None)
    if getattr(agent, "require_per_service_call_history_persistence", False):  # the history joins behind our back
        return False
    given = {name: value for name, value in context.options.items() if value is not None}
    options = {**_options(agent), **given}
    is_kept = options.get("store", getattr(client, "STORES_BY_DEFAULT", False))
    is_continued = bool(context.service_session_id or options.get("conversation_id"))
    return isinstance(client, ChatMiddlewareLayer) and not is_kept and not is_continued


def _in_memory(agent: SupportsAgentRun, session: AgentSession) -> Iterable[Message]:
    """The history that the framework adds by default, behind our back: its provider comes after ours."""
    for provider in getattr(agent, "context_providers", ()):
        if isinstance(provider, InMemoryHistoryProvider):
            yield from session.state.get(provider.source_id, {}).get("messages", ())


def _options(agent: SupportsAgentRun) -> dict[str, Any]:
    return getattr(agent, "default_options", None) or {}


def _name(tool: Any) -> str | None:
    return getattr(tool, "name", None) or getattr(tool, "__name__", None)


def _within(session: AgentSession, function: AsyncTool, schema: dict[str, Any]) -> FunctionTool:
    """The tool for this run: a call may come from any task, and another run may be under way there."""

    async def bound(**arguments: Any) -> str:
        with current_session.set_to(session):
            return await function(**arguments)

    return FunctionTool(
        name=schema["name"], description=schema["description"], func=bound, input_model=open_model(schema)
    )


class TruekeepHistoryProvider(AsyncAttached, HistoryProvider):  # type: ignore[misc]  # not installed where types are checked
    """Loads the transcript of a session before a run and adds what the run brought, function calls included.

    A transcript is the value `history:{session id}` of the space that is written to, and holds up to 16 MiB. What
    cannot be saved waits and goes with the next run, `flush` or `close`; no failure of the memory ends a run.

    Args:
        memory: a `Memory`; `Spaces(...)`; or the name of a space.
        source_id: under which the framework attributes what comes from here.
        guard: how failures are met.
        **options: those of the framework's `HistoryProvider`, such as `store_outputs`.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        source_id: str = "truekeep_history",
        guard: FailOpen | None = None,
        **options: Any,
    ) -> None:
        super().__init__(source_id, **options)
        self.remembering = Remembering(memory, recording=Recording(mode=None), guard=guard)
        self._unsaved = Unsaved(unseen)
        self.remembering.entrust(self._unsaved)

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Load the transcript."""
        with shielded(self.remembering.guard), current_session.set_to(session):
            await super().before_run(agent=agent, session=session, context=context, state=state)

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Save what the run brought."""
        with shielded(self.remembering.guard), current_session.set_to(session):
            await super().after_run(agent=agent, session=session, context=context, state=state)

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """The transcript of a session; when the memory fails, as much of it as waits here to be saved."""
        with shielded(self.remembering.guard):
            transcript = self._transcript(session_id)
            found = await self.remembering.aio.on_memory(transcript.load, transcript.late())
            return [Message.from_dict(dict(message)) for message in found]
        return []

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Add messages to the transcript of a session, less those that are a replay of its end."""
        with shielded(self.remembering.guard):
            kept = [message.to_dict() for message in messages if not _is_recalled(message)]
            transcript = self._transcript(session_id)
            transcript.queue(kept)
            if kept:
                await self.remembering.aio.on_memory(transcript.send, None)

    async def clear(self, session_id: str | None) -> bool:
        """Delete the transcript of a session; whether there was one."""
        transcript = self._transcript(session_id)
        with shielded(self.remembering.guard):
            transcript.drop()
        return await self.remembering.aio.on_memory(transcript.clear, False)

    def _transcript(self, session_id: str | None) -> Transcript:
        return Transcript(self.remembering.spaces, session_id, self._unsaved)


def _is_recalled(message: Message) -> bool:
    """Whether it was put there by our context provider: with `store_context_messages` it would come back as said."""
    attribution = message.additional_properties.get("_attribution")
    return isinstance(attribution, dict) and attribution.get("source_type") == "TruekeepContextProvider"


def unseen(known: Sequence[Any], incoming: Sequence[Any]) -> list[Any]:
    """What of the messages is new: a caller may send the end of the transcript, or all of it, along with the rest.

    Something new must follow, else it is a turn that went just like the one before it. One user message alone, without
    an id, does not make a replay: people repeat themselves.
    """
    before, now = [*map(_identity, known)], [*map(_identity, incoming)]
    for length in range(min(len(before), len(now) - 1), 0, -1):
        if before[-length:] == now[:length]:
            is_told_twice = length == 1 and incoming[0].get("role") == "user" and not incoming[0].get("message_id")
            return [*incoming[0 if is_told_twice else length :]]
    return [*incoming]


def _identity(message: dict[str, Any]) -> Any:
    return message.get("message_id") or [message.get("role"), message.get("contents")]
