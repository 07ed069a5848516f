"""All commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from truekeep import __version__

from . import (
    doctor,
    erase,
    feed,
    forget,
    hooks,
    keys,
    mcp,
    options,
    output,
    recall,
    remember,
    review,
    serve,
    tenants,
    transfer,
    undo,
    values,
    welcome,
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
        output.say(welcome.welcome())


for work in (
    *(remember.remember, recall.recall, recall.context, remember.extract, forget.forget),
    *(recall.items, recall.history, recall.explain, remember.correct),
    *(review.review, review.resolve, review.release),
    *(undo.checkpoint, undo.checkpoints, undo.diff, undo.restore, undo.fork),
    *(feed.feed, doctor.stats, transfer.export, transfer.import_, transfer.backup, transfer.migrate),
    *(doctor.doctor, doctor.check, serve.serve, serve.console, mcp.mcp),
    *(tenants.audit, erase.erase, welcome.demo),
):
    options.command(app)(work)
for name, group in (
    *(("values", values.app), ("spaces", tenants.spaces), ("webhooks", feed.webhooks)),
    *(("hooks", hooks.app), ("keys", keys.app), ("tenants", tenants.tenants)),
):
    app.add_typer(group, name=name)
