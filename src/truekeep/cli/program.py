"""All commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from truekeep import __version__

from . import (
    check,
    console,
    doctor,
    explain,
    first,
    forget,
    keys,
    mcp,
    migrate,
    output,
    recall,
    remember,
    review,
    serve,
    spaces,
    transfer,
    values,
)
from .failures import Program

app = typer.Typer(
    name="truekeep",
    cls=Program,
    help="Persistent memory for AI agents.",
    pretty_exceptions_enable=False,  # they would print the text of memories
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"truekeep {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def begin(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Persistent memory for AI agents."""
    if context.invoked_subcommand is None:
        output.say(first.welcome())


app.command()(remember.remember)
app.command()(recall.recall)
app.command()(recall.context)
app.command()(remember.extract)
app.command()(forget.forget)
app.command()(recall.items)
app.command()(recall.history)
app.command()(explain.explain)
app.command()(remember.correct)
app.command()(review.review)
app.command()(review.resolve)
app.command()(review.release)
app.add_typer(values.app, name="values")
app.add_typer(spaces.app, name="spaces")
app.command()(doctor.stats)
app.command()(transfer.export)
app.command(name="import")(transfer.import_)
app.command()(transfer.backup)
app.command()(migrate.migrate)
app.command()(doctor.doctor)
app.command()(check.check)
app.command()(serve.serve)
app.command()(console.console)
app.command()(mcp.mcp)
app.add_typer(keys.app, name="keys")
app.command()(first.demo)
