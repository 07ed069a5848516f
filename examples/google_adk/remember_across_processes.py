"""An agent of Google ADK that remembers: one process chats, another one starts afresh and knows.

    python examples/google_adk/remember_across_processes.py

Needs `pip install '.[google-adk]'` in the clone. The model is an offline one, so no key is needed and what it says is
scripted; what matters is what it is shown.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from truekeep.adapters.google_adk import Spaces, TruekeepMemoryService, current_user

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


class OfflineModel(BaseLlm):
    """Says one thing and prints what it was shown."""

    reply: str

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        texts = [part.text or "" for content in llm_request.contents for part in content.parts or ()]
        recalled = [line for line in "\n".join(texts).splitlines() if line.startswith("- ")]
        instruction = str(llm_request.config.system_instruction).splitlines()[0]
        print("  the model was shown:", *[instruction, *recalled])
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=self.reply)]))


async def chat(path: str, user: str, message: str, reply: str) -> None:
    service = TruekeepMemoryService(Spaces(lambda: f"user:{current_user().user_id}", at=path))
    agent = LlmAgent(
        name="cook",
        model=OfflineModel(model="offline", reply=reply),
        instruction="You are a cook.",
        tools=[service.preload],
        after_agent_callback=service.record,
    )
    runner = InMemoryRunner(agent, app_name="kitchen")
    runner.memory_service = service
    session = await runner.session_service.create_session(app_name="kitchen", user_id=user)
    print(f"  {user}: {message}")
    said = types.Content(role="user", parts=[types.Part(text=message)])
    async for event in runner.run_async(user_id=user, session_id=session.id, new_message=said):
        print(f"  {event.author}: {event.content.parts[0].text}")
    await service.close()


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
        logging.getLogger("google_adk").setLevel(logging.ERROR)
        asyncio.run(chat(arguments.at, *steps[arguments.step]))
        return
    with tempfile.TemporaryDirectory() as folder:
        at = arguments.at or str(Path(folder) / "memory.db")
        for step in steps:
            print(f"{step} process", flush=True)
            subprocess.run([sys.executable, __file__, step, "--at", at], check=True)


if __name__ == "__main__":
    main()
