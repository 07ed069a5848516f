"""Commands that other packages bring."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest
import typer

from truekeep.cli import program

from .shell import Shell

app = typer.Typer(help="Say it louder.")


@app.command()
def shout(word: str) -> None:
    print(word.upper())


@app.command()
def whisper(word: str) -> None:
    print(word.lower())


def install(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """As where a package that declares these commands is installed, and no other."""
    found = EntryPoints(EntryPoint(name, f"{__name__}:app", program.PLUGINS) for name in names)
    monkeypatch.setattr(program, "entry_points", lambda **wanted: found.select(**wanted))


def test_a_package_brings_commands(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "voice")

    assert shell.ok("voice", "shout", "tea").out == "TEA\n"
    assert "Say it louder." in shell.ok("--help").out


def test_no_package_takes_over_a_command_of_ours(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "recall")

    assert "shout" not in shell.ok("recall", "--help").out


def test_a_command_of_ours_that_is_not_installed_says_how_to_get_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)

    said = shell("eval", "recall", "--data", "set.jsonl")

    assert said.code == 2
    assert "is a package of its own; it needs: pip install ./eval in your clone of Truekeep" in said.err
