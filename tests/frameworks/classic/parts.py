"""Agents with an offline model, chats in both styles, and memories on files."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from autogen import ConversableAgent, GroupChat, GroupChatManager

from truekeep import Memory
from truekeep.adapters.common import AnyScopes, FailOpen, Spaces
from truekeep.model import MemoryItem
from truekeep.testing.fakes import FakeEmbedder

CONFIG = {"config_list": [{"model": "offline", "model_client_cls": "Model"}], "cache_seed": None}
HEADING = "## Long-term memory"


class Model:
    """Answers from a script, then with its name; a dict in it is a tool call. Keeps every prompt."""

    def __init__(self, config: object, *, script: list[Any], prompts: list[Any], name: str, **_: Any) -> None:
        self._script = script
        self._prompts = prompts
        self._name = name

    def create(self, params: dict[str, Any]) -> Any:
        self._prompts.append([dict(message) for message in params["messages"]])
        answer = self._script.pop(0) if self._script else f"{self._name} has nothing to add to that."
        message = SimpleNamespace(content=answer if isinstance(answer, str) else None, function_call=None, calls=None)
        if isinstance(answer, dict):
            message.calls = [
                {"id": uuid.uuid4().hex, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for name, given in answer.items()
            ]
        choices = [SimpleNamespace(message=message)]
        return SimpleNamespace(id=uuid.uuid4().hex, choices=choices, model="offline", cost=0.0)

    def message_retrieval(self, response: Any) -> list[Any]:
        message = response.choices[0].message
        if message.calls is None:
            return [message.content]
        return [{"role": "assistant", "content": None, "tool_calls": message.calls}]

    def cost(self, response: Any) -> float:
        return 0.0

    @staticmethod
    def get_usage(response: Any) -> dict[str, Any]:
        return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0, "cost": 0.0, "model": "offline"}


def bot(name: str = "bot", cls: Any = ConversableAgent, **options: Any) -> Any:
    """An agent with a model, which `give_model` has still to bring: after the tools."""
    given = {"system_message": "You are helpful.", "human_input_mode": "NEVER", **options}
    return cls(name, llm_config=CONFIG, **given)


def give_model(agent: Any, *script: Any) -> list[list[dict[str, Any]]]:
    """Every prompt that it will see."""
    prompts: list[list[dict[str, Any]]] = []
    agent.register_model_client(Model, script=[*script], prompts=prompts, name=agent.name)
    return prompts


def person(name: str = "ana", **options: Any) -> Any:
    """Somebody without a model."""
    given = {"human_input_mode": "NEVER", "code_execution_config": False, "default_auto_reply": "Go on.", **options}
    return ConversableAgent(name, llm_config=False, **given)


def chat(start: Any, other: Any, message: Any, *, is_async: bool = False, **options: Any) -> Any:
    given = {"message": message, "silent": True, **options}
    if is_async:
        return asyncio.run(start.a_initiate_chat(other, **given))
    return start.initiate_chat(other, **given)


def group(*agents: Any, rounds: int, cls: Any = GroupChat, **options: Any) -> tuple[Any, Any]:
    given = {"messages": [], "speaker_selection_method": "round_robin", **options}
    groupchat = cls(agents=[*agents], max_round=rounds, **given)
    return groupchat, GroupChatManager(groupchat=groupchat, llm_config=False, human_input_mode="NEVER", silent=True)


def opened(folder: Path, space: str = "bot", **options: Any) -> Memory:
    return Memory(space, at=folder / "memory.db", embedder=FakeEmbedder(), background=False, **options)


def spaces(folder: Path, scopes: AnyScopes) -> Spaces:
    return Spaces(scopes, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)


def patient(on_error: Callable[[Exception], None] | None = None) -> FailOpen:
    return FailOpen(deadline=60, on_error=on_error)


def kept(folder: Path, space: str = "bot") -> list[MemoryItem]:
    """What is in a space, in the order in which it was said."""
    with opened(folder, space) as memory:
        return sorted(memory.items(limit=1000), key=lambda item: (item.created, item.id))


def eventually(claim: Callable[[], bool]) -> None:
    """In an async chat of 0.14 messages are kept while the chat goes on."""
    until = time.monotonic() + 30
    while not claim():
        assert time.monotonic() < until
        time.sleep(0.01)


def system(prompt: list[dict[str, Any]]) -> str:
    return str(prompt[0]["content"])


def asked(prompt: list[dict[str, Any]]) -> str:
    """The last thing that was said to the agent, with what stands above it."""
    return str([message["content"] for message in prompt if message["role"] == "user"][-1])


def contents(messages: Any) -> list[Any]:
    return [message.get("content") for message in messages]
