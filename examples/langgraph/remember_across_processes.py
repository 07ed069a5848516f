"""A LangChain agent that remembers: one process chats, another one starts afresh and knows.

    python examples/langgraph/remember_across_processes.py

Needs `pip install '.[langgraph]'` in the clone. The chat model is an offline one, so no key is needed and what it says
is scripted; what matters is what it is shown.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langgraph.config import get_config

from truekeep.adapters.langgraph import Spaces, TruekeepMiddleware

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


class OfflineModel(GenericFakeChatModel):
    """Says one thing and prints what it was shown."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> OfflineModel:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        lines = (line for message in messages for line in str(message.text).splitlines())
        print("  the model was shown:", *(line for line in lines if line.startswith(("You", "- "))))
        return super()._generate(messages, *args, **options)


def chat(path: str, user: str, message: str, reply: str) -> None:
    spaces = Spaces(lambda: f"user:{get_config()['configurable']['user']}", at=path)  # each user has their own
    memory = TruekeepMiddleware(spaces)
    model = OfflineModel(messages=iter([AIMessage(reply)]))
    agent = create_agent(model, system_prompt="You are a cook.", name="cook", middleware=[memory])
    run = {"configurable": {"user": user, "thread_id": message}}
    print(f"  {user}: {message}")
    result = agent.invoke({"messages": [("user", message)]}, run)
    print(f"  cook: {result['messages'][-1].text}")
    memory.close()
    spaces.close()


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
        chat(arguments.at, *steps[arguments.step])
        return
    with tempfile.TemporaryDirectory() as folder:
        at = arguments.at or str(Path(folder) / "memory.db")
        for step in steps:
            print(f"{step} process", flush=True)
            subprocess.run([sys.executable, __file__, step, "--at", at], check=True)


if __name__ == "__main__":
    main()
