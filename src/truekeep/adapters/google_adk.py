"""Google ADK: a memory service for all users of an app, a tool that shows the model what it knows, and the tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from truekeep.memory import Memory
from truekeep.model import Match

from .common import FailOpen, Recalling, Recording, Remembering, Scopes, Spaces
from .common.adapter import AsyncAttached, Current, MissingFramework, shielded
from .common.speech import is_mere_question

try:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.events import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.models import LlmRequest
    from google.adk.sessions import Session
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types
except ModuleNotFoundError as error:
    raise MissingFramework("google-adk", error) from error

__all__ = [
    "FailOpen",
    "Recalling",
    "Recording",
    "Scopes",
    "Spaces",
    "TruekeepMemoryService",
    "User",
    "current_user",
    "user_space",
]

_NO_SESSION = "events"  # the conversation of events that come without a session


@dataclass(frozen=True, slots=True)
class User:
    """Whom a call of the service is about."""

    app_name: str
    user_id: str


current_user: Current[User] = Current("ADK user")
"""Whom the call under way is about, for a function that says whose memory it is."""


def user_space() -> str:
    """A space for each user of each app: `Spaces(user_space, at=...)`."""
    user = current_user()
    return f"{quote(user.app_name, safe='')}/{user.user_id}"


class TruekeepMemoryService(AsyncAttached, BaseMemoryService):  # type: ignore[misc]  # ADK is not installed where types are checked
    """The memory of an app: `Runner(..., memory_service=TruekeepMemoryService(Spaces(user_space)))`.

    ADK asks a memory service, and never tells it anything: `after_agent_callback=service.record` does. Its tools
    `preload_memory` and `load_memory` work with this service; `service.preload` does the same as the former with
    recalled text that is fenced and fits a budget. No failure of the memory ends a run; `failures` counts them.

    Args:
        memory: `Spaces(user_space, at=...)` for a space of each user; a `Memory` or the name of a space for all.
        recalling: what of the memory enters the prompt, and how much a search finds.
        recording: what of a session is kept.
        guard: how failures are met.
    """

    def __init__(
        self,
        memory: Memory | Spaces | str,
        *,
        recalling: Recalling | None = None,
        recording: Recording | None = None,
        guard: FailOpen | None = None,
    ) -> None:
        self.remembering = Remembering(memory, recalling=recalling, recording=recording, guard=guard)
        self.preload: BaseTool = _Preload(self.remembering)

    @property
    def tools(self) -> list[BaseTool]:
        """`remember`, `recall` and `forget` for a model; none of them raises."""
        return [_Verb(self.remembering, schema) for schema in self.remembering.tools.function_schemas]

    async def record(self, callback_context: CallbackContext) -> None:
        """For `LlmAgent(..., after_agent_callback=service.record)`: keeps what is new in the session."""
        await self.add_session_to_memory(callback_context.session)

    async def add_session_to_memory(self, session: Session) -> None:
        """Record the session, as far as it is not recorded yet."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Record what was said in these events; one that is recorded already is left out."""
        with shielded(self.remembering.guard), current_user.set_to(User(app_name, user_id)):
            said = [_heard(event) for event in events if not event.partial]
            await self.remembering.aio.record(said, conversation=session_id or _NO_SESSION)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember these, all or none of them."""
        with shielded(self.remembering.guard), current_user.set_to(User(app_name, user_id)):
            drafts = [{"content": text, "speaker": one.author} for one in memories if (text := _text(one.content))]
            await self.remembering.aio.on_memory(lambda memory: bool(memory.remember_many(drafts)), False)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What is known about it, best first; nothing when the memory fails."""
        with shielded(self.remembering.guard), current_user.set_to(User(app_name, user_id)):
            how = self.remembering.plans.recalling
            found = await self.remembering.aio.recall(query, limit=how.limit, **how.filters)
            telling = [match for match in found if how.questions or not is_mere_question(match)]
            return SearchMemoryResponse(memories=[_entry(match) for match in (*telling, *found.lessons)])
        return SearchMemoryResponse()

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase the memory with this id for good."""
        if memory_id is not None:
            with shielded(self.remembering.guard), current_user.set_to(User(app_name, user_id)):
                await self.remembering.aio.on_memory(lambda memory: bool(memory.forget(memory_id)), False)


class _Preload(BaseTool):  # type: ignore[misc]
    """No tool for a model: shows it what the memory has to say, at the beginning of what the user said."""

    def __init__(self, remembering: Remembering) -> None:
        super().__init__(name="truekeep_preload", description="Shows what the memory has to say.")
        self._remembering = remembering

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        with shielded(self._remembering.guard), current_user.set_to(_user_of(tool_context)):
            seen = [_text(content) for content in llm_request.contents]
            asked, session = _text(tool_context.user_content), tool_context.session.id
            block = await self._remembering.aio.block(asked, seen=seen, conversation=session)
            llm_request.contents = _with_block(llm_request.contents, block)


class _Verb(BaseTool):  # type: ignore[misc]
    def __init__(self, remembering: Remembering, schema: dict[str, Any]) -> None:
        super().__init__(name=schema["name"], description=schema["description"])
        self._tools = remembering.tools
        self._parameters = schema["parameters"]

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._parameters
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> str:
        with current_user.set_to(_user_of(tool_context)):
            return await self._tools.async_call(self.name, args)


def _user_of(context: ToolContext) -> User:
    return User(context.session.app_name, context.user_id)


def _text(content: types.Content | None) -> str:
    """What was said in it; thoughts, calls and their results are not."""
    parts = (content.parts if content is not None else None) or ()
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _heard(event: Event) -> dict[str, Any]:
    who = {"role": "user"} if event.author == "user" else {"role": "assistant", "speaker": event.author}
    when = datetime.fromtimestamp(event.timestamp, UTC)
    return {**who, "content": _text(event.content), "id": event.id, "when": when}


def _entry(match: Match) -> MemoryEntry:
    return MemoryEntry(
        id=match.id,
        content=types.Content(role="user", parts=[types.Part(text=match.content)]),
        author=match.item.source.speaker or match.item.source.role,
        timestamp=match.item.when.date().isoformat(),  # a day: the minute would change prompts and tell nothing
        custom_metadata={"kind": match.kind, "score": match.score},
    )


def _with_block(contents: Sequence[types.Content], block: str) -> list[types.Content]:
    """Other contents, with the block before the last thing that a person said."""
    shown = [*contents]
    for number, content in reversed([*enumerate(shown)]):
        if block and content.role == "user" and _text(content):
            shown[number] = types.Content(role="user", parts=[types.Part(text=block), *(content.parts or ())])
            break
    return shown
