"""`TruekeepHistoryProvider`: the transcript of each session, kept in a space exactly as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent_framework import AgentSession, HistoryProvider, Message, SessionContext, SupportsAgentRun

from truekeep.adapters.common import FailOpen, Recording, Remembering, Spaces
from truekeep.adapters.common.adapter import AsyncAttached, shielded
from truekeep.adapters.common.transcripts import Transcript, Unsaved
from truekeep.memory import Memory

from .context import current_session


class TruekeepHistoryProvider(AsyncAttached, HistoryProvider):  # type: ignore[misc]  # not installed where types are checked
    """Loads the transcript of a session before a run and adds what the run brought, function calls included.

    A transcript is the value `history:{session id}` of the space that is written to, and holds up to 16 MiB. What
    cannot be saved waits and goes with the next run; no failure of the memory ends a run.

    Args:
        memory: a `Memory`; `Spaces(...)`; or the name of a space.
        source_id: under which the framework attributes what comes from here.
        guard: how failures are met.
        **options: those of the framework's `HistoryProvider`, such as `store_outputs`.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        source_id: str = "truekeep_history",
        guard: FailOpen | None = None,
        **options: Any,
    ) -> None:
        super().__init__(source_id, **options)
        self.remembering = Remembering(memory, recording=Recording(mode=None), guard=guard)
        self._unsaved = Unsaved()

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Load the transcript."""
        with shielded(self.remembering.guard), current_session.set_to(session):
            await super().before_run(agent=agent, session=session, context=context, state=state)

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Save what the run brought."""
        with shielded(self.remembering.guard), current_session.set_to(session):
            await super().after_run(agent=agent, session=session, context=context, state=state)

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """The transcript of a session; when the memory fails, as much of it as waits here to be saved."""
        with shielded(self.remembering.guard):
            transcript = self._transcript(session_id)
            found = await self.remembering.aio.on_memory(transcript.load, transcript.late())
            return [Message.from_dict(dict(message)) for message in found]
        return []

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Add messages to the transcript of a session, less those that are a replay of its end."""
        with shielded(self.remembering.guard):
            kept = [message.to_dict() for message in messages if not _is_recalled(message)]
            transcript = self._transcript(session_id)
            transcript.queue(kept)
            if kept:
                await self.remembering.aio.on_memory(transcript.send, None)

    async def clear(self, session_id: str | None) -> bool:
        """Delete the transcript of a session; whether there was one."""
        transcript = self._transcript(session_id)
        with shielded(self.remembering.guard):
            transcript.drop()
        return await self.remembering.aio.on_memory(transcript.clear, False)

    def _transcript(self, session_id: str | None) -> Transcript:
        return Transcript(self.remembering.spaces, session_id, unsaved=self._unsaved, choose=unseen)


def _is_recalled(message: Message) -> bool:
    """Whether it was put there by our context provider: with `store_context_messages` it would come back as said."""
    attribution = message.additional_properties.get("_attribution")
    return isinstance(attribution, dict) and attribution.get("source_type") == "TruekeepContextProvider"


def unseen(known: Sequence[Any], incoming: Sequence[Any]) -> list[Any]:
    """What of the messages is new: a caller may send the end of the transcript, or all of it, along with the rest.

    Something new must follow, else it is a turn that went just like the one before it. One user message alone, without
    an id, does not make a replay: people repeat themselves.
    """
    before, now = [*map(_identity, known)], [*map(_identity, incoming)]
    for length in range(min(len(before), len(now) - 1), 0, -1):
        if before[-length:] == now[:length]:
            is_told_twice = length == 1 and incoming[0].get("role") == "user" and not incoming[0].get("message_id")
            return [*incoming[0 if is_told_twice else length :]]
    return [*incoming]


def _identity(message: dict[str, Any]) -> Any:
    return message.get("message_id") or [message.get("role"), message.get("contents")]
