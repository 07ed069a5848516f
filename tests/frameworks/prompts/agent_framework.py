"""Microsoft Agent Framework: `TruekeepContextProvider`."""

from __future__ import annotations

import asyncio

from agent_framework import Agent

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.frameworks.modern.offline_client import OfflineClient
from truekeep import Memory
from truekeep.adapters.agent_framework import TruekeepContextProvider


def play(memory: Memory) -> list[Request]:
    client = OfflineClient(*map(reply, range(len(TURNS))))
    agent = Agent(client, SYSTEM, context_providers=[TruekeepContextProvider(memory, guard=patient())])

    async def chat() -> None:
        session = agent.create_session()
        for said in TURNS:
            await agent.run(said, session=session)

    asyncio.run(chat())
    return [
        [
            {"role": "system", "content": options["instructions"]},
            *({"role": str(message.role), "content": message.text} for message in messages),
        ]
        for options, messages in zip(client.options, client.received, strict=True)
    ]
