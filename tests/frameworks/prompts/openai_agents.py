"""OpenAI Agents SDK: `TruekeepRecall` beside a `TruekeepSession`."""

from __future__ import annotations

import asyncio

from agents import Agent, RunConfig, Runner, set_tracing_disabled

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.frameworks.agents.agents_model import OfflineModel
from truekeep import Memory
from truekeep.adapters.openai_agents import TruekeepRecall, TruekeepSession


def play(memory: Memory) -> list[Request]:
    set_tracing_disabled(True)
    model = OfflineModel(*map(reply, range(len(TURNS))))
    session = TruekeepSession("monday", memory, guard=patient())
    agent = Agent(name="bot", instructions=SYSTEM, model=model)
    config = RunConfig(call_model_input_filter=TruekeepRecall(memory, guard=patient()))

    async def chat() -> None:
        for said in TURNS:
            await Runner.run(agent, said, session=session, run_config=config)

    asyncio.run(chat())
    return [[{"role": "system", "content": system}, *items] for system, items in model.shown]
