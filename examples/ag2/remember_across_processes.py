"""An AG2 agent that remembers: one process chats, another one starts afresh and knows.

    python examples/ag2/remember_across_processes.py

Needs `pip install '.[ag2]'` in the clone. The model is AG2's offline one, so no key is needed and what it says is
scripted; what matters is what it is shown.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from ag2 import Agent
from ag2.testing import TestConfig, TrackingConfig

from truekeep.adapters.ag2 import Spaces, TruekeepPlugin, current_context

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


def plugin_at(path: str) -> TruekeepPlugin:
    """One plugin for all users: each has a space of their own."""
    return TruekeepPlugin(Spaces(lambda: f"user:{current_context().variables['user']}", at=path))


async def chat(path: str, user: str, message: str, reply: str) -> None:
    model = TrackingConfig(TestConfig(reply))
    memory = plugin_at(path)
    agent = Agent("cook", "You are a cook.", config=model, plugins=[memory])
    print(f"  {user}: {message}")
    answer = await agent.ask(message, variables={"user": user})
    print(f"  cook: {answer.body}")
    lines = [*model.calls[0].prompt, *model.mock.call_args.args[0].parts[0].content.splitlines()]
    print("  the model was shown:", *(line for line in lines if line[:2] in ("Yo", "- ")))
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
