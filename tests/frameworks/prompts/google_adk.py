"""Google ADK: `TruekeepMemoryService` with its `preload`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from truekeep import Memory
from truekeep.adapters.google_adk import TruekeepMemoryService

_ROLES = {"user": "user", "model": "assistant"}


class _Model(BaseLlm):
    """Answers, and keeps what it was sent."""

    requests: list[Request]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        said = [
            {"role": _ROLES[content.role], "content": "\n\n".join(part.text or "" for part in content.parts or ())}
            for content in llm_request.contents
        ]
        self.requests.append([{"role": "system", "content": str(llm_request.config.system_instruction)}, *said])
        text = reply(len(self.requests) - 1)
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def play(memory: Memory) -> list[Request]:
    model = _Model(model="offline", requests=[])
    service = TruekeepMemoryService(memory, guard=patient())
    agent = LlmAgent(
        name="bot", model=model, instruction=SYSTEM, tools=[service.preload], after_agent_callback=service.record
    )
    runner = InMemoryRunner(agent, app_name="team")
    runner.memory_service = service

    async def chat() -> None:
        session = await runner.session_service.create_session(app_name="team", user_id="ana")
        for said in TURNS:
            message = types.Content(role="user", parts=[types.Part(text=said)])
            async for _ in runner.run_async(user_id="ana", session_id=session.id, new_message=message):
                pass

    asyncio.run(chat())
    return model.requests
