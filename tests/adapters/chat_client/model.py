"""A model behind a real HTTP endpoint on loopback: chat completions and responses, whole or streamed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Model:
    """Where it is, what it was asked, and what it says next; its last reply is said again and again."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    replies: Sequence[str] = ("Noted.",)

    def reply(self) -> str:
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


@contextmanager
def running(*replies: str) -> Iterator[Model]:
    model = Model(replies=replies or ("Noted.",))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append(body)
            made = _responses if self.path.endswith("/responses") else _chat
            whole, events = made(model.reply())
            is_streamed = body.get("stream") is True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if is_streamed else "application/json")
            self.end_headers()
            lines = [f"data: {json.dumps(event)}\n\n" for event in events] if is_streamed else [json.dumps(whole)]
            self.wfile.write("".join([*lines, "data: [DONE]\n\n"] if is_streamed else lines).encode())

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


def _chat(reply: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    base = {"id": "c1", "created": 1, "model": "m"}
    message = {"role": "assistant", "content": reply, "refusal": None}
    whole = {
        **base,
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}],
    }
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": ""},
        *({"content": piece} for piece in _cut(reply)),
    ]
    choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    events = [{**base, "object": "chat.completion.chunk", "choices": given} for given in [*choices, []]]
    return whole, events


def _responses(reply: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    text = {"type": "output_text", "text": reply, "annotations": []}
    whole = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "output": [{"id": "o1", "type": "message", "role": "assistant", "status": "completed", "content": [text]}],
    }
    place = {"item_id": "o1", "output_index": 0, "content_index": 0, "logprobs": []}
    events: list[dict[str, Any]] = [
        {"type": "response.output_text.delta", "delta": piece, "sequence_number": number, **place}
        for number, piece in enumerate(_cut(reply))
    ]
    return whole, [*events, {"type": "response.completed", "response": whole, "sequence_number": len(events)}]


def _cut(text: str) -> list[str]:
    return [text[start : start + 4] for start in range(0, len(text), 4)]
