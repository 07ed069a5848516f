"""A model of the OpenAI Agents SDK that is offline: it says what it is told to say, and knows what it was shown."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import ModelResponse, Usage
from agents.models.interface import Model
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

Reply = str | ResponseFunctionToolCall


def calling(name: str, **arguments: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(arguments=json.dumps(arguments), call_id="c1", name=name, type="function_call")


class OfflineModel(Model):
    def __init__(self, *replies: Reply) -> None:
        self._replies = [*replies]
        self.shown: list[tuple[str | None, list[Any]]] = []

    @property
    def system(self) -> str:
        """What the last call was told as its instructions."""
        return self.shown[-1][0] or ""

    @property
    def above(self) -> str:
        """What the last call was told right before the last thing that a person said; empty if there is nothing."""
        said = [str(item["content"]) for item in self.shown[-1][1] if item.get("role") == "user"]
        return said[-2] if len(said) > 1 else ""

    async def get_response(self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any) -> Any:
        return ModelResponse(output=[self._next(system_instructions, input)], usage=Usage(), response_id=None)

    async def stream_response(
        self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        response = Response(
            id="r1",
            created_at=0,
            model="offline",
            object="response",
            output=[self._next(system_instructions, input)],
            tool_choice="none",
            tools=[],
            parallel_tool_calls=False,
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)

    def _next(self, system: str | None, input: Any) -> Any:
        self.shown.append((system, [*input]))
        reply = self._replies.pop(0)
        if not isinstance(reply, str):
            return reply
        text = ResponseOutputText(text=reply, type="output_text", annotations=[])
        return ResponseOutputMessage(id="m", role="assistant", type="message", status="completed", content=[text])
