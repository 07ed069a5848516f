"""The program: all commands, also those that other packages bring, and how they fail.

That is one line on stderr, or a JSON object with `--json`, and a code that scripts can use.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from truekeep import __version__, errors, hints
from truekeep.extras import to_install_folder

from . import (
    agents,
    doctor,
    erase,
    feed,
    keys,
    memories,
    options,
    output,
    recall,
    serve,
    tenants,
    transfer,
    undo,
    values,
)

PLUGINS = "truekeep.commands"  # entry points: a Typer app under the name of the command
_OURS = frozenset({"eval"})  # one of those, in a folder of that name in the repository

# The first class that fits counts.
CODES: tuple[tuple[type[errors.TruekeepError], int], ...] = (
    (errors.InvalidInput, output.USAGE),
    (errors.AccessDenied, output.REFUSED),
    (errors.ConfigurationError, output.USAGE),
    (errors.NotFound, output.NOT_FOUND),
    (errors.Conflict, output.CONFLICT),
    (errors.QuotaExceeded, output.REFUSED),
    (errors.TruekeepError, output.FAILED),
)


def code_of(error: errors.TruekeepError) -> int:
    return next(code for kind, code in CODES if isinstance(error, kind))


class Program(TyperGroup):
    """The group of all commands: runs one of them, and ends the process with a code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        code = self._run(given, prog_name=prog_name, complete_var=complete_var, **extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def list_commands(self, ctx: Any) -> list[str]:
        return list(dict.fromkeys([*super().list_commands(ctx), *_names()]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Ours come first: no package takes one of them over."""
        return super().get_command(ctx, cmd_name) or _command(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Commands are called as the methods are; who knows other names hears ours."""
        name = args[0]
        if self.get_command(ctx, name) is None:
            if name in _OURS:
                ctx.fail(f"`truekeep {name}` is a package of its own; it needs: {to_install_folder(name)}")
            if ours := hints.method(name.replace("-", "_")):
                ctx.fail(f"there is no command {name!r}; did you mean `truekeep {ours.removesuffix('_')}`?")
        return super().resolve_command(ctx, args)

    def _run(self, given: list[str], **more: Any) -> int:
        as_json = "--json" in given[: given.index("--")] if "--" in given else "--json" in given
        try:
            code = super().main(given, standalone_mode=False, **more)
            sys.stdout.flush()
        except errors.TruekeepError as error:
            return _told(str(error), type(error).__name__, code_of(error), as_json=as_json)
        except (typer.Abort, KeyboardInterrupt):
            return _told("interrupted", "Interrupted", output.INTERRUPTED, as_json=as_json)
        except BrokenPipeError:
            # Whoever read us has enough. Python would complain about what is left in the buffer: let it go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return output.FAILED
        except Exception as error:
            # Typer carries click inside or beside itself, by version: its errors are told by what they can do.
            if not hasattr(error, "format_message"):
                raise
            context = getattr(error, "ctx", None)
            hint = "" if context is None else f" (see: {context.command_path} --help)"
            return _told(error.format_message() + hint, "Usage", output.USAGE, as_json=as_json)
        return code if isinstance(code, int) else 0


def _told(message: str, kind: str, code: int, *, as_json: bool) -> int:
    line = output.one_line(message)
    text = json.dumps({"error": kind, "detail": line, "exit_code": code}) if as_json else f"error: {line}"
    print(text, file=sys.stderr, flush=True)
    return code


def _names() -> list[str]:
    return sorted({entry.name for entry in entry_points(group=PLUGINS)})


def _command(name: str) -> Any:
    """The command of that name that another package brings, or None."""
    for entry in entry_points(group=PLUGINS, name=name):
        found = get_command(entry.load())
        found.name = name
        return found
    return None


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
        output.say(serve.welcome())


for work in (
    *(memories.remember, recall.recall, recall.context, memories.extract, memories.forget),
    *(recall.items, recall.history, recall.explain, memories.correct),
    *(memories.review, memories.resolve, memories.release),
    *(undo.checkpoint, undo.checkpoints, undo.diff, undo.restore, undo.fork),
    *(feed.feed, doctor.stats, transfer.export, transfer.import_, transfer.backup, transfer.migrate),
    *(doctor.doctor, doctor.check, serve.serve, serve.console, agents.mcp),
    *(tenants.audit, erase.erase, serve.demo),
):
    options.command(app)(work)
for name, group in (
    *(("values", values.app), ("spaces", tenants.spaces), ("webhooks", feed.webhooks)),
    *(("hooks", agents.hooks), ("keys", keys.app), ("tenants", tenants.tenants)),
):
    app.add_typer(group, name=name)
