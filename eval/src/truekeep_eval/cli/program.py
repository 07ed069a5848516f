"""All commands, put together: `truekeep eval`, or `truekeep-eval`."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from truekeep.cli import main as truekeep

from . import judged, languages, recall

app = typer.Typer(
    help="Measure recall, languages, belief, extraction and judgement on sets whose answers are known.",
    add_completion=False,
)
app.command()(recall.recall)
app.command()(languages.languages)
app.command()(judged.belief)
app.command()(judged.extract)
app.command()(judged.judgement)


def main() -> NoReturn:
    """Run the command line on the arguments of this process: a short way to `truekeep eval`."""
    sys.argv.insert(1, "eval")
    truekeep.main()
