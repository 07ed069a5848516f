"""AG2 1.x: a plugin that recalls before the model is called, records what was said, and brings the memory tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from truekeep.errors import ConfigurationError
from truekeep.memory import Memory

from .common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces, strip_recalled
from .common.adapter import AsyncAttached, Current, MissingFramework, shielded
from .common.tools import AsyncTool

try:
    from ag2 import Context, Middleware, Plugin
    from ag2.events import (
        BaseEvent,
        HumanInputRequest,
        HumanMessage,
        ModelMessage,
        ModelRequest,
        ModelResponse,
        TextInput,
        ToolApprovalRequest,
    )
    from ag2.middleware import AgentTurn, BaseMiddleware, HumanInputHook
    from ag2.network.policies import AGENT_CLIENT_DEP, CHANNEL_DEP, HUB_DEP
    from ag2.tools import tool
    from ag2.utils import AGENT_CONTEXT_DEPENDENCY_KEY, CONTEXT_OPTION_NAME
except ModuleNotFoundError as error:
    raise MissingFramework("ag2", error) from error

__all__ = [
    "FailOpen",
    "RecallPolicy",
    "Recalling",
    "Recording",
    "Scopes",
    "Spaces",
    "TruekeepPlugin",
    "current_context",
]

_LABEL = re.compile(r"^\[([^\]\n]+)\]: ?")  # how a channel with more than two members tells who is speaking
_ALIKE = 3


@dataclass(slots=True)
class _Turn:
    context: Context
    blocks: dict[tuple[object, str], str] = field(default_factory=dict)  # a policy runs again after each tool call


_turn: Current[_Turn] = Current("AG2 context")


def current_context() -> Context:
    """The AG2 context of the turn under way, for a function that says whose memory it is.

    `Spaces(lambda: f"user:{current_context().variables['user']}")` serves each user from a space of their own.

    Raises:
        ConfigurationError: no turn is under way in this task.
    """
    return _turn().context


class TruekeepPlugin(AsyncAttached, Plugin):  # type: ignore[misc]  # AG2 is not installed where types are checked
    """Gives an AG2 agent a memory: `Agent(..., plugins=[TruekeepPlugin("support-bot")])`, or for a single `ask`.

    Agents that share a plugin share its memory. No failure of the memory ends a turn; `remembering.failures` counts.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        inject: whether to show the model what the memory has to say.
        tools: whether to give the model `remember`, `recall` and `forget`.
        recalling: what of the memory enters the prompt.
        recording: what of the conversation is kept.
        conversation: its name; by default that of the channel, or of the stream.
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
        self.remembering = Remembering(
            memory, recalling=recalling, recording=recording, conversation=conversation, guard=guard
        )
        recorder = Middleware(_Recorder, remembering=self.remembering, conversation=conversation)
        super().__init__(tools=_tools(self.remembering) if tools else (), middleware=[recorder])
        if inject:
            self.add_policy(RecallPolicy(self.remembering))


class RecallPolicy:
    """Puts what the memory has to say above the last request, for one model call; the stream keeps that as it was.

    All that comes before stays as it is, for the cache of the provider.
    """

    name = "truekeep"

    def __init__(self, remembering: Remembering) -> None:
        self._remembering = remembering

    async def apply(
        self, prompts: list[str], events: list[BaseEvent], context: Context
    ) -> tuple[list[str], list[BaseEvent]]:
        """The events with the recalled block in the last request; unchanged if there is nothing to say."""
        with shielded(self._remembering.guard):
            asked = [place for place, event in enumerate(events) if isinstance(event, ModelRequest) and _text(event)]
            query = strip_recalled(_text(events[asked[-1]])) if asked else ""  # there may be a block of another policy
            block = await self._block(query, events, context)
            if block and asked:
                place = asked[-1]
                return prompts, [*events[:place], _beneath(block, events[place]), *events[place + 1 :]]
        return prompts, events

    async def _block(self, query: str, events: Sequence[BaseEvent], context: Context) -> str:
        turn = _turn_of(context)
        known = (self, query)  # another policy of this agent has another memory
        if known not in turn.blocks:
            texts = [*map(strip_recalled, _texts(events))]
            with _turn.set_to(turn):
                seen = [*texts, *map(_unlabelled, texts)]
                turn.blocks[known] = await self._remembering.aio.block(
                    _unlabelled(query), seen=seen, conversation=str(context.stream.id)
                )
        return turn.blocks[known]


