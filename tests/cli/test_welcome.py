"""What serve says when it starts: a screen on a terminal, one line with the address for a program."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from truekeep import Memory, __version__
from truekeep.cli import serve
from truekeep.server.run import COUNTED, Start
from truekeep.server.settings import ServerSettings
from truekeep.testing.fakes import FakeEmbedder

from .shell import PROGRAM, Shell

EMPTY = Start(address="http://127.0.0.1:8420", location="/home/ana/truekeep.db", spaces=0, items=0, has_keys=False)


def shown(capsys: pytest.CaptureFixture[str], settings: ServerSettings | None = None, **changed: Any) -> str:
    serve.show(replace(EMPTY, **changed), settings or ServerSettings())
    return " ".join(capsys.readouterr().out.split())


def test_it_tells_where_everything_is(capsys: pytest.CaptureFixture[str]) -> None:
    said = shown(capsys)

    assert f"Truekeep {__version__}" in said
    assert "Listening http://127.0.0.1:8420 (this machine only)" in said
    for what, path in (("Console", "/console"), ("REST", "/v1"), ("Docs", "/docs"), ("MCP", "/mcp")):
        assert f"{what} http://127.0.0.1:8420{path} " in said
    assert "Data /home/ana/truekeep.db (nothing remembered yet)" in said
    assert "Ctrl-C stops it" in said


@pytest.mark.parametrize(
    ("spaces", "items", "held"),
    [
        (1, 1, "1 space with 1 item"),
        (2, 1280, "2 spaces with 1,280 items"),
        (COUNTED + 1, 5, f"more than {COUNTED:,} spaces"),
    ],
)
def test_it_tells_how_much_there_is(capsys: pytest.CaptureFixture[str], spaces: int, items: int, held: str) -> None:
    assert f"({held})" in shown(capsys, spaces=spaces, items=items)


def test_it_tells_whether_a_key_is_needed_and_how_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    none = shown(capsys)
    some = shown(capsys, has_keys=True)
    operators = shown(capsys, ServerSettings(admin_key=SecretStr("tk_top_secret_of_the_operator")), has_keys=True)

    assert re.search(r"Key none needed; '.* keys create' makes one, and from then on everybody needs one", none)
    assert re.search(r"Key needed; '.* keys create' makes one", some)
    assert re.search(r"Key needed: that of TRUEKEEP_ADMIN_KEY or its file, or '.* keys create' makes one", operators)
    assert "top_secret" not in operators


def test_a_key_is_made_where_the_store_is_and_no_password_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ServerSettings(at="postgresql://ana:secret@db.example/truekeep")

    said = shown(capsys, settings, location="postgresql://ana@db.example/truekeep")

    assert "keys create --at postgresql://ana@db.example/truekeep' makes one" in said
    assert "secret" not in said


@pytest.mark.parametrize(("host", "here"), [("0.0.0.0", "127.0.0.1"), ("[::]", "[::1]"), ("192.0.2.1", "192.0.2.1")])
def test_on_every_address_the_links_are_those_that_open_here(
    capsys: pytest.CaptureFixture[str], host: str, here: str
) -> None:
    said = shown(capsys, ServerSettings(host=host.strip("[]")), address=f"http://{host}:8420", has_keys=True)

    assert f"Listening http://{host}:8420 (whoever reaches it)" in said
    assert f"Console http://{here}:8420/console" in said


def test_a_location_cannot_speak_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in shown(capsys, location="/home/\x1b[2J/truekeep.db")


class Terminal:
    """What stands on a terminal so far."""

    def __init__(self, end: int) -> None:
        self._end = end
        self.text = ""

    def wait_for(self, pattern: str) -> re.Match[str]:
        deadline = time.monotonic() + 60
        while (found := re.search(pattern, self.text)) is None:
            assert time.monotonic() < deadline, self.text
            if select.select([self._end], [], [], 0.5)[0]:
                read = os.read(self._end, 65_536).decode()
                self.text += re.sub(r"\x1b\[[\d;]*m", "", read).replace("\r\n", "\n")
        return found


@contextmanager
def on_a_terminal(shell: Shell, *arguments: str) -> Iterator[Terminal]:
    """A server whose output and log somebody looks at."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**shell.surroundings, "TERM": "xterm", "COLUMNS": "200"}
    command = [*PROGRAM, "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        try:
            yield Terminal(ours)
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0
            os.close(ours)


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are POSIX")
def test_on_a_terminal_there_is_one_screen_and_plain_lines_for_all_workers(shell: Shell) -> None:
    with Memory("bot", at=shell.file, embedder=FakeEmbedder(), background=False) as memory:
        memory.remember("Ana drinks tea")

    with on_a_terminal(shell, "--workers", "2") as terminal:
        address = terminal.wait_for(r"Listening +(http://127\.0\.0\.1:\d+) ")[1]
        terminal.wait_for(r"logged below")
        assert httpx.get(f"{address}/v1/spaces/bot/memories", timeout=60, trust_env=False).status_code == 200
        line = terminal.wait_for(r"\n(\d\d:\d\d:\d\d  200  GET .*)\n")[1]

    assert re.fullmatch(r"\d\d:\d\d:\d\d  200  GET /v1/spaces/\{space\}/memories  [\d.]+ ms", line)
    assert terminal.text.count("Listening") == 1
    assert f"{shell.file} (1 space with 1 item)" in terminal.text
    assert "{" not in terminal.text.replace("{space}", "")  # no JSON, and nothing of uvicorn's own
    assert "uvicorn" not in terminal.text.lower()


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are POSIX")
def test_json_can_be_had_on_a_terminal(shell: Shell) -> None:
    with on_a_terminal(shell, "--logs", "json") as terminal:
        terminal.wait_for(r'"message": "Application startup complete\."')
