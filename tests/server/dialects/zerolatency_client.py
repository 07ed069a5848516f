"""Drives the published 0Latency package, in the environment that it has to itself, and prints what it got as JSON.

python zerolatency_client.py calls|wrappers URL KEY
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any

warnings.simplefilter("ignore")  # its dependencies announce their own end

REPLY = "Noted: the gateway is Envoy."
ANSWERS: dict[str, Any] = {  # of the models, by the end of the path that they are asked at
    "/chat/completions": {"choices": [{"index": 0, "message": {"role": "assistant", "content": REPLY}}]},
    "/messages": {"role": "assistant", "content": [{"type": "text", "text": REPLY}]},
    ":generateContent": {"candidates": [{"content": {"role": "model", "parts": [{"text": REPLY}]}}]},
}


class Models(BaseHTTPRequestHandler):
    """Stands in for the three vendors' models, and keeps the prompts that reach it."""

    prompts: list[str] = []  # noqa: RUF012  # of all requests together

    def do_POST(self) -> None:
        self.prompts.append(self.rfile.read(int(self.headers["content-length"])).decode())
        path = self.path.partition("?")[0]
        body = json.dumps(next(answer for end, answer in ANSWERS.items() if path.endswith(end))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


def calls(url: str, key: str) -> dict[str, Any]:
    """Every call of the client, and each of its errors."""
    package: Any = import_module("zerolatency")
    got: dict[str, Any] = {}
    with package.Memory(key, base_url=url) as memory:
        got["health"] = memory.health()
        got["added"] = memory.add("User prefers dark mode")
        got["added for an agent"] = memory.add("The team deploys on Fridays", "dev-team", {"origin": "retro"})
        got["recalled"] = memory.recall("What does the user prefer?")
        got["recalled for an agent"] = memory.recall("when does the team deploy?", "dev-team", limit=1)
        got["extracting"] = memory.extract([{"role": "user", "content": "I prefer short stand-ups."}], "dev-team")
        deadline = time.monotonic() + 30
        while True:
            got["extracted"] = memory.extract_status(got["extracting"]["job_id"])
            if got["extracted"]["status"] in ("complete", "failed") or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        got["recalled after"] = memory.recall("stand-ups", "dev-team")
        try:
            memory.extract_status("no-such-job")
        except package.ZeroLatencyError as error:
            got["missing"] = [error.status_code, error.message]
        for number in range(100):
            try:
                memory.recall(f"once more {number}")
            except package.RateLimitError as error:
                got["limited"] = error.status_code
                break
    with package.Memory("tk_wrong", base_url=url) as stranger:
        try:
            stranger.recall("anything")
        except package.AuthenticationError as error:
            got["refused"] = error.status_code
    return got


def wrappers(url: str, key: str) -> dict[str, Any]:
    """One conversation with each vendor's client as the package wraps it."""
    models = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=models.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{models.server_address[1]}"
    os.environ |= {"OPENAI_BASE_URL": f"{address}/v1", "ANTHROPIC_BASE_URL": address}

    genai: Any = import_module("google.generativeai")
    package: Any = import_module("zerolatency")
    ours: dict[str, Any] = {"zl_api_key": key, "zl_base_url": url, "budget_tokens": 500}
    asked = [{"role": "user", "content": "Which gateway did we choose?"}]
    openai = package.OpenAIWithMemory(api_key="model", agent_id="openai", **ours)
    openai.chat.completions.create(model="m", messages=asked)
    anthropic = package.AnthropicWithMemory(api_key="model", agent_id="anthropic", **ours)
    anthropic.messages.create(model="m", messages=asked, max_tokens=10)
    gemini = package.GeminiWithMemory(api_key="model", agent_id="gemini", **ours)
    genai.configure(api_key="model", transport="rest", client_options={"api_endpoint": address})
    gemini.GenerativeModel("m").generate_content("Which gateway did we choose?")
    for thread in threading.enumerate():  # what was said is stored by threads that nobody hands out
        if "_store_async" in thread.name:
            thread.join(20)
    models.shutdown()
    models.server_close()
    return dict(zip(("openai", "anthropic", "gemini"), Models.prompts, strict=True))


if __name__ == "__main__":
    what, url, key = sys.argv[1:]
    print(json.dumps({"calls": calls, "wrappers": wrappers}[what](url, key)))
