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
from truekeep.adapters.llama_index import TruekeepMemory, TruekeepMemoryBlock, memory_tools


def play(memory: Memory) -> list[Request]:
    requests: list[Request] = []

    def answer(messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
        requests.append([{"role": message.role.value, "content": message.content} for message in messages])
        return ChatMessage(role="assistant", content=reply(len(requests) - 1))

    block = TruekeepMemoryBlock(memory, guard=patient())
    model = MockFunctionCallingLLM(response_generator=answer)
    agent = FunctionAgent(name="bot", system_prompt=SYSTEM, llm=model, tools=memory_tools(block.remembering))

    async def chat() -> None:
        kept = TruekeepMemory.from_defaults(memory_blocks=[block], session_id="monday")
        for said in TURNS:
            await agent.run(said, memory=kept)

    asyncio.run(chat())
    return requests
