"""An agent of the Microsoft Agent Framework that remembers: one process chats, another one starts afresh and knows.

    python examples/agent_framework/remember_across_processes.py

Needs `pip install '.[agent-framework]'` in the clone. The chat client is an offline one, so no key is needed and
what it says is scripted; what matters is what it is shown.
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

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    FunctionInvocationLayer,
    Message,
)

from truekeep.adapters.agent_framework import (
    Spaces,
    TruekeepContextProvider,
    TruekeepHistoryProvider,
    current_session,
)
from truekeep.adapters.common import is_recalled

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


class OfflineClient(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """Says one thing and prints what it was shown."""

    def __init__(self, reply: str) -> None:
        super().__init__()
        self.reply = reply

    async def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: dict[str, Any], **kwargs: Any
    ) -> ChatResponse:
        lines = [options["instructions"], *(line for message in messages for line in message.text.splitlines())]
        print("  the model was shown:", *(line for line in lines if line.startswith(("You", "- "))))
        print("  and the messages:", *(message.text for message in messages if not is_recalled(message.text)))
        return ChatResponse(messages=[Message("assistant", [self.reply])])


async def chat(path: str, user: str, session_id: str, message: str, reply: str) -> None:
    spaces = Spaces(lambda: f"user:{current_session().state['user']}", at=path)  # each user has a space of their own
    memory, history = TruekeepContextProvider(spaces), TruekeepHistoryProvider(spaces)
    agent = Agent(OfflineClient(reply), "You are a cook.", name="cook", context_providers=[history, memory])
    session = agent.create_session(session_id=session_id)
    session.state["user"] = user
    print(f"  {user}: {message}")
    print(f"  cook: {(await agent.run(message, session=session)).text}")
    await memory.close()
    spaces.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["first", "second", "same-session", "stranger"])
    parser.add_argument("--at", metavar="FILE")
    arguments = parser.parse_args()
    steps = {
        "first": ("ana", "monday", SAID, "I will keep that in mind."),
        "second": ("ana", "tuesday", ASKED, "Pad Thai, without peanuts."),
        "same-session": ("ana", "tuesday", "And for dessert?", "Mango."),
        "stranger": ("ben", "tuesday", ASKED, "What do you like?"),
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
