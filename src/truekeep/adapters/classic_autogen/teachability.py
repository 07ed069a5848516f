"""`Teachability`: what users teach one agent, a whole group knows."""

from __future__ import annotations

from typing import Any

from autogen.agentchat.contrib.capabilities.agent_capability import AgentCapability

from truekeep.adapters.common import FailOpen, Recalling, Recording, Remembering, Spaces
from truekeep.memory import Memory

from .attaching import attach
from .group import attach_group


class Teachability(AgentCapability):  # type: ignore[misc]  # the framework is not installed where types are checked
    """In place of AutoGen's capability of this name: no model calls, no files of its own, one memory for many agents.

    It learns what is durable in what is said, at once, and recalls it above the last message to the agent; the history
    of the chat stays as it is.

    Args:
        memory: a `Memory`, `Spaces(...)`, or the name of a space.
        max_num_retrievals: at most so many memories are shown for a message.
        tools: whether the models may also call `remember`, `recall` and `forget`.
        guard: how failures of the memory are met: deadline, callback.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        max_num_retrievals: int = 10,
        tools: bool = False,
        guard: FailOpen | None = None,
    ) -> None:
        super().__init__()
        self.remembering = Remembering(
            memory,
            recalling=Recalling(limit=max_num_retrievals),
            recording=Recording(mode="extract", every=1),
            guard=guard,
        )
        self._tools = tools

    def add_to_agent(self, agent: Any) -> None:
        """Make one agent teachable."""
        attach(agent, self.remembering, tools=self._tools)

    def add_to_group(self, groupchat: Any, manager: Any) -> None:
        """Make all participants of a group teachable: what one of them is taught, all of them know."""
        attach_group(groupchat, manager, self.remembering, tools=self._tools)
