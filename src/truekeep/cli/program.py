"""All commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from truekeep import __version__

from . import (
    audit,
    doctor,
    erase,
    feed,
    forget,
    hooks,
    keys,
    mcp,
    migrate,
    options,
    output,
    recall,
    remember,
    review,
    serve,
    spaces,
    tenants,
    transfer,
    undo,
    values,
    webhooks,
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


options.command(app)(remember.remember)
options.command(app)(recall.recall)
options.command(app)(recall.context)
options.command(app)(remember.extract)
options.command(app)(forget.forget)
options.command(app)(recall.items)
options.command(app)(recall.history)
options.command(app)(recall.explain)
options.command(app)(remember.correct)
options.command(app)(review.review)
options.command(app)(review.resolve)
options.command(app)(review.release)
for going_back in (undo.checkpoint, undo.checkpoints, undo.diff, undo.restore, undo.fork):
    options.command(app)(going_back)
app.add_typer(values.app, name="values")
app.add_typer(spaces.app, name="spaces")
app.command()(feed.feed)
app.add_typer(webhooks.app, name="webhooks")
options.command(app)(doctor.stats)
options.command(app)(transfer.export)
options.command(app, name="import")(transfer.import_)
app.command()(transfer.backup)
app.command()(migrate.migrate)
app.command()(doctor.doctor)
app.command()(doctor.check)
app.command()(serve.serve)
app.command()(serve.console)
app.command()(mcp.mcp)
app.add_typer(hooks.app, name="hooks")
app.add_typer(keys.app, name="keys")
app.add_typer(tenants.app, name="tenants")
options.command(app)(audit.audit)
options.command(app)(erase.erase)
app.command()(welcome.demo)
