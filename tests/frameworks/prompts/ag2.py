"""AG2 1.x: `TruekeepPlugin`, and the bytes that a model behind a real endpoint receives."""

from __future__ import annotations

import asyncio

from ag2 import Agent
from ag2.config import OpenAIConfig

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.adapters.chat_client.model import running
from truekeep import Memory
from truekeep.adapters.ag2 import TruekeepPlugin


def play(memory: Memory) -> list[Request]:
    with running(*map(reply, range(len(TURNS)))) as model:
        config = OpenAIConfig(model="m", base_url=model.url, api_key="none")
        agent = Agent("bot", SYSTEM, config=config, plugins=[TruekeepPlugin(memory, guard=patient())])

        async def chat() -> None:
            answer = await agent.ask(TURNS[0])
            for said in TURNS[1:]:
                answer = await answer.ask(said)

        asyncio.run(chat())
        return [asked["messages"] for asked in model.asked]
