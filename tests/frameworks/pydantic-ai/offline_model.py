"""A model of Pydantic AI that is offline: it says what it is told to say, and knows what it was shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

Reply = str | ToolCallPart


class OfflineModel:
    def __init__(self, *replies: Reply) -> None:
        self._replies = [*replies]
        self.shown: list[list[ModelMessage]] = []
        self.offered: dict[str, dict[str, Any]] = {}
        self.model = FunctionModel(self._reply, stream_function=self._stream)

    @property
    def prompts(self) -> list[Any]:
        """What people said, in the last request."""
        return [part.content for part in self._parts() if isinstance(part, UserPromptPart)]

    @property
    def result(self) -> str:
        """What the last tool answered."""
        return str([part.content for part in self._parts() if isinstance(part, ToolReturnPart)][-1])

    def _parts(self) -> list[Any]:
        return [part for message in self.shown[-1] for part in message.parts]

    def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.shown.append(messages)
        self.offered = {tool.name: tool.parameters_json_schema for tool in info.function_tools}
        reply = self._replies.pop(0)
        return ModelResponse(parts=[TextPart(reply) if isinstance(reply, str) else reply])

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for part in self._reply(messages, info).parts:
            assert isinstance(part, TextPart)
            yield part.content
