"""`check`: whether a store is as it was written, and what can be done where it is not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import DamagedStore

from . import failures, options, output

if TYPE_CHECKING:
    from truekeep.ports import Store


def check(
    repair: Annotated[
        bool, typer.Option("--repair", help="Count again what spaces hold, after a backup beside the store.")
    ] = False,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """Read every row of a store and tell what is damaged; end with 1 if something is.

    Where all rows are as they were written and only what was noted about them is wrong, --repair makes it right. It
    copies the store first and names the copy. Where a row itself is damaged it changes nothing: restore a backup then.
    """
    from truekeep.assembly import file_of

    done: list[str] = []
    copy: Path | None = None
    with output.progress() as bars, options.own_store(at, "stores") as store:
        bars.add_task("checking", total=None)
        problems = store.check()
        fixes, refused = _possible(store) if problems else ([], None)
        if repair and fixes:
            copy = _beside(file_of(at))
            store.backup(copy)
            done, problems = store.recount(), store.check()
            fixes = []
    if as_json:
        found = {"ok": not problems, "problems": problems, "repairable": fixes, "repaired": done}
        output.print_json(found | {"refused": refused, "backup": None if copy is None else str(copy)})
    else:
        _tell(problems, fixes, refused, done, copy)
    if problems:
        raise typer.Exit(failures.FAILED)


def _possible(store: Store) -> tuple[list[str], str | None]:
    """What a repair would do, or why there is none."""
    try:
        fixes = store.recount(dry_run=True)
    except DamagedStore as error:
        return [], str(error)
    return fixes, None if fixes else "counting again would not help; restore a backup"


def _beside(file: Path | None) -> Path:
    """The name of a copy that is not there yet."""
    made = f"before-repair-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    return Path(f"truekeep-{made}.backup") if file is None else file.with_name(f"{file.name}.{made}")


def _tell(problems: list[str], fixes: list[str], refused: str | None, done: list[str], copy: Path | None) -> None:
    for problem in problems:
        output.say(f"WRONG  {problem}")
    if copy is not None:
        output.say(f"copied to {copy}")
    for fix in done:
        output.say(f"repaired  {fix}")
    for fix in fixes:
        output.say(f"`truekeep check --repair` would repair  {fix}")
    if refused:
        output.say(f"cannot be repaired: {refused}")
    if not problems:
        output.say("sound: every row is as it was written")
