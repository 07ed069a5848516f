"""A model of CrewAI that is offline: it says what it is told to say, and knows what it was shown."""

from __future__ import annotations

import json
from typing import Any

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from pydantic import PrivateAttr


class OfflineLLM(BaseLLM):  # type: ignore[misc]
    _replies: list[str] = PrivateAttr(default_factory=list)
    _shown: list[Any] = PrivateAttr(default_factory=list)

    @classmethod
    def saying(cls, *replies: str) -> OfflineLLM:
        llm = cls(model="offline")
        llm._replies.extend(replies)
        return llm

    def call(self, messages: Any, *args: Any, **options: Any) -> str:
        self._shown.append([*messages])
        return self._replies.pop(0)

    async def acall(self, messages: Any, *args: Any, **options: Any) -> str:
        return self.call(messages)

    def supports_function_calling(self) -> bool:
        return False

    @property
    def observed(self) -> str:
        """All that the last call was shown."""
        return str(self._shown[-1])

    @property
    def observation(self) -> str:
        """What the tool answered before the last call."""
        said = [str(message["content"]) for message in self._shown[-1] if "Observation: " in str(message["content"])]
        return said[-1].rpartition("Observation: ")[2]


def using(tool: str, **arguments: Any) -> str:
    return f"Thought: I need a tool\nAction: {tool}\nAction Input: {json.dumps(arguments)}"


def done(answer: str) -> str:
    return f"Thought: I now know the final answer\nFinal Answer: {answer}"


def crew_of(llm: OfflineLLM, tools: list[Any]) -> Crew:
    agent = Agent(role="host", goal="Know the guests", backstory="You run a tea house", llm=llm, tools=tools)
    task = Task(description="Serve the guest", expected_output="A sentence", agent=agent)
    return Crew(agents=[agent], tasks=[task])
