"""`hooks`: a memory for coding agents that run commands of ours."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from truekeep import AccessDenied, InvalidInput, NotFound, surroundings
from truekeep.hooks import configuration, front, line, notebook
from truekeep.hooks.hosts import HOSTS, Host
from truekeep.hooks.repository import space_of, user_space

from . import options, output
from .mcp import program
from .recall import told

_COMPLAINTS = 3  # lines of the log that are told
_EXPLAINED = 12  # items of a space

app = typer.Typer(
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


@options.command(app)
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


@options.command(app)
def uninstall(call: options.Answering, host: Name, project: InProject = False) -> None:
    """Take our hooks out of a coding agent's configuration; nothing that is remembered is touched."""
    chosen = _host(host)
    file = _file(chosen, project=project)
    is_changed = configuration.uninstall(chosen, file)
    told = f"{chosen.title} runs none of our hooks any more: {file}" if is_changed else f"there were none: {file}"
    call.answer({"host": host, "file": str(file), "changed": is_changed}, told)


@options.command(app)
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
    if call.as_json:
        output.print_json({"hosts": rows, **state})
        return
    output.print_table(
        ("host", "for", "runs us at", "file"),
        [(row["host"], row["for"], row["problem"] or row["events"], row["file"]) for row in rows],
    )
    output.say(f"This folder has the space {state['space']}; yours, read everywhere, is {state['yours']}.")
    for complaint in notebook.complaints(home, _COMPLAINTS):
        output.note(complaint)


@options.command(app)
def space(call: options.Answering) -> None:
    """Print the space of this folder, for other commands: `--space "$(truekeep hooks space)"`."""
    name = space_of(Path.cwd())
    output.print_json({"space": name}) if call.as_json else output.print_text(name)


@options.command(app)
def explain(call: options.OfPlace) -> None:
    """Show what the last prompt got and why, and what it did not get. Counts as no access."""
    last = notebook.last_prompt(surroundings.home())
    if last is None:
        raise NotFound("no prompt has asked yet; `truekeep hooks status` tells which coding agents run our hooks")
    states = {id: name for name in ("left_out", "shown_before", "shown") for id in last[name]}
    rows = [row for name in last["spaces"] for row in _explained(call, name, last["prompt"], states)]
    if call.as_json:
        output.print_json({**last, "items": rows})
        return
    output.say(f"{last['prompt']}\n", style="bold")
    for row in rows:
        output.say(f"{row['state'].replace('_', ' ')}: {row['content']}")
        output.say(f"  {row['why']} · {row['space']}", style="dim")
    asker = f"{last['host']} asked at {last['time']} and was answered within {last['milliseconds']} ms"
    output.say(f"\n{asker}; {len(last['shown'])} shown of {len(states)} that were likely enough.")


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
