"""A model of LlamaIndex that is offline: it says what it is told to say, and knows what it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

Reply = str | ToolCallBlock


def calling(name: str, **arguments: Any) -> ToolCallBlock:
    return ToolCallBlock(tool_call_id="c1", tool_name=name, tool_kwargs=arguments)


class OfflineModel:
    def __init__(self, *replies: Reply) -> None:
        self._replies = [*replies]
        self.shown: list[list[tuple[str, str]]] = []
        self.offered: dict[str, dict[str, Any]] = {}
        self.llm = MockFunctionCallingLLM(response_generator=self._reply)

    @property
    def system(self) -> str:
        """What the last call was told as its instructions."""
        return "\n".join(text for role, text in self.shown[-1] if role == "system")

    @property
    def prompt(self) -> str:
        """What the last thing that a person said had become."""
        return "\n".join(text for role, text in self.shown[-1] if role == "user")

    @property
    def result(self) -> str:
        """What the last tool answered."""
        return [text for role, text in self.shown[-1] if role == "tool"][-1]

    def _reply(self, messages: Sequence[ChatMessage], tools: Sequence[Any] = (), **options: Any) -> ChatMessage:
        texts = [(one.role.value, block) for one in messages for block in one.blocks if isinstance(block, TextBlock)]
        self.shown.append([(role, block.text) for role, block in texts])
        self.offered = {tool.metadata.name: tool.metadata.get_parameters_dict() for tool in tools}
        reply = self._replies.pop(0)
        return ChatMessage(role="assistant", blocks=[TextBlock(text=reply) if isinstance(reply, str) else reply])
