"""A real `truekeep serve` in a process of its own, and examples that talk to it as their readers would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from truekeep.adapters.common import AnyScopes, FailOpen, Spaces

ROOT = Path(__file__).parent.parent.parent
TOLD = "Ana drinks green tea in the morning"
OPERATOR = "tk_the-operator-of-the-tests"
NO_SERVER = "NO SERVER: THE ADAPTER IS NOT TESTED AGAINST ONE. Run `make test` first, which installs the server"
_NEEDED = ("fastapi", "jinja2", "prometheus_client", "pydantic_settings", "typer", "uvicorn")


class LiveServer:
    """A server on a store of its own, which asks for a key; it can go away and come back under the same address."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self.start()
        made = self._ask("POST", "/v1/keys", key=OPERATOR, json={"name": "agents"})
        self.key: str = made["key"]
        self._ask("POST", "/v1/spaces/warm/recall", key=self.key, json={"query": "load the model, please"})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def address(self) -> str:
        """The address with the key in it, for programs that take nothing else."""
        return f"http://agent:{self.key}@127.0.0.1:{self._port}"

    def spaces(self, scopes: AnyScopes = "ana") -> Spaces:
        return Spaces(scopes, at=self.url, key=self.key)

    def start(self) -> None:
        environment = {
            **os.environ,
            "TRUEKEEP_HOME": str(self._folder),
            "TRUEKEEP_ADMIN_KEY": OPERATOR,
            "PYTHONPATH": str(ROOT / "src"),
        }
        command = [_python(), "-m", "truekeep.cli.main", "serve", "--port", str(self._port)]
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        told = self._process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", told), (self._folder / "log").read_text()
        self._port = int(told.rpartition(":")[2])
        with httpx.Client(transport=httpx.HTTPTransport(retries=20), trust_env=False, timeout=60) as caller:
            assert caller.get(f"{told}/health").status_code == 200

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.communicate(timeout=60)
            self._process = None

    def kept(self, space: str = "ana") -> list[dict[str, Any]]:
        """What the server holds, in the order in which it was said."""
        path = f"/v1/spaces/{quote(space, safe='')}/memories"
        items: list[dict[str, Any]] = self._ask("GET", path, key=self.key, params={"limit": 1000})["items"]
        return sorted(items, key=lambda item: int(item["seq"]))

    def said(self, space: str = "ana") -> list[tuple[str | None, str | None, str]]:
        sources = [(item["source"], item["content"]) for item in self.kept(space)]
        return [(source.get("speaker"), source.get("role"), content) for source, content in sources]

    def _ask(self, method: str, path: str, *, key: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False) as caller:
            answer = caller.request(method, path, **options)
        assert answer.is_success, answer.text
        return answer.json()


def patient() -> FailOpen:
    """For a server that will be away for a moment, on a busy machine."""
    return FailOpen(deadline=60, retry_after=0.0, tolerance=1000)


def live_through_an_outage(live: LiveServer, guard: FailOpen, talk: Callable[[str], tuple[str, str]]) -> None:
    """What the agent of every adapter goes through; `talk` says something and tells the reply and the prompt.

    An agent knows what was said in an earlier conversation, answers without its memory when the server is gone,
    and knows again when it is back.
    """
    assert talk(TOLD)[0] == "Answer 1."
    reply, shown = talk("What does Ana drink?")
    assert reply == "Answer 2."
    assert TOLD in shown

    live.stop()
    guard.deadline = 0.5
    reply, shown = talk("And what does Ana drink in the evening?")
    assert reply == "Answer 3."
    assert TOLD not in shown
    assert guard.failures > 0

    live.start()
    guard.deadline = 60
    reply, shown = talk("What does Ana drink, once more?")
    assert reply == "Answer 4."
    assert TOLD in shown


def know_across_processes(live: LiveServer, name: str, folder: Path) -> None:
    """What the example of every adapter shows: one process tells the server, another one knows, a stranger does not."""
    first, second, stranger = (
        example(name, step, "--at", live.address, folder=folder) for step in ("first", "second", "stranger")
    )

    assert "cook: I will keep that in mind." in first
    assert "allergic to peanuts" in second
    assert "peanuts" not in stranger
    assert ("cook", "assistant", "I will keep that in mind.") in live.said("user:ana")


def answer_without_a_server(live: LiveServer, name: str, folder: Path) -> None:
    """And the example answers all the same when the server is gone."""
    live.stop()

    told = example(name, "second", "--at", live.address, folder=folder)

    assert "cook: Pad Thai, without peanuts." in told
    assert "the model was shown: You are a cook." in told


def _python() -> str:
    """An interpreter that has the server: this one, or that of the development environment."""
    if all(find_spec(name) is not None for name in _NEEDED):
        return sys.executable
    other = ROOT / ".venv" / "bin" / "python"
    if not other.exists():
        pytest.skip(NO_SERVER)
    return str(other)


@contextmanager
def live_server(folder: Path) -> Iterator[LiveServer]:
    server = LiveServer(folder)
    try:
        yield server
    finally:
        server.stop()


def example(name: str, *arguments: str, folder: Path) -> str:
    """What an example prints, in a process of its own."""
    command = [sys.executable, str(ROOT / "examples" / name), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TRUEKEEP_HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout
    return done.stdout
