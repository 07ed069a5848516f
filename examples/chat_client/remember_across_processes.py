"""A plain chat client that remembers: one process chats, another starts afresh and shows its model what was said.

    python examples/chat_client/remember_across_processes.py

The client here is a stand-in with OpenAI's methods, so no key and no network are needed; put `OpenAI()` in its place.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from truekeep import Memory
from truekeep.adapters.chat_client import with_memory

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


class OfflineCompletions:
    """Says what it is told to say, and prints what it is shown."""

    def __init__(self, reply: str) -> None:
        self._reply = reply

    def create(self, *, model: str, messages: list[dict[str, Any]]) -> Any:
        lines = messages[0]["content"].splitlines()
        print("  the model was shown:", *(line for line in lines if line.startswith(("You", "- "))))
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=self._reply))])


def offline_client(reply: str) -> Any:
    return SimpleNamespace(chat=SimpleNamespace(completions=OfflineCompletions(reply)))


def chat(path: str, message: str, reply: str) -> None:
    with Memory("user:ana", at=path) as memory:
        client = with_memory(offline_client(reply), memory)
        print(f"  ana: {message}")
        messages = [{"role": "system", "content": "You are a cook."}, {"role": "user", "content": message}]
        answer = client.chat.completions.create(model="any", messages=messages)
        print(f"  cook: {answer.choices[0].message.content}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["first", "second"])
    parser.add_argument("--at", metavar="FILE")
    arguments = parser.parse_args()
    steps = {"first": (SAID, "I will keep that in mind."), "second": (ASKED, "Pad Thai, without peanuts.")}
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
