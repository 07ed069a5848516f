"""`hooks`: a memory for coding agents that run commands of ours. `mcp`: for hosts of the Model Context Protocol."""

from __future__ import annotations

import logging
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from truekeep import AccessDenied, InvalidInput, NotFound, surroundings
from truekeep.hooks import configuration, front, line, notebook
from truekeep.hooks.hosts import HOSTS, Host
from truekeep.hooks.repository import space_of, user_space

from . import options, output
from .recall import told

_COMPLAINTS = 3  # lines of the log that are told
_EXPLAINED = 12  # items of a space

hooks = typer.Typer(
    help="A memory for coding agents: Claude Code, Codex, Cursor. They run `hooks run`; people need not.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="claude-code, codex or cursor.", metavar="HOST")]
InProject = Annotated[
    bool,
    typer.Option(
        "--project/--user", help="In the repository here, for all who work on it, or for you. [default: user]"
    ),
]


@options.command(hooks)
def install(
    call: options.Answering,
    host: Name,
    project: InProject = False,
    unattended: Annotated[
        bool, typer.Option("--unattended", help="Also keep what sub-agents and scheduled runs say.")
    ] = False,
) -> None:
    """Have a coding agent run our hooks: its own configuration gets them beside what is there.

    What the file held before stays beside it, under its name and `.before-truekeep`. Running it twice changes nothing.
    """
    chosen = _host(host)
    file = _file(chosen, project=project)
    is_changed = configuration.install(chosen, file, _command(chosen, project=project, unattended=unattended))
    told = f"{chosen.title} runs our hooks now: {file}" if is_changed else f"they were there already: {file}"
    call.answer({"host": host, "file": str(file), "changed": is_changed}, told)
    if is_changed and chosen.advice:
        output.note(chosen.advice)


@options.command(hooks)
def uninstall(call: options.Answering, host: Name, project: InProject = False) -> None:
    """Take our hooks out of a coding agent's configuration; nothing that is remembered is touched."""
    chosen = _host(host)
    file = _file(chosen, project=project)
    is_changed = configuration.uninstall(chosen, file)
    told = f"{chosen.title} runs none of our hooks any more: {file}" if is_changed else f"there were none: {file}"
    call.answer({"host": host, "file": str(file), "changed": is_changed}, told)


@options.command(hooks)
def status(call: options.Answering) -> None:
    """Tell which coding agents run our hooks and where, which space this folder has, and what failed last."""
    home = surroundings.home()
    rows = [
        _row(host, whom, _file(host, project=whom == "project"))
        for host in HOSTS.values()
        for whom in ("user", "project")
    ]
    state = {
        "space": space_of(Path.cwd()),
        "yours": user_space(surroundings.place()[0]),
        "helper": line.running(home),
        "log": notebook.complaints(home, _COMPLAINTS),
    }
    call.tell({"hosts": rows, **state}, _print_status)


def _print_status(told: dict[str, Any]) -> None:
    rows = [(row["host"], row["for"], row["problem"] or row["events"], row["file"]) for row in told["hosts"]]
    output.print_table(("host", "for", "runs us at", "file"), rows)
    output.say(f"This folder has the space {told['space']}; yours, read everywhere, is {told['yours']}.")
    for complaint in told["log"]:
        output.note(complaint)


@options.command(hooks)
def space(call: options.Answering) -> None:
    """Print the space of this folder, for other commands: `--space "$(truekeep hooks space)"`."""
    name = space_of(Path.cwd())
    call.tell({"space": name}, lambda _: output.print_text(name))


@options.command(hooks)
def explain(call: options.OfPlace) -> None:
    """Show what the last prompt got and why, and what it did not get. Counts as no access."""
    last = notebook.last_prompt(surroundings.home())
    if last is None:
        raise NotFound("no prompt has asked yet; `truekeep hooks status` tells which coding agents run our hooks")
    states = {id: name for name in ("left_out", "shown_before", "shown") for id in last[name]}
    rows = [row for name in last["spaces"] for row in _explained(call, name, last["prompt"], states)]
    call.tell({**last, "items": rows}, partial(_print_explained, likely=len(states)))


def _print_explained(told: dict[str, Any], *, likely: int) -> None:
    output.say(f"{told['prompt']}\n", style="bold")
    for row in told["items"]:
        output.say(f"{row['state'].replace('_', ' ')}: {row['content']}")
        output.say(f"  {row['why']} · {row['space']}", style="dim")
    asker = f"{told['host']} asked at {told['time']} and was answered within {told['milliseconds']} ms"
    output.say(f"\n{asker}; {len(told['shown'])} shown of {likely} that were likely enough.")


def _explained(call: options.OfPlace, space: str, prompt: str, states: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The best of a space for the prompt, as it would be found now; one that the key may not read is told."""
    with call.opened(space) as memory:
        try:
            found = memory.explain(prompt, limit=_EXPLAINED) if prompt.strip() else []
        except AccessDenied as error:
            output.note(f"{space}: {error}")
            return
        for one in found:
            state = states.get(one.id, "not likely enough")
            content = memory.item(one.id).content
            yield {"space": space, "id": one.id, "state": state, "content": content, "why": told(one)}


def _row(host: Host, whom: str, file: Path) -> dict[str, Any]:
    """Where a host runs us; a file that cannot be understood hides none of the others."""
    row: dict[str, Any] = {"host": host.name, "for": whom, "events": [], "file": str(file), "problem": None}
    try:
        return {**row, "events": configuration.installed(host, file)}
    except InvalidInput as error:
        return {**row, "problem": error.problem}


def _host(name: str) -> Host:
    if name not in HOSTS:
        raise InvalidInput("HOST", f"{name!r} is not known; there are {', '.join(HOSTS)}")
    return HOSTS[name]


def _file(host: Host, *, project: bool) -> Path:
    folder = _root() / host.folder if project else Path(surroundings.folder_of_host(host.folder, host.variable))
    return folder / host.file


def _root() -> Path:
    """The repository here, or the folder itself."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _command(host: Host, *, project: bool, unattended: bool) -> Callable[[str], str]:
    """In a project everybody has a path of their own to the program, so the shell finds it; for one user we say it."""
    started = ["truekeep"] if project else program()
    more = [front.UNATTENDED] if unattended else []
    return lambda event: shlex.join([*started, "hooks", "run", host.name, event, *more])


def mcp(
    space: options.Space = "default",
    read: Annotated[
        list[str] | None, typer.Option("--read", help="A further space that is read, not written (repeat it).")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer no tools that write.")] = False,
    print_settings: Annotated[
        bool, typer.Option("--print-settings", help="Print the command that a host has to start, and end.")
    ] = False,
    at: options.At = None,
    key: options.Key = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as most hosts want them.")] = False,
) -> None:
    """Give an MCP host a memory, over standard input and output. Hosts start this themselves.

    On a server of your own, hosts find the same tools at /mcp.
    """
    if print_settings:
        command = _mcp_command(space, read or [], read_only=read_only, at=at)
        if as_json:
            output.print_json({"mcpServers": {"memory": _mcp_entry(command, with_key=key is not None)}})
        else:
            output.print_text(shlex.join(command))
        return
    from truekeep.adapters.common import Scopes, Spaces
    from truekeep.adapters.mcp import OwnDoor, serve_stdio

    _log_to_stderr()
    scopes = Scopes([space, *(read or [])], None if read_only else space)
    spaces = Spaces(scopes, at=at, key=key if options.is_served(at) else None)
    with suppress(KeyboardInterrupt):  # the usual end at a terminal
        serve_stdio(OwnDoor(spaces), writable=not read_only)
    spaces.close()


def _log_to_stderr() -> None:
    """Hosts keep what they find there, so it had better be nobody's text."""
    from truekeep.adapters.common.discretion import Discreet

    handler = logging.StreamHandler()
    handler.addFilter(Discreet())
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", handlers=[handler])


def program() -> list[str]:
    """How a host starts us: with the whole path, since hosts do not have the shell's, and no module of the folder."""
    found = shutil.which("truekeep")
    return [sys.executable, "-P", "-m", "truekeep.cli.main"] if found is None else [found]


def _mcp_command(space: str, read: list[str], *, read_only: bool, at: str | None) -> list[str]:
    further = [word for name in read for word in ("--read", name)]
    place = [] if at is None else ["--at", at]
    return [*program(), "mcp", "--space", space, *further, *(["--read-only"] if read_only else []), *place]


def _mcp_entry(command: list[str], *, with_key: bool) -> dict[str, Any]:
    """The key itself is not printed: terminals and logs keep what they see."""
    entry: dict[str, Any] = {"command": command[0], "args": command[1:]}
    return {**entry, "env": {"TRUEKEEP_KEY": "tk_..."}} if with_key else entry
