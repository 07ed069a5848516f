"""Pydantic AI: `TruekeepCapability`."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from truekeep import Memory
from truekeep.adapters.pydantic_ai import TruekeepCapability

_ROLES = {"request": "user", "response": "assistant"}


def play(memory: Memory) -> list[Request]:
    requests: list[Request] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        said = [{"role": _ROLES[one.kind], "content": part.content} for one in messages for part in one.parts]
        requests.append([{"role": "system", "content": info.instructions}, *said])
        return ModelResponse(parts=[TextPart(reply(len(requests) - 1))])

    async def chat() -> None:
        memory_of_it = TruekeepCapability(memory, guard=patient())
        agent = Agent(FunctionModel(answer), name="bot", instructions=SYSTEM, capabilities=[memory_of_it])
        history: list[ModelMessage] = []
        for said in TURNS:
            history = (await agent.run(said, message_history=history)).all_messages()

    asyncio.run(chat())
    return requests
