"""serve: its settings, and the same commands through it."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .shell import PROGRAM, Shell


def test_the_settings_are_printed_as_a_file_that_can_be_used(shell: Shell, tmp_path: Path) -> None:
    shell.environment["TRUEKEEP_QUOTAS__MEMORIES"] = "1000"
    printed = shell.ok("serve", "--print-settings", "--port", "9000", "--at", "notes.db").out
    config = tmp_path / "server.toml"
    config.write_text(printed)
    del shell.environment["TRUEKEEP_QUOTAS__MEMORIES"]

    again = shell.ok("serve", "--print-settings", "--config", str(config)).out

    settings = tomllib.loads(again)
    assert again == printed
    assert (settings["port"], settings["at"], settings["quotas"]["memories"]) == (9000, "notes.db", 1000)


def test_options_win_over_the_environment_and_that_over_the_file(shell: Shell, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text('port = 1\nworkers = 2\nhost = "127.0.0.2"\n')
    shell.environment |= {"TRUEKEEP_PORT": "3", "TRUEKEEP_WORKERS": "4"}

    chosen = shell.ok("serve", "--config", str(config), "--port", "5", "--print-settings", "--json").json

    assert (chosen["port"], chosen["workers"], chosen["host"]) == (5, 4, "127.0.0.2")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_key_of_the_operator_is_not_printed(shell: Shell, form: list[str]) -> None:
    shell.environment["TRUEKEEP_ADMIN_KEY"] = "tk_top_secret_of_the_operator"

    printed = shell.ok("serve", "--print-settings", *form).out

    assert "top_secret" not in printed
    assert form or "admin_key" not in tomllib.loads(printed)  # nor would a mask become the key


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--port", "70000"], "'port'"),
        (["--workers", "0"], "'workers'"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_a_wrong_setting_is_code_2_and_named(shell: Shell, arguments: list[str], problem: str) -> None:
    said = shell("serve", *arguments)

    assert (said.code, said.out) == (2, "")
    assert problem in said.err


@contextmanager
def served(shell: Shell, *arguments: str) -> Iterator[str]:
    """A server in a process of its own; its address. It must end well when it is interrupted."""
    command = [*PROGRAM, "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, env=shell.surroundings, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are POSIX")
def test_the_same_commands_work_on_a_server(shell: Shell, tmp_path: Path) -> None:
    with served(shell) as address:
        shell.environment |= {"TRUEKEEP_AT": address, "TRUEKEEP_SPACE": "team"}
        kept = shell.ok("remember", "Bob lives in Porto", "--json").json
        found = shell.ok("recall", "where does Bob live?", "--json").json
        shell.ok("values", "set", "tone", '"concise"')
        shell.ok("export", str(tmp_path / "out.jsonl"))
        imported = shell.ok("import", str(tmp_path / "out.jsonl"), "--space", "copy", "--json").json
        stats = shell.ok("stats", "--json").json
        missing = shell("history", "nobody")
        forgotten = shell.ok("forget", kept["id"], "--yes", "--json").json
        keys, opened = shell("keys", "list", "--json"), shell("keys", "open")

    assert found["matches"][0]["id"] == kept["id"]
    assert (imported["items"], imported["values"], stats["path"]) == (1, 1, address)
    assert missing.code == 3
    assert forgotten["erased"] == [kept["id"]]
    assert (keys.code, keys.out) == (0, "")
    assert (opened.code, "where the store is" in opened.err) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts are POSIX")
def test_a_key_made_on_the_store_opens_the_server_and_nothing_else_does(shell: Shell) -> None:
    key = shell.ok("keys", "create", "--tenant", "acme").out.strip()

    with served(shell) as address:
        with_key = shell("remember", "Bob lives in Porto", "--at", address, "--key", key)
        without = shell("recall", "Bob", "--at", address)
        with_another = shell("recall", "Bob", "--at", address, "--key", "tk_wrong")

    assert (with_key.code, without.code, with_another.code) == (0, 5, 5)
    assert "tk_wrong" not in with_another.err
    assert all("'truekeep keys create'" in said.err for said in (without, with_another))
    assert all(said.err.count("\n") == 1 for said in (without, with_another))


def test_a_server_that_is_not_there_is_code_1(shell: Shell) -> None:
    said = shell("recall", "tea", "--at", "http://127.0.0.1:9")

    assert (said.code, said.out) == (1, "")
    assert said.err.count("\n") == 1
