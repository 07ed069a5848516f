"""Writes docs/reference/cli.md from the commands themselves, so that the page cannot drift from the program.

python tests/cli/cli_page.py
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from truekeep.cli.program import app

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "cli.md"
INTRODUCTION = """\
# Command line

This page is written by `tests/cli/cli_page.py` from the program itself. The program `truekeep` comes with
`pip install '.[server]'` in a clone; [Use the command line](../how-to/command-line.md) shows it at work. Commands may
come from other packages, too, by the entry point `truekeep.commands`: `truekeep eval` does, by `pip install ./eval`
in your clone.

## What holds for every command

- `truekeep` alone says how to begin and where memories live.
- Results go to stdout; notes, questions, progress bars and errors go to stderr.
- `--json` prints one JSON document, or one a line where a command lists things, in the shapes of the REST API.
- Remembered text is data: nothing in it is taken for markup, and on a terminal its control characters are made visible.
- An error is one line, `error: ...`; with `--json` an object with `error`, `detail` and `exit_code`.
- Without a terminal there are no colours and no bars, and no command waits for an answer.
- Text is UTF-8, whatever the locale says. `--` ends the options: what follows may begin with a dash.
- A span is `45s`, `30m`, `12h`, `7d`, `2w`, several together (`1d12h`) or a number of seconds. A time is ISO 8601, in
  the local zone if it names none, or an age such as `7d`.

| exit code | means |
| --- | --- |
| 0 | done; a `recall` that found nothing too, unless `--exit-code` |
| 1 | it failed: store, embedder, network; `doctor` or `import --from` found something bad; question answered with no |
| 2 | wrong usage, input or setting; nothing was changed |
| 3 | there is no such item, value, key, space or store |
| 4 | a conflict: somebody else changed it first, or an idempotency key was used for something else |
| 5 | a server refuses: the key, or a quota that is used up |
| 130 | interrupted |

| variable | is the default of |
| --- | --- |
| `TRUEKEEP_AT` | `--at` |
| `TRUEKEEP_SPACE` | `--space` |
| `TRUEKEEP_KEY` | `--key`; not used for files |

The other variables are those of the [settings](settings.md).
"""


def commands(group: Any, path: str = "truekeep") -> Iterator[tuple[str, Any]]:
    """Every command with its full name; groups are gone into."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def section(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    parameters = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    usage = " ".join([name, *map(placeholder, arguments), "[OPTIONS]"])
    rows = [f"| `{placeholder(argument)}` | {argument.help} |" for argument in arguments]
    rows += [f"| {spelling(option)} | {meaning(option)} |" for option in parameters]
    told = inspect.cleandoc(command.help)
    return f"## {name}\n\n{told}\n\n```\n{usage}\n```\n\n| | |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def placeholder(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def spelling(option: Any) -> str:
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    return ", ".join(f"`{name}{value}`" for name in (*option.opts, *option.secondary_opts))


def meaning(option: Any) -> str:
    has_default = option.default not in (None, False, "", ()) and not option.is_flag
    return f"{option.help}{f' Default: `{option.default}`.' if has_default else ''}"


def page() -> str:
    found = list(commands(get_command(app)))
    return "\n".join([INTRODUCTION, *(section(name, command) for name, command in found)])


if __name__ == "__main__":
    PAGE.write_text(page())
