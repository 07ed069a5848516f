"""A real HTTP server on loopback that speaks chat completions, well or badly, one step a request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class Served:
    """Where it is, and what it was asked."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)  # set when the test is over: hanging steps end

    @property
    def conversations(self) -> list[list[dict[str, Any]]]:
        return [json.loads(body["messages"][-1]["content"]) for body in self.asked]

    @property
    def formats(self) -> list[str | None]:
        return [body.get("response_format", {}).get("type") for body in self.asked]


@contextmanager
def serving(*steps: Step) -> Iterator[Served]:
    """The last step answers all further requests."""
    served = Served("")
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(served.asked)
                served.asked.append(body)
                served.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.server_ended = served.ended
            steps[min(number, len(steps) - 1)](self, body)

        def log_message(self, *given: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield served
    finally:
        served.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def completion(text: str | None, usage: Mapping[str, int] | None = None) -> bytes:
    document: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    }
    return json.dumps(document if usage is None else {**document, "usage": dict(usage)}).encode()


def says(text: str | None, *, prompt: int | None = 100, answer: int = 20) -> Step:
    """A good answer with this text."""
    usage = None if prompt is None else {"prompt_tokens": prompt, "completion_tokens": answer}
    return lambda handler, body: send(handler, 200, completion(text, usage))


def notes(*items: Mapping[str, Any], prompt: int | None = 100, answer: int = 20) -> Step:
    """A good answer with these items."""
    return says(json.dumps({"items": items}), prompt=prompt, answer=answer)


def note(message: int, quote: str, content: str | None = None, kind: str = "fact") -> dict[str, Any]:
    return {"message": message, "quote": quote, "content": content or quote, "kind": kind}


def fails(status: int, **headers: str) -> Step:
    body = json.dumps({"error": {"message": "a text that quotes sk-secret and I prefer tea"}}).encode()
    return lambda handler, _: send(handler, status, body, **headers)


def refuses(*formats: str | None) -> Callable[[Step], Step]:
    """As the step, but for requests that ask for one of these formats."""

    def wrap(step: Step) -> Step:
        def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
            asked = body.get("response_format", {}).get("type")
            (fails(400) if asked in formats else step)(handler, body)

        return answer

    return wrap


def hangs(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.server_ended.wait(60)  # type: ignore[attr-defined]
    handler.close_connection = True


def trickles(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """A header that never ends: every byte comes in time."""
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not handler.server_ended.wait(0.02):  # type: ignore[attr-defined]
            handler.wfile.write(b"a")
            handler.wfile.flush()
    except OSError:
        pass
    handler.close_connection = True


def drips(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """A body that never ends: every byte comes in time."""
    try:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not handler.server_ended.wait(0.02):  # type: ignore[attr-defined]
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        pass
    handler.close_connection = True


def drops(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """The connection is closed without a word."""
    handler.close_connection = True
    handler.connection.close()


def halves(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """The connection is closed in the middle of a good answer."""
    whole = completion('{"items": []}')
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(whole)))
    handler.end_headers()
    handler.wfile.write(whole[: len(whole) // 2])
    handler.wfile.flush()
    drops(handler, body)


def floods(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """An answer of many megabytes."""
    try:
        handler.send_response(200)
        handler.send_header("Content-Length", str(64 * 1024 * 1024))
        handler.end_headers()
        for _ in range(64):
            handler.wfile.write(b" " * 1024 * 1024)
    except OSError:
        pass
    handler.close_connection = True


def redirects_to(url: str) -> Step:
    return lambda handler, body: send(handler, 307, b"", Location=url)


def texts(conversation: Sequence[Mapping[str, Any]]) -> list[str]:
    return [message["text"] for message in conversation]
