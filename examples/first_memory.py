"""One process remembers, another one recalls.

    python examples/first_memory.py remember
    python examples/first_memory.py recall

Both use the same file; `--at FILE` chooses another one.
"""

from __future__ import annotations

import argparse
import os

from truekeep import Memory

STATEMENTS = [
    {"content": "Ana prefers TypeScript over JavaScript", "kind": "preference"},
    {"content": "The release train leaves on Thursdays at 14:00 UTC", "kind": "fact"},
    {"content": "Retrying the payment webhook without an idempotency key charged customers twice", "kind": "lesson"},
]
QUESTIONS = ["which language should I use for Ana?", "when do we ship?", "can I just retry the webhook?"]


def remember(memory: Memory) -> None:
    for remembered in memory.remember_many(STATEMENTS):
        print(f"  {remembered.outcome:<10} {remembered.item.kind:<10} {remembered.item.content}")


def recall(memory: Memory) -> None:
    for question in QUESTIONS:
        found = memory.recall(question, limit=1)
        best = [*found, *found.lessons][0]
        print(f"  {question:<38} {best.content}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["remember", "recall"])
    parser.add_argument("--at", metavar="FILE", help="where the memory lives (default: the user's data folder)")
    arguments = parser.parse_args()
    with Memory("first-memory", at=arguments.at) as memory:
        print(f"Process {os.getpid()}: {arguments.verb} in {memory.stats().path}")
        (remember if arguments.verb == "remember" else recall)(memory)


if __name__ == "__main__":
    main()
