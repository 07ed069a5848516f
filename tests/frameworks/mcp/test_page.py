"""The page for MCP hosts: what it tells to write into a host's settings works; and the example does what it says."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.mcp.caller import ROOT, over_stdio

PAGE = ROOT / "docs" / "how-to" / "mcp.md"
EXAMPLE = ROOT / "examples" / "mcp" / "remember_across_processes.py"
BLOCKS = re.findall(r"^```(json|toml)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
SETTINGS: list[dict[str, Any]] = [json.loads(text) if kind == "json" else tomllib.loads(text) for kind, text in BLOCKS]
SERVERS = [
    server
    for settings in SETTINGS
    for servers in (settings.get(name, {}) for name in ("mcpServers", "servers", "context_servers", "mcp_servers"))
    for server in servers.values()
]
STARTED = {
    tuple(word for word in server["args"] if word.startswith("--")): tuple(server["args"])
    for server in SERVERS
    if "command" in server
}  # one of each kind


def test_every_server_of_the_page_is_started_by_our_command_or_served_at_our_path() -> None:
    assert len(SETTINGS) >= 8
    for server in SERVERS:
        assert server.get("command") == "truekeep" or "/mcp" in server["url"]


@pytest.mark.parametrize("arguments", sorted(STARTED.values()), ids=" ".join)
def test_a_host_that_is_set_up_as_the_page_says_finds_its_tools(arguments: tuple[str, ...], tmp_path: Path) -> None:
    async def story() -> set[str]:
        async with over_stdio(tmp_path, *arguments[1:]) as caller:
            return {*await caller.tools()}

    assert arguments[0] == "mcp"
    assert asyncio.run(story()) >= {"recall", "context"}


def test_the_example_remembers_in_one_process_and_recalls_in_another(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TRUEKEEP_HOME": str(tmp_path)}
    command = [sys.executable, str(EXAMPLE), "--at", str(tmp_path / "memory.db")]

    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    first, second = re.split(r"^\S+ process$", done.stdout, flags=re.MULTILINE)[1:]
    assert "Memory stored" in first
    assert "Ana is allergic to peanuts" in second
