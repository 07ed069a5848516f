"""The program: its commands, also those that other packages bring, and how they fail.

That is one line on stderr, or a JSON object with `--json`, and a code that scripts can use.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from truekeep import errors, hints
from truekeep.extras import to_install_folder

from .output import one_line

FAILED, USAGE, NOT_FOUND, CONFLICT, REFUSED = 1, 2, 3, 4, 5
PLUGINS = "truekeep.commands"  # entry points: a Typer app under the name of the command
_OURS = frozenset({"eval"})  # one of those, in a folder of that name in the repository
INTERRUPTED = 130  # as shells have it for SIGINT

# The first class that fits counts.
CODES: tuple[tuple[type[errors.TruekeepError], int], ...] = (
    (errors.InvalidInput, USAGE),
    (errors.AccessDenied, REFUSED),
    (errors.ConfigurationError, USAGE),
    (errors.NotFound, NOT_FOUND),
    (errors.Conflict, CONFLICT),
    (errors.QuotaExceeded, REFUSED),
    (errors.TruekeepError, FAILED),
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
            return _told("interrupted", "Interrupted", INTERRUPTED, as_json=as_json)
        except BrokenPipeError:
            # Whoever read us has enough. Python would complain about what is left in the buffer: let it go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILED
        except Exception as error:
            # Typer carries click inside or beside itself, by version: its errors are told by what they can do.
            if not hasattr(error, "format_message"):
                raise
            context = getattr(error, "ctx", None)
            hint = "" if context is None else f" (see: {context.command_path} --help)"
            return _told(error.format_message() + hint, "Usage", USAGE, as_json=as_json)
        return code if isinstance(code, int) else 0


def _told(message: str, kind: str, code: int, *, as_json: bool) -> int:
    line = one_line(message)
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
