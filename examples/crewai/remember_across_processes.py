"""A crew that remembers: one process learns something, another one starts afresh and looks it up.

    python examples/crewai/remember_across_processes.py

Needs `pip install '.[crewai]'` in the clone. The model is an offline one, so no key is needed and what it says is
scripted; what matters is what its tools answer.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM

from truekeep.adapters.crewai import Spaces, memory_tools


class OfflineLLM(BaseLLM):  # type: ignore[misc]
    """Uses one tool, prints what it answers, and is done."""

    def call(self, messages: Any, *args: Any, **options: Any) -> str:
        answers = [one["content"] for one in messages if one["role"] == "assistant"]
        if not answers:
            return f"Thought: I have a tool for that\n{self.additional_params['use']}"
        print("  the tool answered:", answers[-1].partition("Observation: ")[2])
        return f"Thought: I now know the final answer\nFinal Answer: {self.additional_params['reply']}"

    def supports_function_calling(self) -> bool:
        return False


def using(tool: str, **arguments: str) -> str:
    return f"Action: {tool}\nAction Input: {json.dumps(arguments)}"


def work(path: str, user: str, use: str, reply: str) -> None:
    spaces = Spaces(f"user:{user}", at=path)  # each user has a space of their own
    host = Agent(
        role="host",
        goal="Know the guests",
        backstory="You run a tea house",
        llm=OfflineLLM(model="offline", additional_params={"use": use, "reply": reply}),
        tools=memory_tools(spaces),
    )
    task = Task(description=f"Serve {user}", expected_output="A sentence", agent=host)
    print(f"  host: {Crew(agents=[host], tasks=[task]).kickoff().raw}")
    spaces.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["first", "second", "stranger"])
    parser.add_argument("--at", metavar="FILE")
    arguments = parser.parse_args()
    ask = using("recall", query="What does Ana drink?")
    steps = {
        "first": ("ana", using("remember", content="Ana drinks green tea", kind="preference"), "Noted."),
        "second": ("ana", ask, "The usual green tea?"),
        "stranger": ("ben", ask, "What may I bring you?"),
    }
    if arguments.step:
        logging.getLogger("crewai").setLevel(logging.ERROR)
        work(arguments.at, *steps[arguments.step])
        return
    with tempfile.TemporaryDirectory() as folder:
        at = arguments.at or str(Path(folder) / "memory.db")
        for step in steps:
            print(f"{step} process", flush=True)
            subprocess.run([sys.executable, __file__, step, "--at", at], check=True)


if __name__ == "__main__":
    main()
