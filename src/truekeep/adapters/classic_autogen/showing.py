"""`Showing`: what is recalled, in what one model call is shown and nobody else.

The functions by which an agent asks its model are replaced by ones that put the block above the last user message. So
neither the history nor whoever else looks at a message (for its end, for code to run) ever has it, and all that comes
before stays as it is, for the cache of the provider.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from autogen import ConversableAgent
from autogen.io import IOStream

from truekeep.adapters.common import Plan, Remembering, announcement
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.speech import last_told

from .agents import has_model, partner

_ASKING = ("generate_oai_reply", "a_generate_oai_reply", "_reply_with_history", "_a_reply_with_history")


class Showing:
    """Recalls when the agent's model is asked.

    Args:
        agent: whose model it is.
        remembering: its memory.
        query: what to recall for; None: what was said last.
        announce: whether to print "recalled 3 memories".
    """

    def __init__(self, agent: Any, remembering: Remembering, *, query: str | None, announce: bool) -> None:
        self._agent = agent
        self._remembering = remembering
        self._query = query
        self._announce = announce

    def add(self) -> None:
        """Replace the functions that ask the model, whichever of them the agent has."""
        for cls in (type(self._agent), ConversableAgent):
            for name in _ASKING:
                asking = getattr(cls, name, None)
                if asking is not None:
                    self._agent.replace_reply_func(asking, self._showing(asking))

    def _showing(self, asking: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(asking)  # in an async chat AutoGen tells by the names which two belong together
        def reply(agent: Any, messages: Any = None, sender: Any = None, config: Any = None) -> Any:
            present = agent.chat_messages[sender] if messages is None else messages
            block = self._remembering.run(self._plan(present, sender))
            return asking(agent, messages=self._shown(present, block), sender=sender, config=config)

        @wraps(asking)
        async def awaited(agent: Any, messages: Any = None, sender: Any = None, config: Any = None) -> Any:
            present = agent.chat_messages[sender] if messages is None else messages
            block = await self._remembering.aio.run(self._plan(present, sender))
            return await asking(agent, messages=self._shown(present, block), sender=sender, config=config)

        return awaited if inspect.iscoroutinefunction(asking) else reply

    def _plan(self, messages: Sequence[Any], sender: Any) -> Plan[str]:
        """What to ask the memory; nothing where there is no model to tell."""
        with shielded(self._remembering.guard), partner.set_to(sender):
            if has_model(self._agent):
                return self._remembering.plans.block(self._query or last_told(messages), seen=messages)
        return Plan(None, "")

    def _shown(self, messages: Sequence[Any], block: str) -> list[Any]:
        with shielded(self._remembering.guard):
            places = [place for place, message in enumerate(messages) if _is_said_to_us(message)]
            if block and places:
                if self._announce:
                    IOStream.get_default().print(announcement(block))
                place = places[-1]
                shown = _beneath(block, messages[place])
                if place == len(messages) - 1:
                    messages[place].pop("context", None)  # as AutoGen does with the last message that it sends
                return [*messages[:place], shown, *messages[place + 1 :]]
        return [*messages]


def _is_said_to_us(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") == "user" and bool(message.get("content"))


def _beneath(block: str, message: Mapping[str, Any]) -> dict[str, Any]:
    """Another message: that of the history stays as it is."""
    said = message["content"]
    content = f"{block}\n\n{said}" if isinstance(said, str) else [{"type": "text", "text": block}, *said]
    return {**message, "content": content}
