"""LlamaIndex: `TruekeepMemoryBlock` in a `TruekeepMemory`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from truekeep import Memory
from truekeep.adapters.llama_index import TruekeepMemory, TruekeepMemoryBlock


def play(memory: Memory) -> list[Request]:
    requests: list[Request] = []

    def answer(messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
        requests.append([{"role": one.role.value, "content": one.content} for one in messages])
        return ChatMessage(role="assistant", content=reply(len(requests) - 1))

    async def chat() -> None:
        llm = MockFunctionCallingLLM(response_generator=answer)
        agent = FunctionAgent(name="bot", system_prompt=SYSTEM, llm=llm, tools=[])
        session = TruekeepMemory.from_defaults(memory_blocks=[TruekeepMemoryBlock(memory, guard=patient())])
        for said in TURNS:
            await agent.run(said, memory=session)

    asyncio.run(chat())
    return requests
