"""An agent of Strands that remembers: one process chats, another one starts afresh and knows.

    python examples/strands/remember_across_processes.py

Needs `pip install '.[strands]'` in the clone. The model is an offline one, so no key is needed and what it says is
scripted; what matters is what it is shown.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from strands import Agent
from strands.models import Model

from truekeep.adapters.strands import Spaces, TruekeepPlugin

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


class OfflineModel(Model):
    """Says one thing and prints what it was shown."""

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError("this model only talks")

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        texts = [block.get("text", "") for message in messages for block in message["content"]]
        recalled = [line for line in "\n".join(texts).splitlines() if line.startswith("- ")]
        print("  the model was shown:", *[system_prompt, *recalled])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": self.reply}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def chat(path: str, user: str, message: str, reply: str) -> None:
    memory = TruekeepPlugin(Spaces(f"user:{user}", at=path))  # each user has a space of their own
    agent = Agent(
        model=OfflineModel(reply),
        name="cook",
        system_prompt="You are a cook.",
        plugins=[memory],
        callback_handler=None,
    )
    print(f"  {user}: {message}")
    print(f"  cook: {agent(message)}", end="")
    memory.close()


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
