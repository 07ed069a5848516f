"""An agent of Pydantic AI that remembers: one process chats, another one starts afresh and knows.

    python examples/pydantic_ai/remember_across_processes.py

Needs `pip install '.[pydantic-ai]'` in the clone. The model is an offline one, so no key is needed and what it says is
scripted; what matters is what it is shown.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from truekeep.adapters.pydantic_ai import Spaces, TruekeepCapability

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


def offline_model(reply: str) -> FunctionModel:
    """Says one thing and prints what it was shown."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        shown = "\n".join(text(message) for message in messages)
        recalled = [line for line in shown.splitlines() if line.startswith("- ")]
        print("  the model was shown:", *[info.instructions, *recalled])
        return ModelResponse(parts=[TextPart(reply)])

    return FunctionModel(answer)


def text(message: ModelMessage) -> str:
    parts = message.parts if isinstance(message, ModelRequest) else ()
    return "\n".join(str(part.content) for part in parts if isinstance(part, UserPromptPart))


async def chat(path: str, user: str, message: str, reply: str) -> None:
    memory = TruekeepCapability(Spaces(f"user:{user}", at=path))  # each user has a space of their own
    agent = Agent(offline_model(reply), name="cook", instructions="You are a cook.", capabilities=[memory])
    print(f"  {user}: {message}")
    result = await agent.run(message)
    print(f"  cook: {result.output}")
    await memory.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["first", "second", "stranger"])
    parser.add_argument("--at", metavar="FILE")
    arguments = parser.parse_args()
    steps = {
        "first": ("ana", SAID, "I will keep that in mind."),
        "second": ("ana", ASKED, "Pad Thai, without peanuts."),
        "stranger": ("ben", ASKED, "What do you like?"),
    }
    if arguments.step:
        asyncio.run(chat(arguments.at, *steps[arguments.step]))
        return
    with tempfile.TemporaryDirectory() as folder:
        at = arguments.at or str(Path(folder) / "memory.db")
        for step in steps:
            print(f"{step} process", flush=True)
            subprocess.run([sys.executable, __file__, step, "--at", at], check=True)


if __name__ == "__main__":
    main()
