"""The package stands beside Truekeep, and is found by it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from truekeep import __version__
from truekeep_eval.cli.program import main

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def test_it_is_of_the_version_that_it_was_written_for() -> None:
    assert PROJECT["version"] == __version__
    assert f"truekeep=={__version__}" in PROJECT["dependencies"]


def test_its_own_command_is_a_short_way(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["truekeep-eval", "belief", "--help"])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 0
    assert "Usage: truekeep eval belief" in capsys.readouterr().out
