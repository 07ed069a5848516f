"""Classic AutoGen: `attach`, in whichever of its lines is installed."""

from __future__ import annotations

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.frameworks.classic.parts import bot, give_model, person
from truekeep import Memory
from truekeep.adapters.classic_autogen import attach


def play(memory: Memory) -> list[Request]:
    agent, user = bot(system_message=SYSTEM), person()
    attach(agent, memory, guard=patient())
    prompts = give_model(agent, *map(reply, range(len(TURNS))))
    for number, said in enumerate(TURNS):
        user.initiate_chat(agent, message=said, max_turns=1, silent=True, clear_history=number == 0)
    return [*prompts]
