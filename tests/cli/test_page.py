"""The reference page says what the program says."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

from truekeep.cli.program import app

from .cli_page import PAGE, commands, page
from .shell import Shell

COMMANDS = dict(commands(get_command(app)))


def test_the_page_is_written_from_the_commands_of_now() -> None:
    assert PAGE.read_text() == page(), "write it anew: python tests/cli/cli_page.py"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    told = PAGE.read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    options = [option for parameter in COMMANDS[name].params for option in _names(parameter)]

    assert [option for option in options if option not in told] == []
    assert all(parameter.help for parameter in COMMANDS[name].params)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_prints_json_and_has_help(name: str, shell: Shell) -> None:
    said = shell.ok(*name.split()[1:], "--help")

    assert "--json" in said.out


def _names(parameter: Any) -> list[str]:
    return [f"`{name}" for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")]
