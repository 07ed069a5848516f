"""`WriteBack`: keeps what is said in the runs of an agent or a team; AutoGen itself never writes to a memory."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias
from uuid import uuid4

from autogen_agentchat.base import TaskResult, TaskRunner
from autogen_agentchat.messages import (
    BaseAgentEvent,
    BaseChatMessage,
    HandoffMessage,
    MultiModalMessage,
    StopMessage,
    TextMessage,
    ToolCallSummaryMessage,
)

from truekeep.adapters.common import Recording, Remembering, Spaces
from truekeep.adapters.common.adapter import shielded
from truekeep.memory import Memory

from .memory import TruekeepMemory

Task: TypeAlias = str | BaseChatMessage | Sequence[BaseChatMessage] | None
USERS = ("user", "user_proxy")  # as AutoGen and its examples call people


class WriteBack:
    """An agent or a team whose conversation is kept: use its `run` and `run_stream` instead of theirs.

    Every message is kept once, under its speaker, as soon as it is said, also if the run then fails. Tool calls, their
    results and recalled text are not. Failures of the memory never reach the run.

    Args:
        runner: the agent or team.
        memory: the agent's `TruekeepMemory`, which also says what is recorded; or a `truekeep.Memory`, `Spaces`, or
            the name of a space.
        conversation: its name; the same name goes on where an earlier process stopped. Without one it is a new one.
        recording: what is kept, where the memory is not a `TruekeepMemory`.
        users: the sources that are people. A task is the user's word too, unless its source is the runner itself.
    """

    def __init__(
        self,
        runner: TaskRunner,
        memory: TruekeepMemory | Memory | Spaces | str,
        *,
        conversation: str | None = None,
        recording: Recording | None = None,
        users: Collection[str] = USERS,
    ) -> None:
        self.runner = runner
        self.conversation = conversation or uuid4().hex
        self._is_ours = not isinstance(memory, TruekeepMemory)
        self.remembering = (
            memory.remembering if isinstance(memory, TruekeepMemory) else Remembering(memory, recording=recording)
        )
        self._users = frozenset(users)

    async def run(self, *, task: Task = None, **options: Any) -> TaskResult:
        """As the runner's own `run`, which gets the options."""
        asked = await self._asked(task)
        result = await self.runner.run(task=asked, **options)
        await self._keep(result.messages)
        return result

    async def run_stream(
        self, *, task: Task = None, **options: Any
    ) -> AsyncGenerator[BaseAgentEvent | BaseChatMessage | TaskResult, None]:
        """As the runner's own `run_stream`, which gets the options."""
        asked = await self._asked(task)
        async with aclosing(self.runner.run_stream(task=asked, **options)) as stream:
            async for message in stream:
                await self._keep([message])
                yield message

    async def flush(self) -> bool:
        """Keep what still waits for more messages (`Recording(mode="extract")`); whether all is done."""
        return await self.remembering.aio.flush()

    async def close(self) -> None:
        """Flush; release what was opened here. The runner and a `TruekeepMemory` stay as they are."""
        await (self.remembering.aio.close() if self._is_ours else self.flush())

    async def _asked(self, task: Task) -> Task:
        """The task, kept. A text gets its id here, so that it is the same message when the result tells of it."""
        asked = TextMessage(content=task, source="user") if isinstance(task, str) else task
        messages = [asked] if isinstance(asked, BaseChatMessage) else asked if isinstance(asked, Sequence) else []
        name = getattr(self.runner, "name", None)
        people = {one.source for one in messages if isinstance(one, BaseChatMessage) and one.source != name}
        await self._keep(messages, self._users | people)
        return asked

    async def _keep(self, messages: Sequence[object], users: Collection[str] | None = None) -> None:
        with shielded(self.remembering.guard):
            said = [_from_chat(one, users or self._users) for one in messages if isinstance(one, BaseChatMessage)]
            if said:
                await self.remembering.aio.record(said, conversation=self.conversation)


def _from_chat(message: BaseChatMessage, users: Collection[str]) -> dict[str, Any]:
    """A message of a run. What tools returned and what only steers the run is nobody's own words."""
    if isinstance(message, ToolCallSummaryMessage):
        role = "tool"
    elif isinstance(message, HandoffMessage | StopMessage):
        role = "system"
    else:
        role = "user" if message.source in users else "assistant"
    content = message.content if isinstance(message, MultiModalMessage) else message.to_text()
    return {"role": role, "name": message.source, "id": message.id, "content": content, "when": message.created_at}
