"""An agent of the OpenAI Agents SDK that remembers: one process chats, another one starts afresh and knows.

    python examples/openai_agents/remember_across_processes.py

Needs `pip install '.[openai-agents]'` in the clone. The model is an offline one, so no key is needed and what it says
is scripted; what matters is what it is shown.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from truekeep.adapters.common import is_recalled
from truekeep.adapters.openai_agents import Spaces, TruekeepRecall, TruekeepSession, memory_tools

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"


class OfflineModel(Model):
    """Says one thing and prints what it was shown."""

    def __init__(self, reply: str) -> None:
        self.reply = reply

    async def get_response(self, system_instructions: str | None, input: Any, *args: Any, **options: Any) -> Any:
        lines = [system_instructions or "", *(line for item in input for line in text(item).splitlines())]
        print("  the model was shown:", *(line for line in lines if line.startswith(("You", "- "))))
        print("  and the messages:", *(text(item) for item in input if not is_recalled(text(item))))
        said = ResponseOutputText(text=self.reply, type="output_text", annotations=[])
        message = ResponseOutputMessage(id="1", role="assistant", type="message", status="completed", content=[said])
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError("this model says everything at once")


def text(item: Any) -> str:
    content = item["content"]
    return content if isinstance(content, str) else " ".join(part["text"] for part in content)


async def chat(path: str, user: str, session_id: str, message: str, reply: str) -> None:
    spaces = Spaces(f"user:{user}", at=path)  # each user has a space of their own
    session = TruekeepSession(session_id, spaces)
    agent = Agent(
        name="cook",
        instructions="You are a cook.",
        model=OfflineModel(reply),
        tools=memory_tools(spaces),
    )
    print(f"  {user}: {message}")
    config = RunConfig(call_model_input_filter=TruekeepRecall(spaces))
    result = await Runner.run(agent, message, session=session, hooks=session.hooks, run_config=config)
    print(f"  cook: {result.final_output}")
    await session.close()
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
        set_tracing_disabled(True)
        asyncio.run(chat(arguments.at, *steps[arguments.step]))
        return
    with tempfile.TemporaryDirectory() as folder:
        at = arguments.at or str(Path(folder) / "memory.db")
        for step in steps:
            print(f"{step} process", flush=True)
            subprocess.run([sys.executable, __file__, step, "--at", at], check=True)


if __name__ == "__main__":
    main()
