"""AutoGen 0.7: `TruekeepMemory` of an `AssistantAgent`."""

from __future__ import annotations

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.frameworks.modern.autogen_parts import model
from truekeep import Memory
from truekeep.adapters.autogen import TruekeepMemory


def play(memory: Memory) -> list[Request]:
    client = model(*map(reply, range(len(TURNS))))
    bot = AssistantAgent(
        "bot", model_client=client, system_message=SYSTEM, memory=[TruekeepMemory(memory, guard=patient())]
    )

    async def chat() -> None:
        for said in TURNS:
            await bot.run(task=said)

    asyncio.run(chat())
    return [[_plain(message) for message in call["messages"]] for call in client.create_calls]


def _plain(message: LLMMessage) -> dict[str, object]:
    roles = {SystemMessage: "system", AssistantMessage: "assistant"}
    return {"role": roles.get(type(message), "user"), "content": message.content}
