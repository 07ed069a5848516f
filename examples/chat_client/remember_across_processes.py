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

from truekeep import Memory
from truekeep.adapters.chat_client import with_memory
from truekeep.testing.offline_model import OfflineModel

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


def chat(path: str, message: str, reply: str) -> None:
    with Memory("user:ana", at=path) as memory:
        model = OfflineModel(reply)
        client = with_memory(model, memory)
        print(f"  ana: {message}")
        messages = [{"role": "system", "content": "You are a cook."}, {"role": "user", "content": message}]
        answer = client.chat.completions.create(model="any", messages=messages)
        print(
            "  the model was shown:", *(line for line in model.shown[-1].splitlines() if line.startswith(("You", "- ")))
        )
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