class _Recorder(BaseMiddleware):  # type: ignore[misc]  # as above
    """Records the request and the reply of each turn that came to its end."""

    def __init__(
        self, event: BaseEvent, context: Context, *, remembering: Remembering, conversation: str | None
    ) -> None:
        super().__init__(event, context)
        self._remembering = remembering
        self._conversation = conversation

    async def on_turn(self, call_next: AgentTurn, event: BaseEvent, context: Context) -> ModelResponse:
        before: list[str] = []
        with shielded(self._remembering.guard):
            before = _texts(await context.stream.history.get_events())
        with _turn.set_to(_Turn(context)):
            response = await call_next(event, context)
            with shielded(self._remembering.guard):
                await self._record(event, response, context, before)
        return response

    async def on_human_input(
        self, call_next: HumanInputHook, event: HumanInputRequest, context: Context
    ) -> HumanMessage:
        answer = await call_next(event, context)
        if not isinstance(event, ToolApprovalRequest):  # a yes or no to the framework's own question
            with shielded(self._remembering.guard), _turn.set_to(_turn_of(context)):
                await self._note(answer.content, context, speaker=None, role="user", id=event.id)
        return answer

    async def _record(self, event: BaseEvent, response: ModelResponse, context: Context, before: Sequence[str]) -> None:
        """Each message with an id that is the same when a turn is replayed, or seen by another member of a channel."""
        in_channel = CHANNEL_DEP in context.dependencies
        # Each member of a channel has its own view of it; only what came right before a message is alike in them all.
        place = [*map(_unlabelled, before[-_ALIKE:])] if in_channel else [*before] or [str(context.stream.id)]
        if isinstance(event, ModelRequest) and (asked := _text(event)):
            speaker = _sender(asked, context) if in_channel else None
            said = _unlabelled(asked) if in_channel else asked
            role = "assistant" if in_channel else "user"  # members are agents, and no more to be trusted than those
            await self._note(said, context, speaker=speaker, role=role, id=_digest([*place, said]))
            place = [*place, said][-_ALIKE if in_channel else 0 :]
        if response.content:
            me = getattr(context.dependencies.get(AGENT_CONTEXT_DEPENDENCY_KEY), "name", None)
            reply = _digest([*place, response.content])
            await self._note(response.content, context, speaker=me, role="assistant", id=reply)

    async def _note(self, text: str, context: Context, *, speaker: str | None, role: str, id: str) -> None:
        channel = context.dependencies.get(CHANNEL_DEP)
        conversation = self._conversation or str(context.stream.id if channel is None else channel.channel_id)
        await self._remembering.aio.note(text, speaker=speaker, role=role, id=id, conversation=conversation)


def _tools(remembering: Remembering) -> list[Any]:
    tools = remembering.tools
    return [
        tool(_open(function), name=schema["name"], description=schema["description"], schema=schema["parameters"])
        for function, schema in zip(tools.async_functions, tools.function_schemas, strict=True)
    ]


def _open(function: AsyncTool) -> AsyncTool:
    """Without the signature, after which AG2 would drop what a model gives besides; the schema says what there is."""

    async def given(**arguments: Any) -> str:
        arguments.pop(CONTEXT_OPTION_NAME, None)
        return await function(**arguments)

    return given


def _turn_of(context: Context) -> _Turn:
    """The turn under way; a new one where the policy or the middleware is used alone."""
    try:
        turn = _turn()
    except ConfigurationError:
        return _Turn(context)
    return turn if turn.context is context else _Turn(context)


def _text(event: BaseEvent) -> str:
    """What was said in an event; empty for data, pictures, tool calls and their results."""
    if isinstance(event, ModelRequest):
        return "\n".join(part.content for part in event.parts if isinstance(part, TextInput))
    return (event.content or "") if isinstance(event, (ModelMessage, ModelResponse)) else ""  # `|` makes a condition


def _beneath(block: str, request: ModelRequest) -> ModelRequest:
    """Another request: that of the stream stays as it is."""
    place = next(place for place, part in enumerate(request.parts) if isinstance(part, TextInput))
    shown, text = copy(request), copy(request.parts[place])
    text.content = f"{block}\n\n{text.content}"
    shown.parts = [*request.parts[:place], text, *request.parts[place + 1 :]]
    return shown


def _texts(events: Iterable[BaseEvent]) -> list[str]:
    return [text for event in events if (text := _text(event))]


def _unlabelled(text: str) -> str:
    return _LABEL.sub("", text, count=1)


def _sender(text: str, context: Context) -> str | None:
    """Who said this in a channel: the label tells, or there is only one other member."""
    channel, client, hub = (context.dependencies[key] for key in (CHANNEL_DEP, AGENT_CLIENT_DEP, HUB_DEP))
    members = [member.agent_id for member in channel.metadata.participants if member.agent_id != client.agent_id]
    label = _LABEL.match(text)
    if label is not None:
        return label[1]
    return hub.name_for(members[0]) if len(members) == 1 else None


def _digest(parts: Sequence[str]) -> str:
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
