"""Pydantic AI: a capability that recalls before the model is called, records what was said, and brings the tools."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from truekeep.memory import Memory

from .common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces, Tools, last_said
from .common.adapter import AsyncAttached, Current, MissingFramework, shielded

try:
    from pydantic_ai import AgentRunResult, FunctionToolset, RunContext, Tool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, TextContent, TextPart, UserPromptPart
    from pydantic_ai.models import ModelRequestContext
except ModuleNotFoundError as error:
    raise MissingFramework("pydantic-ai", error) from error

__all__ = ["FailOpen", "Recalling", "Recording", "Scopes", "Spaces", "TruekeepCapability", "current_context"]

current_context: Current[RunContext[Any]] = Current("run context")
"""The context of the run under way, for a function that says whose memory it is.

`Spaces(lambda: f"user:{current_context().deps.user}")` serves each user from a space of their own.
"""


class TruekeepCapability(AsyncAttached, AbstractCapability[Any]):  # type: ignore[misc]  # not installed for mypy
    """Gives an agent a memory: `Agent(model, capabilities=[TruekeepCapability("support-bot")])`.

    What is recalled stands at the beginning of the last user prompt of one model request: the instructions and the
    history before it stay as they are, and no history keeps it. Agents that share a capability share its memory. No
    failure of the memory ends a run; `failures` counts them.

    Args:
        memory: a `Memory`, for reading and writing; `Spaces(...)`; or the name of a space.
        inject: whether to show the model what the memory has to say.
        tools: whether to give the model `remember`, `recall` and `forget`.
        recalling: what of the memory enters the prompt.
        recording: what of the conversation is kept.
        conversation: its name; by default the one that Pydantic AI gives it.
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
        self._inject = inject
        self._tools = tools
        self._conversation = conversation
        self._shown: tuple[str, str] | None = None

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """`remember`, `recall` and `forget`; none of them raises."""
        return FunctionToolset(_tools(self.remembering.tools)) if self._tools else None

    async def for_run(self, ctx: RunContext[Any]) -> TruekeepCapability:
        """A run has its own: what it shows stays the same through all of its requests."""
        return copy(self)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Show the model what the memory has to say about the last thing that a person said."""
        if not self._inject:
            return request_context
        with shielded(self.remembering.guard), current_context.set_to(ctx):
            messages = request_context.messages
            return replace(request_context, messages=_with_block(messages, await self._block(ctx, messages)))
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Record what was said in the run."""
        with shielded(self.remembering.guard), current_context.set_to(ctx):
            # A run that is carried out again, as workflows do, is the same one.
            said = [
                {**_plain(message, getattr(ctx.agent, "name", None)), "id": f"{ctx.run_id}:{number}"}
                for number, message in enumerate(result.new_messages())
            ]
            await self.remembering.aio.record(said, conversation=self._conversation or ctx.conversation_id)
        return result

    async def _block(self, ctx: RunContext[Any], messages: Sequence[ModelMessage]) -> str:
        said = [_plain(message) for message in messages]
        question = last_said([one for one in said if one["role"] == "user"])
        if self._shown is None or self._shown[0] != question:
            conversation = self._conversation or ctx.conversation_id
            block = await self.remembering.aio.block(question, seen=said, conversation=conversation)
            self._shown = question, block
        return self._shown[1]


def _plain(message: ModelMessage, speaker: str | None = None) -> dict[str, Any]:
    """What people or the model said in it; results of tools, instructions and thoughts are left out."""
    if isinstance(message, ModelRequest):
        prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        return {"role": "user", "content": "\n".join(filter(None, map(_text, prompts)))}
    texts = [part.content for part in message.parts if isinstance(part, TextPart)]
    return {"role": "assistant", "content": "\n".join(texts), "speaker": speaker}


def _text(prompt: UserPromptPart) -> str:
    contents = [prompt.content] if isinstance(prompt.content, str) else prompt.content
    plain = [one.content if isinstance(one, TextContent) else one for one in contents]
    return "\n".join(one for one in plain if isinstance(one, str))


def _with_block(messages: Sequence[ModelMessage], block: str) -> list[ModelMessage]:
    """Other messages, with the block in the last prompt: those that are given belong to the history."""
    shown = [*messages]
    for number, message in reversed([*enumerate(shown)]):
        prompts = [place for place, part in enumerate(message.parts) if isinstance(part, UserPromptPart)]
        if block and prompts:
            parts = [*message.parts]
            content = parts[prompts[-1]].content
            beneath = f"{block}\n\n{content}" if isinstance(content, str) else [block, *content]
            parts[prompts[-1]] = replace(parts[prompts[-1]], content=beneath)
            shown[number] = replace(message, parts=parts)
            break
    return shown


def _tools(tools: Tools) -> list[Tool[Any]]:
    """Not made of functions, whose arguments would be checked: a call that is wrong is the tool's to answer."""

    def tool(schema: dict[str, Any]) -> Tool[Any]:
        async def call(ctx: RunContext[Any], /, **arguments: Any) -> str:
            with current_context.set_to(ctx):
                return await tools.async_call(schema["name"], arguments)

        return Tool.from_schema(call, schema["name"], schema["description"], schema["parameters"], takes_ctx=True)

    return [tool(schema) for schema in tools.function_schemas]
