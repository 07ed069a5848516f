"""What one sees without a command, and `demo`: the first minutes."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from truekeep import StoreError, settings

from . import options, output

# What is asked shares no word with what was said.
_SAID, _ASKED = "The release train leaves on Thursdays at 14:00 UTC", "when do we ship?"
_PATIENCE = 120.0  # seconds for one process


def welcome() -> str:
    """The first commands, where memories live, and where help is."""
    file = settings.read().file
    made = "" if file.exists() else " (the first `remember` makes it)"
    return f"""\
Truekeep is a memory for AI agents that outlives the process. Begin with:

  truekeep remember "Ana prefers TypeScript over JavaScript"
  truekeep recall "which language should I use for Ana?"
  truekeep demo       one process remembers, another one recalls
  truekeep serve      the same memory over HTTP, with a console in the browser

Your memories live in {file}{made}; --at or TRUEKEEP_AT names another place.
All commands: truekeep --help. Is everything in order? truekeep doctor"""


def demo(as_json: options.AsJson = False) -> None:
    """Show one process remembering and another one recalling by meaning, in a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="truekeep-demo-") as folder:
        file = str(Path(folder) / "memory.db")
        for command in (["remember", _SAID], ["recall", _ASKED, "--limit", "1"]):
            pid, printed = _run([*command, "--at", file])
            if as_json:
                output.print_json({"process": pid, "command": ["truekeep", *command], "printed": printed})
            else:
                output.say(f"$ truekeep {shlex.join(command)}", style="bold")
                output.say(printed)
                output.say(f"  (process {pid}, which has ended)\n", style="dim")
    if not as_json:
        output.say("The second process found by its meaning what the first one had left in the file.")


def _run(arguments: list[str]) -> tuple[int, str]:
    """Run a command in a process of its own; its id, and what it printed."""
    program = [sys.executable, "-m", "truekeep.cli.main", *arguments]
    with subprocess.Popen(program, stdout=subprocess.PIPE, encoding="utf-8") as process:
        printed, _ = process.communicate(timeout=_PATIENCE)
    if process.returncode:
        raise StoreError(f"a process of the demo ended with code {process.returncode}; `truekeep doctor` looks for why")
    return process.pid, printed.rstrip("\n")
