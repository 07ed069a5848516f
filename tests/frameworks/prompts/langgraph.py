"""LangGraph and LangChain: `TruekeepMiddleware`."""

from __future__ import annotations

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.frameworks.agents.chat_model import OfflineModel
from truekeep import Memory
from truekeep.adapters.langgraph import TruekeepMiddleware

_ROLES = {"human": "user", "ai": "assistant"}


def play(memory: Memory) -> list[Request]:
    model = OfflineModel.saying(*map(reply, range(len(TURNS))))
    middleware = [TruekeepMiddleware(memory, guard=patient())]
    agent = create_agent(model, system_prompt=SYSTEM, middleware=middleware, checkpointer=InMemorySaver())
    for said in TURNS:
        agent.invoke({"messages": [("user", said)]}, {"configurable": {"thread_id": "1"}})
    return [
        [{"role": _ROLES.get(one.type, one.type), "content": one.content} for one in shown] for shown in model.shown
    ]
