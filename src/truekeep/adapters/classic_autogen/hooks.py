"""`Hooks`: what is taken down around the replies of one agent, and what its model is shown when it is asked.

What takes down sits in reply functions that never reply. Nothing that these do enters the history, every version
calls them, and unlike `update_agent_state`, which 0.2 lacks and 0.14 runs on the thread of the event loop, they can be
awaited.

The functions by which an agent asks its model are replaced by ones that put the recalled block above the last user
message. So neither the history nor whoever else looks at a message (for its end, for code to run) ever has it, and all
that comes before stays as it is, for the cache of the provider.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Protocol
from uuid import uuid4

from autogen import Agent, ConversableAgent, GroupChatManager
from autogen.io import IOStream

from truekeep.adapters.common import Plan, Remembering, announcement
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.plans import NOTHING
from truekeep.adapters.common.speech import last_told

from .agents import carry_out, has_model, is_async, lend, partner, records_into, role_of

_ASKING = ("generate_oai_reply", "a_generate_oai_reply", "_reply_with_history", "_a_reply_with_history")


class GroupConversation(Protocol):
    """What a group tells its participants' hooks."""

    manager: Any
    name: str | None
    """None while it is being replayed."""


class Hooks:
    """Takes down what is told to the agent and what it says, lends its tools out, and recalls for its model.

    Args:
        agent: whose replies they are.
        remembering: its memory.
        query: what to recall for; None: what was said last.
        announce: whether to print "recalled 3 memories".
        group: the conversation of a group; then only what the agent says to it is taken down.
    """

    def __init__(
        self,
        agent: Any,
        remembering: Remembering,
        *,
        query: str | None,
        announce: bool,
        group: GroupConversation | None = None,
    ) -> None:
        self.agent = agent
        self.remembering = remembering
        self._query = query
        self._announce = announce
        self._group = group
        self._heard: dict[str, Any] = {}  # by the name of who said it: the last message taken down
        self._is_prepared = False

    def add(self, *, inject: bool) -> None:
        """Hook them up; to `inject` is to show the model what is recalled. What is registered later comes first."""
        agent = self.agent
        agent.register_reply([Agent, None], self.before_reply)
        agent.register_reply([Agent, None], self.awaited_before_reply, ignore_async_in_sync_chat=True)
        agent.register_hook("process_message_before_send", self.before_send)
        if "a_process_message_before_send" in agent.hook_lists:  # 0.2: there an async chat calls only these
            agent.register_hook("a_process_message_before_send", self.awaited_before_send)
        for cls in (type(agent), ConversableAgent) if inject else ():
            for asking in [getattr(cls, name) for name in _ASKING if hasattr(cls, name)]:  # whichever the agent has
                agent.replace_reply_func(asking, self._showing(asking))

    def before_reply(
        self, agent: Any, messages: Sequence[Any] | None = None, sender: Any = None, config: object = None
    ) -> tuple[bool, None]:
        if self._is_prepared:  # an async chat calls both, this one right after the other, with nothing in between
            self._is_prepared = False
            return False, None
        is_async.set(False)
        with self._turn(sender):
            for plan in self._told(messages or (), sender):
                self.remembering.run(plan)
        return False, None

    async def awaited_before_reply(
        self, agent: Any, messages: Sequence[Any] | None = None, sender: Any = None, config: object = None
    ) -> tuple[bool, None]:
        is_async.set(True)
        with self._turn(sender):
            for plan in self._told(messages or (), sender):
                await self.remembering.aio.run(plan)
        self._is_prepared = True
        return False, None

    def before_send(self, sender: Any, message: Any, recipient: Any, silent: bool) -> Any:
        with self._turn(recipient):
            lend(self.agent, self.remembering, message, recipient)
            carry_out(self.remembering, self._said(message, recipient))
        return message

    async def awaited_before_send(self, sender: Any, message: Any, recipient: Any, silent: bool) -> Any:
        with self._turn(recipient):
            lend(self.agent, self.remembering, message, recipient)
            await self.remembering.aio.run(self._said(message, recipient))
        return message

    @contextmanager
    def _turn(self, other: Any) -> Iterator[None]:
        with shielded(self.remembering.guard), partner.set_to(other):
            yield

    def _said(self, message: object, recipient: Any) -> Plan[None]:
        agent, group = self.agent, self._group
        role = role_of(message, agent)
        if group is None:
            is_replayed = isinstance(recipient, GroupChatManager) and _is_signed(message, agent.name)
            return NOTHING if is_replayed else self._noted(message, speaker=agent.name, role=role)
        if recipient is not group.manager or group.name is None:
            return NOTHING
        return self.remembering.plans.note(message, speaker=agent.name, role=role, conversation=group.name)

    def _told(self, messages: Sequence[Any], sender: Any) -> Iterator[Plan[None]]:
        """What was said to the agent since it spoke last; in a group, and where the speaker records it, not here."""
        if self._group is not None or isinstance(sender, GroupChatManager) or self._is_recorded_by(sender):
            return
        name = "" if sender is None else sender.name
        fresh = _since(messages, self._heard.get(name))
        if fresh:
            self._heard[name] = fresh[-1]
        for message in fresh:
            yield self._noted(message, speaker=message.get("name") or name or None, role=role_of(message, sender))

    def _is_recorded_by(self, sender: Any) -> bool:
        with shielded(self.remembering.guard):  # whose memory it is may depend on a function of the host
            return records_into(sender, self.remembering.spaces.scopes().write)
        return False

    def _noted(self, message: object, *, speaker: str | None, role: str | None) -> Plan[None]:
        # What is sent and received in front of us is new, even if the same words were said before.
        return self.remembering.plans.note(message, speaker=speaker, role=role, id=uuid4().hex)

    def _showing(self, asking: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(asking)  # in an async chat AutoGen tells by the names which two belong together
        def reply(agent: Any, messages: Any = None, sender: Any = None, config: Any = None) -> Any:
            present = agent.chat_messages[sender] if messages is None else messages
            block = self.remembering.run(self._plan(present, sender))
            return asking(agent, messages=self._shown(present, block), sender=sender, config=config)

        @wraps(asking)
        async def awaited(agent: Any, messages: Any = None, sender: Any = None, config: Any = None) -> Any:
            present = agent.chat_messages[sender] if messages is None else messages
            block = await self.remembering.aio.run(self._plan(present, sender))
            return await asking(agent, messages=self._shown(present, block), sender=sender, config=config)

        return awaited if inspect.iscoroutinefunction(asking) else reply

    def _plan(self, messages: Sequence[Any], sender: Any) -> Plan[str]:
        """What to ask the memory; nothing where there is no model to tell."""
        with shielded(self.remembering.guard), partner.set_to(sender):
            if has_model(self.agent):
                return self.remembering.plans.block(self._query or last_told(messages), seen=messages)
        return Plan(None, "")

    def _shown(self, messages: Sequence[Any], block: str) -> list[Any]:
        with shielded(self.remembering.guard):
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


def _is_signed(message: object, name: str) -> bool:
    """When a group resumes, its manager lets the agents send again what they once said, now with their names in it."""
    return isinstance(message, Mapping) and message.get("name") == name


def _since(messages: Sequence[Any], heard: object) -> list[Any]:
    fresh: list[Any] = []
    for message in reversed(messages):
        if message is heard or message.get("role") == "assistant":
            break
        fresh.append(message)
    return fresh[::-1]


def _is_said_to_us(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") == "user" and bool(message.get("content"))


def _beneath(block: str, message: Mapping[str, Any]) -> dict[str, Any]:
    """Another message: that of the history stays as it is."""
    said = message["content"]
    content = f"{block}\n\n{said}" if isinstance(said, str) else [{"type": "text", "text": block}, *said]
    return {**message, "content": content}
