"""One process chats, another one starts fresh, and its model receives what the first one learned.

    python examples/classic_autogen/remember_across_processes.py tell
    python examples/classic_autogen/remember_across_processes.py ask

Needs `autogen` 0.14 (`pip install '.[classic-autogen]'` in the clone). Both processes use the same file; `--at FILE`
chooses another one, and `--at https://... --key tk_...` a server.
"""

from __future__ import annotations

import argparse
import os

from autogen import ConversableAgent

from truekeep import Memory
from truekeep.adapters.classic_autogen import attach
from truekeep.testing.offline_model import OfflineModel

SAID = {
    "tell": "I prefer TypeScript over JavaScript, and our team deploys on Thursdays.",
    "ask": "Which language do I prefer, and when does the team deploy?",
}


def recite(prompt: str) -> str:
    """What the model says: all that it is shown of its memory."""
    memories = [line[2:] for line in prompt.splitlines() if line.startswith("- ")]
    return f"I remember: {'; '.join(memories)}" if memories else "I shall keep that in mind."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=[*SAID])
    parser.add_argument("--at", help="where the memory lives (default: the user's data folder)")
    parser.add_argument("--key", help="the key for a server")
    arguments = parser.parse_args()

    model = OfflineModel(recite)
    user = ConversableAgent("ana", llm_config=False, human_input_mode="NEVER")
    assistant = ConversableAgent("assistant", llm_config=model.config, human_input_mode="NEVER")
    with Memory("classic-autogen", at=arguments.at, key=arguments.key) as memory:
        attached = attach(assistant, memory)
        assistant.register_model_client(model)  # after the tools; a real model needs no such line
        chat = user.initiate_chat(assistant, message=SAID[arguments.verb], max_turns=1, silent=True)
        attached.flush()

    print(f"Process {os.getpid()}: {attached.failures} failures")
    print(f"  ana:       {SAID[arguments.verb]}")
    print(f"  assistant: {chat.chat_history[-1]['content']}")


if __name__ == "__main__":
    main()
