"""`TruekeepChatMessageHistory`: the transcript of one session, kept in a space exactly as it was; how messages read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict

from truekeep.adapters.common import FailOpen, Recording, Remembering, Spaces, is_recalled
from truekeep.adapters.common.adapter import Attached, shielded
from truekeep.adapters.common.transcripts import Transcript
from truekeep.memory import Memory

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "HumanMessageChunk": "user"}


class TruekeepChatMessageHistory(Attached, BaseChatMessageHistory):  # type: ignore[misc]  # as in the store
    """The messages of a session, for `RunnableWithMessageHistory` and chains of your own.

    A transcript is the value `history:{session id}` of the space that is written to, and holds up to 16 MiB. What
    cannot be saved waits and goes with the next call; no failure of the memory ends a run.

    Args:
        session_id: the name of the conversation.
        memory: a `Memory`; `Spaces(...)`; or the name of a space.
        recording: what of the conversation is also remembered, so that other sessions recall it; by default nothing.
        guard: how failures are met.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | Spaces | str,
        *,
        recording: Recording | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        self.session_id = session_id
        self.remembering = Remembering(
            memory, recording=recording or Recording(mode=None), conversation=session_id, guard=guard
        )
        self._transcript = Transcript(self.remembering.spaces, session_id)
        self.remembering.entrust(self._transcript)

    @property
    def messages(self) -> list[BaseMessage]:
        """The transcript; when the memory fails, as much of it as waits here to be saved."""
        with shielded(self.remembering.guard):
            return [*messages_from_dict(self.remembering.on_memory(self._transcript.load, self._transcript.late()))]
        return []

    async def aget_messages(self) -> list[BaseMessage]:
        """As `messages`."""
        with shielded(self.remembering.guard):
            found = await self.remembering.aio.on_memory(self._transcript.load, self._transcript.late())
            return [*messages_from_dict(found)]
        return []

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages to the end of the transcript."""
        with shielded(self.remembering.guard):
            new = self._queued(messages)
            self.remembering.on_memory(self._transcript.send, None)
            for message in new:
                self.remembering.note(plain(message), id=message.id or uuid4().hex)  # certainly new

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """As `add_messages`."""
        with shielded(self.remembering.guard):
            new = self._queued(messages)
            await self.remembering.aio.on_memory(self._transcript.send, None)
            for message in new:
                await self.remembering.aio.note(plain(message), id=message.id or uuid4().hex)

    def clear(self) -> None:
        """Delete the transcript; what was remembered of it stays."""
        self.remembering.on_memory(self._transcript.clear, False)

    async def aclear(self) -> None:
        """As `clear`."""
        await self.remembering.aio.on_memory(self._transcript.clear, False)

    def _queued(self, messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
        """Those that somebody said: a system message with a recalled block is made anew for each run."""
        said = [message for message in messages if not (message.type == "system" and is_recalled(str(message.text)))]
        self._transcript.queue([message_to_dict(message) for message in said])
        return said


def plain(message: BaseMessage) -> dict[str, Any]:
    """The message with its words only; calls, results, pictures and thoughts are left out."""
    role = getattr(message, "role", None) or _ROLES.get(message.type, message.type)
    return {"role": str(role), "name": message.name, "content": str(message.text)}
