"""Agents with an offline model, and memories on files, for tests of the AutoGen adapter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, LLMMessage, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

from truekeep import Memory
from truekeep.adapters.autogen import FailOpen, Spaces, TruekeepMemory
from truekeep.adapters.common import AnyScopes
from truekeep.model import MemoryItem
from truekeep.testing.fakes import FakeEmbedder

PATIENT = 60.0  # seconds: for tests in which nothing shall be late, on a busy machine
MARK = "<recalled-memory"
ABLE = ModelInfo(vision=True, function_calling=True, json_output=False, family="unknown", structured_output=False)


def opened(folder: Path, space: str = "ana") -> Memory:
    return Memory(space, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)


def spaces(folder: Path, scopes: AnyScopes = "ana") -> Spaces:
    return Spaces(scopes, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)


def remembering(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> TruekeepMemory:
    return TruekeepMemory(spaces(folder, scopes), guard=FailOpen(deadline=PATIENT), **options)


def kept(folder: Path, space: str = "ana") -> list[MemoryItem]:
    """What is in a space, in the order in which it was said."""
    with opened(folder, space) as memory:
        return sorted(memory.items(limit=1000), key=lambda item: (item.created, item.id))


def contents(folder: Path, space: str = "ana") -> list[str]:
    return [item.content for item in kept(folder, space)]


def model(*replies: str | CreateResult) -> ReplayChatCompletionClient:
    return ReplayChatCompletionClient(list(replies) or [f"answer {number}" for number in range(100)], model_info=ABLE)


def agent(memory: TruekeepMemory, *replies: str | CreateResult, name: str = "bot", **options: Any) -> AssistantAgent:
    return AssistantAgent(name, model_client=model(*replies), memory=[memory], **options)


def received(of: AssistantAgent | ReplayChatCompletionClient, call: int = -1) -> list[LLMMessage]:
    """What the model got in one of its calls."""
    client = of if isinstance(of, ReplayChatCompletionClient) else of._model_client
    return list(client.create_calls[call]["messages"])


def text(messages: Sequence[LLMMessage]) -> str:
    return "\n".join(str(message.content) for message in messages)


def calls(name: str, **arguments: object) -> CreateResult:
    """A reply that calls a tool."""
    return CreateResult(
        finish_reason="function_calls",
        content=[FunctionCall(id="1", name=name, arguments=json.dumps(arguments))],
        usage=RequestUsage(prompt_tokens=0, completion_tokens=0),
        cached=False,
    )
