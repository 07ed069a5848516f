"""An agent of LlamaIndex that remembers: one process chats, another one starts afresh and knows.

    python examples/llama_index/remember_across_processes.py

Needs `pip install '.[llama-index]'` in the clone. The model is an offline one, so no key is needed and what it says is
scripted; what matters is what it is shown.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM

from truekeep.adapters.llama_index import Spaces, TruekeepMemory, TruekeepMemoryBlock, memory_tools

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


def offline_model(reply: str) -> MockFunctionCallingLLM:
    """Says one thing and prints what it was shown."""

    def answer(messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
        lines = [line for message in messages for line in (message.content or "").splitlines()]
        print("  the model was shown:", *(line for line in lines if line.startswith(("You", "- "))))
        return ChatMessage(role="assistant", content=reply)

    return MockFunctionCallingLLM(response_generator=answer)


async def chat(path: str, user: str, message: str, reply: str) -> None:
    block = TruekeepMemoryBlock(Spaces(f"user:{user}", at=path), speaker="cook")  # each user has a space of their own
    agent = FunctionAgent(
        name="cook",
        system_prompt="You are a cook.",
        llm=offline_model(reply),
        tools=memory_tools(block.remembering),
    )
    print(f"  {user}: {message}")
    result = await agent.run(message, memory=TruekeepMemory.from_defaults(memory_blocks=[block]))
    print(f"  cook: {result}")
    await block.close()


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
