"""Agents with an offline model, memories on files and servers that are no use, for tests of the AutoGen adapter."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, LLMMessage, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

from recollect import Memory
from recollect.adapters.autogen import FailOpen, RecollectMemory, Spaces
from recollect.adapters.common import AnyScopes
from recollect.model import MemoryItem
from recollect.testing.fakes import FakeEmbedder

PATIENT = 60.0  # seconds: for tests in which nothing shall be late, on a busy machine
MARK = "<recalled-memory"
ABLE = ModelInfo(vision=True, function_calling=True, json_output=False, family="unknown", structured_output=False)


def opened(folder: Path, space: str = "ana") -> Memory:
    return Memory(space, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)


def spaces(folder: Path, scopes: AnyScopes = "ana") -> Spaces:
    return Spaces(scopes, at=folder / "memory.db", embedder=FakeEmbedder(), background=False)


def remembering(folder: Path, scopes: AnyScopes = "ana", **options: Any) -> RecollectMemory:
    return RecollectMemory(spaces(folder, scopes), guard=FailOpen(deadline=PATIENT), **options)


def kept(folder: Path, space: str = "ana") -> list[MemoryItem]:
    """What is in a space, in the order in which it was said."""
    with opened(folder, space) as memory:
        return sorted(memory.items(limit=1000), key=lambda item: item.seq)


def contents(folder: Path, space: str = "ana") -> list[str]:
    return [item.content for item in kept(folder, space)]


def model(*replies: str | CreateResult) -> ReplayChatCompletionClient:
    return ReplayChatCompletionClient(list(replies) or [f"answer {number}" for number in range(100)], model_info=ABLE)


def agent(memory: RecollectMemory, *replies: str | CreateResult, name: str = "bot", **options: Any) -> AssistantAgent:
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


@contextmanager
def silent_server() -> Iterator[str]:
    """Takes every connection and never says a word; its address."""
    listener = socket.create_server(("127.0.0.1", 0))  # the kernel accepts for us, as long as its queue lasts
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


@contextmanager
def failing_server() -> Iterator[str]:
    """Answers everything with 500; its address."""

    class Failing(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(500)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def gone_server() -> Iterator[str]:
    """The address of a server that was there a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    yield address
