"""Pydantic AI: `TruekeepCapability`."""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from truekeep import Memory
from truekeep.adapters.pydantic_ai import TruekeepCapability


def play(memory: Memory) -> list[Request]:
    requests: list[Request] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        requests.append([{"role": "system", "content": info.instructions}, *map(_plain, messages)])
        return ModelResponse(parts=[TextPart(reply(len(requests) - 1))])

    agent = Agent(
        FunctionModel(answer), instructions=SYSTEM, capabilities=[TruekeepCapability(memory, guard=patient())]
    )
    history: list[ModelMessage] = []
    for said in TURNS:
        history = agent.run_sync(said, message_history=history).all_messages()
    return requests


def _plain(message: ModelMessage) -> dict[str, object]:
    kind = UserPromptPart if isinstance(message, ModelRequest) else TextPart
    text = "\n".join(str(part.content) for part in message.parts if isinstance(part, kind))
    return {"role": "user" if kind is UserPromptPart else "assistant", "content": text}
