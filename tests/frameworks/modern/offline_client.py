"""A chat client of the Agent Framework that says what it is told to, and keeps what it received."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from agent_framework import (
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)


class OfflineClient(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """Says the replies one after the other; text, or a content such as a function call."""

    def __init__(self, *replies: str | Content) -> None:
        super().__init__()
        self.replies = list(replies)
        self.received: list[list[Message]] = []
        self.options: list[dict[str, Any]] = []

    def shown(self, call: int = -1) -> str:
        """All text that the model got in a call, instructions included."""
        texts = [message.text for message in self.received[call]]
        return "\n".join([self.options[call].get("instructions") or "", *texts])

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: dict[str, Any], **kwargs: Any
    ) -> Any:
        self.received.append(list(messages))
        self.options.append(dict(options))
        reply = self.replies.pop(0)
        contents = [Content.from_text(reply) if isinstance(reply, str) else reply]

        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            yield ChatResponseUpdate(contents=contents, role="assistant")

        async def response() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", contents)])

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates) if stream else response()


def calling(name: str, arguments: str) -> Content:
    return Content.from_function_call(call_id=f"call-{name}", name=name, arguments=arguments)
