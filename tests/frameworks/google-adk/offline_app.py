"""An app of Google ADK with a model that is offline: it says what it is told to say, and knows what it was shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.genai import types
from pydantic import PrivateAttr

Reply = str | types.Part


def calling(name: str, **arguments: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=arguments))


def content(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


class OfflineModel(BaseLlm):
    _replies: list[Reply] = PrivateAttr(default_factory=list)
    _shown: list[LlmRequest] = PrivateAttr(default_factory=list)

    @classmethod
    def saying(cls, *replies: Reply) -> OfflineModel:
        model = cls(model="offline")
        model._replies = [*replies]
        return model

    @property
    def shown(self) -> list[list[str]]:
        """The texts of each request, in order."""
        return [
            [part.text for content in request.contents for part in content.parts if part.text]
            for request in self._shown
        ]

    @property
    def system(self) -> str:
        """What the last call was told as its instructions."""
        return str(self._shown[-1].config.system_instruction)

    @property
    def offered(self) -> dict[str, Any]:
        tools = self._shown[-1].config.tools or []
        return {one.name: one.parameters_json_schema for tool in tools for one in tool.function_declarations}

    @property
    def result(self) -> str:
        """What the last tool answered."""
        parts = [part for content in self._shown[-1].contents for part in content.parts]
        response = [part.function_response.response for part in parts if part.function_response][-1]
        return str(response.get("result", response))

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self._shown.append(llm_request.model_copy(update={"contents": [*llm_request.contents]}))
        reply = self._replies.pop(0)
        part = types.Part(text=reply) if isinstance(reply, str) else reply
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


class App:
    """An agent, and a place for its sessions, which are gone with the process."""

    def __init__(self, model: OfflineModel, *, memory: Any = None, **options: Any) -> None:
        self._sessions = InMemorySessionService()
        agent = LlmAgent(name="bot", model=model, instruction="BASE", **options)
        self._runner = Runner(
            app_name="app", agent=agent, session_service=self._sessions, memory_service=memory, auto_create_session=True
        )

    def say(self, text: str, *, user: str = "ana", session: str = "monday") -> str:
        return asyncio.run(self._say(text, user, session))

    def session(self, user: str = "ana", session: str = "monday") -> Session:
        found = asyncio.run(self._sessions.get_session(app_name="app", user_id=user, session_id=session))
        assert found is not None
        return found

    async def _say(self, text: str, user: str, session: str) -> str:
        run = self._runner.run_async(user_id=user, session_id=session, new_message=content(text))
        events = [event async for event in run]
        return str(events[-1].content.parts[-1].text)
