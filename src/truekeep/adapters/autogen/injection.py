"""How the messages of a model context read, and where a recalled block enters a prompt: never held by the context."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage

Inject = Literal["merge", "user", "system"]
MODES: tuple[Inject, ...] = ("merge", "user", "system")


def shown(messages: Sequence[LLMMessage], block: str, inject: Inject) -> list[LLMMessage]:
    """The messages with the block among them; they themselves stay as they are.

    "merge" is the beginning of the last user message, also for models that want users and assistants to take turns;
    "user" is a user message before that. "system" is a system message behind those at the beginning, which are the
    agent's own instructions: some models take only one, and their clients can join neighbours.
    """
    if inject == "system":
        place = next((i for i, one in enumerate(messages) if not isinstance(one, SystemMessage)), len(messages))
        return [*messages[:place], SystemMessage(content=block), *messages[place:]]
    asked = [i for i, one in enumerate(messages) if isinstance(one, UserMessage)]
    place = asked[-1] if asked else 0
    if inject == "user" or not asked:
        return [*messages[:place], UserMessage(content=block, source="memory"), *messages[place:]]
    said = messages[place].content
    content = f"{block}\n\n{said}" if isinstance(said, str) else [block, *said]
    merged = messages[place].model_copy(update={"content": content})
    return [*messages[:place], merged, *messages[place + 1 :]]


def from_context(message: LLMMessage) -> dict[str, Any]:
    """A message of a model context. In a team, what other agents said comes as user messages."""
    if isinstance(message, UserMessage):
        return {"role": "user", "name": message.source, "content": message.content}
    if isinstance(message, AssistantMessage):
        said = message.content if isinstance(message.content, str) else None  # else it calls tools
        return {"role": "assistant", "name": message.source, "content": said}
    return {"role": "system" if isinstance(message, SystemMessage) else "tool", "content": None}


class Overlay:
    """The `get_messages` of one context: what it holds, and the blocks of the present turn.

    What is added to a context stays there: it piles up, and is part of every saved state. So the block is not added;
    the context's `get_messages`, the one way to a model, is replaced by one that shows it.
    """

    def __init__(self, held: Callable[[], Awaitable[Sequence[LLMMessage]]]) -> None:
        self.held = held
        self._blocks: WeakKeyDictionary[object, tuple[str, Inject]] = WeakKeyDictionary()

    @classmethod
    def of(cls, context: ChatCompletionContext) -> Overlay:
        """That of a context, which gets one if it has none."""
        present = context.get_messages
        if isinstance(present, cls):
            return present
        overlay = cls(present)
        context.get_messages = overlay
        return overlay

    def show(self, owner: object, block: str, inject: Inject) -> None:
        """Show this block of a memory instead of its former one; an empty one is not shown."""
        self._blocks.pop(owner, None)
        if block:
            self._blocks[owner] = (block, inject)

    async def __call__(self) -> list[LLMMessage]:
        messages = list(await self.held())
        if not messages:  # cleared: there is nothing to be answered with the help of the block
            return messages
        for block, inject in list(self._blocks.values()):
            messages = shown(messages, block, inject)
        return messages
