"""What the driver measures, each in a process of its own: the server, and a FastAPI route that only echoes.

`python -m benchmarks.server_child echo` or `... fake|minilm PATH`; prints its port. Both run under the same uvicorn
with the same options, so that the difference between them is ours.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

import uvicorn
from fastapi import FastAPI

from truekeep.assembly import open_parts
from truekeep.server import logs
from truekeep.server.app import create_app
from truekeep.server.settings import load
from truekeep.testing.fakes import FakeEmbedder


def echo() -> FastAPI:
    app = FastAPI()

    @app.post("/echo")
    async def answer(body: dict[str, Any]) -> dict[str, Any]:
        return body

    return app


def main(what: str, path: str = "") -> None:
    settings = load(at=path or None)
    logs.configure(settings)
    if what == "echo":
        app = echo()
    else:
        app = create_app(settings, opened=open_parts(at=path, embedder=FakeEmbedder() if what == "fake" else what))
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False, timeout_keep_alive=75)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # nothing is worth keeping: the store was a copy
