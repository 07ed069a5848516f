"""Google ADK: `preload` of a `TruekeepMemoryService`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import PrivateAttr

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from truekeep import Memory
from truekeep.adapters.google_adk import TruekeepMemoryService

_ROLES = {"user": "user", "model": "assistant"}


class _Model(BaseLlm):
    _requests: list[Request] = PrivateAttr(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        system = {"role": "system", "content": llm_request.config.system_instruction}
        said = [
            {"role": _ROLES[one.role], "content": [{"text": part.text} for part in one.parts]}
            for one in llm_request.contents
        ]
        self._requests.append([system, *said])
        text = reply(len(self._requests) - 1)
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def play(memory: Memory) -> list[Request]:
    service, model = TruekeepMemoryService(memory, guard=patient()), _Model(model="offline")
    agent = LlmAgent(
        name="bot", model=model, instruction=SYSTEM, tools=[service.preload], after_agent_callback=service.record
    )

    async def chat() -> None:
        runner = InMemoryRunner(agent, app_name="app")
        for said in TURNS:
            await runner.run_debug(said, user_id="ana", session_id="monday", quiet=True)

    asyncio.run(chat())
    return model._requests
