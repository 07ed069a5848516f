"""Strands: `TruekeepPlugin`."""

from __future__ import annotations

from strands import Agent

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.frameworks.strands.offline_model import OfflineModel
from truekeep import Memory
from truekeep.adapters.strands import TruekeepPlugin


def play(memory: Memory) -> list[Request]:
    model = OfflineModel(*map(reply, range(len(TURNS))))
    plugin = TruekeepPlugin(memory, guard=patient())
    agent = Agent(model=model, name="bot", system_prompt=SYSTEM, plugins=[plugin], callback_handler=None)
    for said in TURNS:
        agent(said)
    return [[{"role": "system", "content": model.system}, *shown] for shown in model.shown]
