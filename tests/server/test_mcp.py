"""`/mcp` begins with the first request to it; tests/frameworks/mcp tries the rest, with both versions of the SDK."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from truekeep.adapters.common.discretion import Discreet

from .served import detail, serving

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {"Accept": "application/json, text/event-stream"}


def test_hosts_find_tools_there_also_those_that_ask_first_and_at_the_same_time(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.caller(None) as caller, ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(caller.post, "/mcp/bot", json=LIST, headers=HEADERS) for _ in range(4)]
        answers = [one.result(60) for one in asked]

    for answer in answers:
        assert answer.status_code == 200, answer.text
        assert {"remember", "recall"} <= {tool["name"] for tool in answer.json()["result"]["tools"]}


def test_a_server_that_nobody_asks_does_not_load_the_sdk(tmp_path: Path) -> None:
    code = "import sys\nfrom truekeep.server.run import app\napp()\nprint('mcp' in sys.modules)"
    surroundings = {**os.environ, "TRUEKEEP_HOME": str(tmp_path)}

    done = subprocess.run([sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, timeout=60)

    assert (done.stdout, done.returncode) == ("False\n", 0), done.stderr


@pytest.mark.usefixtures("without_mcp")
def test_without_its_package_a_host_is_told_what_the_server_has_to_install(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.caller(None) as caller:
        answer = caller.post("/mcp", json=LIST, headers=HEADERS)

        assert caller.get("/health").status_code == 200
    assert "pip install '.[mcp]'" in detail(answer, 503)["detail"]


@pytest.mark.parametrize(
    ("name", "path", "level", "shown"),
    [
        ("mcp.server", "/lib/mcp/server/session.py", logging.WARNING, "the MCP SDK complains in read"),
        ("mcp.server", "/lib/mcp/server/session.py", logging.INFO, None),
        ("root", "/lib/mcp/shared/session.py", logging.WARNING, "the MCP SDK complains in read"),
        ("root", "/lib/other/session.py", logging.WARNING, "said Ana drinks tea"),
        ("truekeep.server", "/lib/truekeep/server/mcp.py", logging.INFO, "said Ana drinks tea"),
    ],
)
def test_what_the_sdk_logs_is_passed_on_without_its_words(name: str, path: str, level: int, shown: str | None) -> None:
    record = logging.LogRecord(name, level, path, 1, "said %s", ("Ana drinks tea",), None, func="read")

    passed = Discreet().filter(record)

    assert (record.getMessage() if passed else None) == shown
