"""`Hooks`: what is taken down around the replies of one agent.

They sit in reply functions that never reply. Nothing that these do enters the history, every version calls them, and
unlike `update_agent_state`, which 0.2 lacks and 0.14 runs on the thread of the event loop, they can be awaited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from uuid import uuid4

from autogen import Agent, GroupChatManager

from truekeep.adapters.common import Plan, Remembering
from truekeep.adapters.common.adapter import shielded
from truekeep.adapters.common.plans import NOTHING

from .agents import carry_out, is_async, partner, records_into, role_of
from .tools import lend


class GroupConversation(Protocol):
    """What a group tells its participants' hooks."""

    manager: Any
    name: str | None
    """None while it is being replayed."""


class Hooks:
    """Takes down what is told to the agent and what it says, and lends its tools out.

    Args:
        agent: whose replies they are.
        remembering: its memory.
        group: the conversation of a group; then only what the agent says to it is taken down.
    """

    def __init__(self, agent: Any, remembering: Remembering, *, group: GroupConversation | None = None) -> None:
        self.agent = agent
        self.remembering = remembering
        self._group = group
        self._heard: dict[str, Any] = {}  # by the name of who said it: the last message taken down
        self._is_prepared = False

    def add(self) -> None:
        """Hook them up. What is registered later comes first."""
        agent = self.agent
        agent.register_reply([Agent, None], self.before_reply)
        agent.register_reply([Agent, None], self.awaited_before_reply, ignore_async_in_sync_chat=True)
        agent.register_hook("process_message_before_send", self.before_send)
        if "a_process_message_before_send" in agent.hook_lists:  # 0.2: there an async chat calls only these
            agent.register_hook("a_process_message_before_send", self.awaited_before_send)

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
