"""`mcp` where its package is not installed, and what hosts are to start; tests/frameworks/mcp tries the rest."""

from __future__ import annotations

import shlex

import pytest

from .shell import Shell


@pytest.mark.usefixtures("without_mcp")
def test_without_its_package_the_command_says_what_to_install(shell: Shell) -> None:
    said = shell("mcp", "--space", "bot")

    assert said.code == 2
    assert "pip install '.[mcp]'" in said.err
    assert said.out == ""


def test_it_prints_what_a_host_has_to_start(shell: Shell) -> None:
    options = ["--space", "user:ana b", "--read", "team", "--read-only", "--at", "here.db"]

    said = shell.ok("mcp", *options, "--print-settings")

    command = shlex.split(said.out)
    assert command[-len(options) - 1 :] == ["mcp", *options]


def test_the_settings_of_a_host_are_json_without_the_key(shell: Shell) -> None:
    said = shell.ok("mcp", "--at", "https://memory.example", "--key", "tk_the-real-one", "--print-settings", "--json")

    server = said.json["mcpServers"]["memory"]
    assert server["args"][-2:] == ["--at", "https://memory.example"]
    assert server["env"] == {"TRUEKEEP_KEY": "tk_..."}
    assert "tk_the-real-one" not in said.out
