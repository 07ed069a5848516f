"""Hermes Agent: a memory provider, which recalls before a turn, records after it, and brings the tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from truekeep.memory import Memory
from truekeep.model import Source

from .common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces, announcement
from .common.adapter import Current, MissingFramework, shielded

try:
    from agent.memory_provider import MemoryProvider
    from hermes_constants import get_hermes_home
except ImportError as error:  # somebody else's package may be called `agent`, too
    raise MissingFramework("hermes", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "Recording",
    "Scopes",
    "Session",
    "Spaces",
    "TruekeepMemoryProvider",
    "current_session",
    "register",
    "user_space",
]

_OF_THE_OWNER = frozenset({"cli", "tui", "desktop", "acp"})  # terminals, windows and editors on their own machine
_KINDS = {"user": "preference", "memory": "fact"}  # what Hermes calls the two pages of its own memory


@dataclass(frozen=True, slots=True)
class Session:
    """What Hermes tells about the session under way.

    `user_id` is that of a messenger, and None on the command line; `key` is what a caller of the API server names
    itself by, or a messenger its chat.
    """

    id: str
    platform: str = "cli"
    user_id: str | None = None
    profile: str | None = None
    key: str | None = None


current_session: Current[Session] = Current("Hermes session")
"""The session of the call under way, for a function that says whose memory it is."""


def user_space() -> str:
    """A space for each user of each messenger, for each caller of the API server, and one for the command line.

    Whoever has neither id nor key shares a space with nobody: it is that of the session.
    """
    session = current_session()
    if session.user_id is None and session.platform in _OF_THE_OWNER:
        return "hermes"
    return f"hermes:{session.platform}:{session.user_id or session.key or session.id}"


class TruekeepMemoryProvider(MemoryProvider):  # type: ignore[misc]  # Hermes is not installed where types are checked
    """The memory of a Hermes agent, named `truekeep` in its settings.

    What is recalled is shown within the message of the user, by Hermes; no history keeps it as something that was
    said. Scheduled runs are not recorded. No failure of the memory ends a turn; `failures` counts them.

    Args:
        memory: a `Memory`; `Spaces(...)`; or the name of a space. By default a space for each user, in the file
            `truekeep.db` of the agent's home.
        speaker: the name of the agent.
        tools: whether to give the model `remember`, `recall` and `forget`.
        announce: whether to tell people on the command line of every block: "recalled 3 memories".
        recalling: what of the memory enters the prompt.
        recording: what of the conversation is kept.
        guard: how failures are met.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str | None = None,
        *,
        speaker: str = "hermes",
        tools: bool = True,
        announce: bool = False,
        recalling: Recalling | None = None,
        recording: Recording | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        where = Spaces(user_space, at=get_hermes_home() / "truekeep.db") if memory is None else memory
        self.remembering = Remembering(where, recalling=recalling, recording=recording, guard=guard)
        self._speaker = speaker
        self._tools = tools
        self._announce = announce
        self._tell: Callable[[str], None] | None = None
        self._session = Session(self.remembering.conversation)
        self._writes = True
        self._seen: Sequence[object] = ()

    @property
    def name(self) -> str:
        """What `memory.provider` in the settings of Hermes says."""
        return "truekeep"

    @property
    def failures(self) -> int:
        """How often the agent went on without its memory."""
        return self.remembering.failures

    def is_available(self) -> bool:
        """Always: nothing has to be set up."""
        return True

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Take down whose session it is; nothing is opened yet."""
        self._session = Session(
            session_id,
            platform=kwargs.get("platform") or "cli",
            user_id=kwargs.get("user_id"),
            profile=kwargs.get("agent_identity"),
            key=kwargs.get("gateway_session_key"),
        )
        self._tell = kwargs.get("status_callback") if self._announce else None
        self._writes = kwargs.get("agent_context", "primary") == "primary" and self._session.platform != "cron"
        self._seen = ()

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """What the memory has to say about what the user said."""
        with shielded(self.remembering.guard), current_session.set_to(self._session):
            block = self.remembering.block(query, seen=self._seen, conversation=session_id or self._session.id)
            if block and self._tell is not None:
                self._tell(announcement(block))
            return block
        return ""

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        """Record what was said in a turn."""
        with shielded(self.remembering.guard), current_session.set_to(self._session):
            self._seen = messages or ()
            if self._writes:
                asked = {"role": "user", "content": user_content, "id": uuid4().hex}
                answered = {
                    "role": "assistant",
                    "content": assistant_content,
                    "speaker": self._speaker,
                    "id": uuid4().hex,
                }
                self.remembering.record([asked, answered], conversation=session_id or self._session.id)

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """`remember`, `recall` and `forget`."""
        return self.remembering.tools.function_schemas if self._tools else []

    def handle_tool_call(self, tool_name: str, args: Mapping[str, Any], **kwargs: Any) -> str:
        """Do what the model asked for; never raises."""
        with current_session.set_to(self._session):
            return json.dumps({"result": self.remembering.tools.call(tool_name, args)}, ensure_ascii=False)

    def on_memory_write(
        self, action: str, target: str, content: str, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Remember what the agent writes into its own two pages, so that others who share the space know it."""
        if action not in ("add", "replace") or not self._writes:
            return
        with shielded(self.remembering.guard), current_session.set_to(self._session):
            kind, source = _KINDS.get(target, "fact"), Source(role="assistant")
            self.remembering.on_memory(
                lambda memory: bool(memory.remember(content, kind=kind, source=source, derived=True)), False
            )

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        """Go on under another name."""
        self._session = replace(self._session, id=new_session_id)
        self._seen = ()

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        """Keep what is not kept yet."""
        self.remembering.flush()

    def shutdown(self) -> None:
        """Flush, and release what was opened here; deletes nothing."""
        self.remembering.close()


def register(ctx: Any) -> None:
    """For `from truekeep.adapters.hermes import register` in `plugins/truekeep/__init__.py` of the agent's home."""
    ctx.register_memory_provider(TruekeepMemoryProvider())
