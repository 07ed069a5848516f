"""console: the address of a server that answers, in a browser."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.server.served import serving

from .shell import Shell


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a script")
def test_a_browser_is_opened_at_the_console(shell: Shell, tmp_path: Path) -> None:
    opened = tmp_path / "opened.txt"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{opened}"\n')
    browser.chmod(0o755)
    shell.environment["BROWSER"] = str(browser)

    with serving(tmp_path) as served:
        said = shell.process("console", "--at", served.url)

    assert (said.code, said.out, said.err) == (0, f"{served.url}/console\n", "")
    assert opened.read_text() == f"{served.url}/console"


def test_the_address_alone(shell: Shell, tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        plain = shell.ok("console", "--no-browser", "--at", f"{served.url}/")
        told = shell.ok("console", "--no-browser", "--at", served.url, "--json").json
        shell.environment["TRUEKEEP_PORT"] = str(served.port)
        usual = shell.ok("console", "--no-browser")

    assert plain.out == usual.out == f"{served.url}/console\n"
    assert told == {"address": f"{served.url}/console", "opened": False}


@pytest.mark.parametrize("at", ["http://127.0.0.1:9", "http://[broken", "https://"])
def test_without_a_server_it_says_how_to_start_one(shell: Shell, at: str) -> None:
    said = shell("console", "--no-browser", "--at", at)

    assert (said.code, said.out) == (1, "")
    assert "truekeep serve" in said.err
