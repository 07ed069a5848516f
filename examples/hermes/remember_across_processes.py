"""A Hermes agent that remembers: one process chats, another one starts afresh and knows.

    python examples/hermes/remember_across_processes.py

Needs `pip install '.[hermes]'` in the clone. The model is an offline one, behind an endpoint of this process, so no key
is needed and what it says is scripted; what matters is what it is shown. The agent's home is a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

SAID = "I am allergic to peanuts, and I love Thai food."
ASKED = "What shall I cook for dinner tonight?"
PLUGIN = """
from truekeep.adapters.hermes import Spaces, TruekeepMemoryProvider


def register(ctx):
    ctx.register_memory_provider(TruekeepMemoryProvider(Spaces({space!r}, at={at!r}), speaker="cook"))
"""


class OfflineModel(BaseHTTPRequestHandler):
    """Says one thing and prints what it was shown."""

    reply = ""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions"):
            self.send_error(404)
            return
        lines = [line for message in body["messages"] for line in str(message["content"]).splitlines()]
        recalled = [line for line in lines if line.startswith("- [2")]
        print("  the model was shown:", *[lines[0], *recalled])
        said = {"index": 0, "delta": {"role": "assistant", "content": self.reply}, "finish_reason": "stop"}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "offline", "choices": [said]}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, *given: Any) -> None:
        """Quiet."""


def chat(path: str, home: Path, user: str, message: str, reply: str) -> None:
    plugin = home / "plugins" / "truekeep"
    plugin.mkdir(parents=True)
    (plugin / "__init__.py").write_text(PLUGIN.format(space=f"user:{user}", at=path))
    (home / "config.yaml").write_text("memory:\n  provider: truekeep\n")
    (home / "SOUL.md").write_text("You are a cook.")
    os.environ["HERMES_HOME"] = str(home)
    from run_agent import AIAgent  # it reads where its home is

    OfflineModel.reply = reply
    server = ThreadingHTTPServer(("127.0.0.1", 0), OfflineModel)
    Thread(target=server.serve_forever, daemon=True).start()
    agent = AIAgent(
        base_url=f"http://127.0.0.1:{server.server_port}/v1",
        api_key="none",
        provider="custom",
        model="offline",
        enabled_toolsets=["memory"],
        load_soul_identity=True,
        skip_context_files=True,
        quiet_mode=True,
    )
    print(f"  {user}: {message}")
    print(f"  cook: {agent.run_conversation(message)['final_response']}")
    agent.shutdown_memory_provider()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["first", "second", "stranger"])
    parser.add_argument("--at", metavar="FILE")
    arguments = parser.parse_args()
    steps = {
        "first": ("ana", SAID, "I will keep that in mind."),
        "second": ("ana", ASKED, "Pad Thai, without peanuts."),
        "stranger": ("ben", ASKED, "What do you like?"),
    }
    with tempfile.TemporaryDirectory() as folder:
        if arguments.step:
            chat(arguments.at, Path(folder), *steps[arguments.step])
            return
        at = arguments.at or str(Path(folder) / "memory.db")
        for step in steps:
            print(f"{step} process", flush=True)
            subprocess.run([sys.executable, __file__, step, "--at", at], check=True)


if __name__ == "__main__":
    main()
