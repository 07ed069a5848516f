"""What an operator has in hand: servers, commands, the way through the balancer, and a watch."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from .balancer import Balancer
from .ground import Ground
from .processes import PATIENCE, PROGRAM, Running, running, surroundings
from .team import caller

OPERATOR = "tk_the-operator-in-the-morning"


@dataclass(slots=True, kw_only=True)
class Day:
    """One day, on one kind of store."""

    ground: Ground
    folder: Path
    stack: ExitStack
    balancer: Balancer
    at: str
    servers: list[Running] = field(default_factory=list)
    key: str = OPERATOR
    figures: dict[str, float] = field(default_factory=dict)  # seconds

    def command(self, *arguments: str) -> Any:
        """What a command says, as JSON."""
        done = subprocess.run(
            [*PROGRAM, *arguments, "--json"],
            env=surroundings(self.folder, TRUEKEEP_KEY=self.key),
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE,
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return lines[0] if len(lines) == 1 else lines

    def asked(self, method: str, path: str, key: str | None = None, **more: Any) -> httpx.Response:
        """Through the balancer, as everybody."""
        with caller(self.balancer.url, key or self.key) as client:
            return client.request(method, path, **more)

    def entries(self, item: str) -> list[dict[str, Any]]:
        """What the audit knows of an item."""
        answer = self.asked("GET", f"/v1/audit?tenant=acme&item={item}")
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["entries"]
        return found

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.figures[what] = time.monotonic() - began

    def serve(self, at: str, *arguments: str) -> Running:
        """A server that is ready."""
        folder = self.folder / f"server-{len(list(self.folder.glob('server-*')))}"
        folder.mkdir()
        settings = {"TRUEKEEP_ADMIN_KEY_FILE": str(self.folder / "operator.key")}
        server = self.stack.enter_context(running(folder, "--at", at, *arguments, **settings))
        deadline = time.monotonic() + PATIENCE
        while not server.ask("GET", "/readyz").is_success:
            assert time.monotonic() < deadline, server.log
            time.sleep(0.05)
        return server
