"""A chat model of LangChain that is offline: it says what it is told to say, and knows what it was shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult


class OfflineModel(GenericFakeChatModel):
    messages: Iterator[AIMessage | str]
    shown: list[list[BaseMessage]]
    tools: list[str]

    @classmethod
    def saying(cls, *replies: AIMessage | str) -> OfflineModel:
        return cls(messages=iter(replies), shown=[], tools=[])

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> OfflineModel:
        self.tools[:] = [tool.name for tool in tools]
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self.shown.append(messages)
        return super()._generate(messages, *args, **options)

    def system(self) -> str:
        """What the last call was told as its instructions."""
        return "\n".join(str(message.text) for message in self.shown[-1] if message.type == "system")

    def asked(self) -> str:
        """The last thing that a person said in the last call, with what stands above it."""
        return [str(message.text) for message in self.shown[-1] if message.type == "human"][-1]


def calling(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "call-1"}])
