"""What lies ready for hosts says the same as what is installed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from typer.main import get_command

from tests.cli.cli_page import commands
from truekeep import __version__
from truekeep.cli.program import app
from truekeep.hooks.configuration import merged
from truekeep.hooks.hosts import HOSTS

FOLDER = Path(__file__).parent.parent.parent / "integrations"


def test_the_plugin_runs_what_an_installation_in_a_project_runs() -> None:
    plugin = json.loads((FOLDER / "claude-code" / ".claude-plugin" / "plugin.json").read_text())
    hooks = json.loads((FOLDER / "claude-code" / "hooks" / "hooks.json").read_text())
    host = HOSTS["claude-code"]

    installed = merged({}, host, lambda event: shlex.join(["truekeep", "hooks", "run", host.name, event]))

    assert hooks["hooks"] == installed["hooks"]
    assert plugin["version"] == __version__


def test_the_lines_for_a_project_name_commands_that_there_are() -> None:
    told = (FOLDER / "AGENTS.md").read_text()
    known = {name for name, _ in commands(get_command(app))}

    assert {"truekeep context", "truekeep remember", "truekeep hooks space"} <= known
    assert all(name in told for name in ("truekeep context", "truekeep remember", "truekeep hooks space"))
