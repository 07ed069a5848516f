"""Two processes, one memory: the first is told something, the second starts fresh and its model gets it.

    python examples/autogen/remember_across_processes.py

Needs `pip install '.[autogen]'` in the clone. The model is a replay that needs no key and no network; put your
own client in its place.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.replay import ReplayChatCompletionClient

from truekeep.adapters.autogen import TruekeepMemory, WriteBack


async def chat(message: str) -> None:
    """One process: an agent that knows nothing but its memory answers one message."""
    memory = TruekeepMemory("autogen-example")
    model = ReplayChatCompletionClient(["I see."])
    agent = AssistantAgent("assistant", model_client=model, memory=[memory], system_message="You are helpful.")

    await WriteBack(agent, memory).run(task=message)
    await memory.close()

    print("The model received:")
    for received in model.create_calls[0]["messages"]:
        print(f"  {received.type}: {received.content}")


def main() -> None:
    if len(sys.argv) > 1:
        asyncio.run(chat(sys.argv[1]))
        return
    for message in ("My dog is called Rex, and he is afraid of thunder.", "What is my dog called?"):
        subprocess.run([sys.executable, __file__, message], check=True)


if __name__ == "__main__":
    main()
