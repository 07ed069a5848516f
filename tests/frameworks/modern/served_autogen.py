"""A process with an AutoGen agent whose memory is served: it says one thing and prints what its model was shown.

python served_autogen.py ADDRESS SPACE TEXT
"""

from __future__ import annotations

import asyncio
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.replay import ReplayChatCompletionClient

from truekeep.adapters.autogen import Spaces, TruekeepMemory, WriteBack


async def chat(at: str, space: str, text: str) -> None:
    memory = TruekeepMemory(Spaces(space, at=at))
    model = ReplayChatCompletionClient(["I see."])
    agent = AssistantAgent("assistant", model_client=model, memory=[memory])
    result = await WriteBack(agent, memory).run(task=text)
    await memory.close()
    print("assistant:", result.messages[-1].to_text())
    for received in model.create_calls[0]["messages"]:
        print(f"  {received.type}: {received.content}")


if __name__ == "__main__":
    asyncio.run(chat(*sys.argv[1:]))
