"""Strands: `TruekeepPlugin`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from strands import Agent
from strands.models import Model

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from truekeep import Memory
from truekeep.adapters.strands import TruekeepPlugin


class _Model(Model):
    """Answers, and keeps what it was sent."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError("this model only talks")

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        said = [{"role": one["role"], "content": [dict(part) for part in one["content"]]} for one in messages]
        self.requests.append([{"role": "system", "content": system_prompt}, *said])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": reply(len(self.requests) - 1)}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def play(memory: Memory) -> list[Request]:
    model = _Model()
    plugin = TruekeepPlugin(memory, guard=patient())
    agent = Agent(model=model, system_prompt=SYSTEM, plugins=[plugin], callback_handler=None)
    for said in TURNS:
        agent(said)
    return model.requests
