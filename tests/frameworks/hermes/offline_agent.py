"""Hermes as it is installed, with a model behind an endpoint on loopback that says what it is told to say."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agent.memory_manager import MemoryManager
from run_agent import AIAgent

from truekeep.adapters.hermes import TruekeepMemoryProvider

Reply = str | tuple[str, dict[str, Any]]
PLUGIN = "from truekeep.adapters.hermes import TruekeepMemoryProvider, register\n"


def calling(name: str, **arguments: Any) -> Reply:
    return name, arguments


class OfflineModel:
    def __init__(self, *replies: Reply) -> None:
        self._replies = [*replies]
        self.url = ""
        self.asked: list[dict[str, Any]] = []

    @property
    def shown(self) -> list[list[tuple[str, str]]]:
        """Who said what, in each request."""
        return [[(one["role"], str(one["content"])) for one in body["messages"]] for body in self.asked]

    @property
    def prompt(self) -> str:
        """What the last thing that a person said had become."""
        return [text for role, text in self.shown[-1] if role == "user"][-1]

    def answer(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        self.asked.append(body)
        reply = self._replies.pop(0)
        if isinstance(reply, str):
            delta: dict[str, Any] = {"role": "assistant", "content": reply}
        else:
            function = {"name": reply[0], "arguments": json.dumps(reply[1])}
            call = {"index": 0, "id": "c1", "type": "function", "function": function}
            delta = {"role": "assistant", "content": None, "tool_calls": [call]}
        end = "stop" if isinstance(reply, str) else "tool_calls"
        base = {"id": "1", "created": 1, "model": "offline", "object": "chat.completion.chunk"}
        choices = [{"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": end}]
        return [{**base, "choices": [choice]} for choice in choices]


@contextmanager
def running(*replies: Reply) -> Iterator[OfflineModel]:
    model = OfflineModel(*replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/chat/completions"):
                self.send_error(404)
                return
            events = [f"data: {json.dumps(event)}\n\n" for event in model.answer(body)]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join([*events, "data: [DONE]\n\n"]).encode())

        def log_message(self, *given: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def install(home: Path) -> None:
    """As the guide says."""
    (home / "plugins" / "truekeep").mkdir(parents=True, exist_ok=True)
    (home / "plugins" / "truekeep" / "__init__.py").write_text(PLUGIN)
    (home / "config.yaml").write_text("memory:\n  provider: truekeep\n")


def hermes(model: OfflineModel, provider: TruekeepMemoryProvider | None = None, **about: Any) -> AIAgent:
    """An agent with the provider that is installed, or with this one."""
    agent = AIAgent(
        base_url=model.url,
        api_key="none",
        provider="custom",
        model="offline",
        quiet_mode=True,
        enabled_toolsets=["memory"],
        skip_context_files=True,
        **about,
    )
    if provider is not None:
        agent._memory_manager = managed(provider, agent.session_id)
    return agent


def managed(provider: TruekeepMemoryProvider, session: str = "monday", **about: Any) -> MemoryManager:
    """What an agent does with a provider, without the agent."""
    manager = MemoryManager()
    manager.add_provider(provider)
    manager.initialize_all(session_id=session, **{"platform": "cli", "agent_context": "primary", **about})
    return manager
