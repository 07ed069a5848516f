"""`erase`: a person, from all memories of a tenant, with a receipt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import InvalidInput, Limits
from truekeep.model import Erasure, Person
from truekeep.model.shown import counted

from . import options, output
from .keyring import keyring

if TYPE_CHECKING:
    from truekeep.engine.verbs.erasure import Erasures
    from truekeep.remote.operator import ServedErasures

_LISTED = 1000


def erase(
    call: options.Operation,
    speaker: Annotated[
        list[str] | None,
        typer.Option("--speaker", help="A name under which they spoke, as it was written (repeat it)."),
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option("--values", metavar="PATTERN", help="Values whose keys match: 'user:ana:*'.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option("--session", metavar="PATTERN", help="Sessions that go, whoever spoke in them.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Look for this in what others said. Default: the speakers.")
    ] = None,
    tenant: Annotated[str | None, typer.Option(help="Whose memories; for the operator. Default: your own.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be erased, and where.")] = False,
    admit: Annotated[bool, typer.Option("--admit", help="Let the speakers be remembered again.")] = False,
    receipts: Annotated[bool, typer.Option("--receipts", help="List receipts; with --speaker, those of one.")] = False,
    receipt: Annotated[str | None, typer.Option("--receipt", metavar="ID", help="Show this receipt.")] = None,
    verify: Annotated[
        Path | None, typer.Option("--verify", metavar="FILE", help="Tell whether this receipt was signed here.")
    ] = None,
    yes: options.Yes = False,
) -> None:
    """Erase a person from all memories of a tenant, and keep a receipt that tells no name.

    What they said goes, with values and sessions by pattern, and does not come back by import, fork or extraction. What
    others said of them waits for `review`. Interrupted, the same command finishes it.
    """
    if sum((admit, receipts, receipt is not None, verify is not None, dry_run)) > 1:
        raise InvalidInput("--dry-run", "is one of --dry-run, --admit, --receipts, --receipt and --verify; give one")
    with keyring(call) as ring:
        erasures = ring.erasures(tenant)
        if verify is not None:
            _verify(call, erasures, verify)
        elif receipt is not None:
            call.tell(erasures.receipt(receipt), _show)
        elif receipts:
            found = erasures.receipts(speaker=speaker[0] if speaker else None, limit=_LISTED)
            call.table(found, ("when", "erased", "", "receipt"), _row)
        elif admit:
            names = erasures.admit(_person(speaker).speakers)
            call.answer({"admitted": names}, f"admitted {', '.join(names) or 'nobody'}")
        else:
            _erase(call, erasures, _person(speaker, values, session, name), dry_run=dry_run, yes=yes)


def _person(
    speakers: list[str] | None,
    values: list[str] | None = None,
    sessions: list[str] | None = None,
    names: list[str] | None = None,
) -> Person:
    from truekeep.engine.verbs.erasure import person

    if not speakers:
        raise InvalidInput("--speaker", "is missing; name whoever is meant")
    return person(Limits(), speakers=speakers, values=values or (), sessions=sessions or (), names=names)


def _erase(
    call: options.Answering, erasures: Erasures | ServedErasures, who: Person, *, dry_run: bool, yes: bool
) -> None:
    if dry_run or not (yes or call.as_json):
        call.tell(erasures.preview(who), _preview)
    if dry_run:
        return
    if not yes:
        output.confirm("Erase all of this for good?")
    done = erasures.erase(who)
    call.tell(done, _show)
    if done.remaining:
        raise typer.Exit(output.FAILED)


def _preview(found: Erasure) -> None:
    rows = [(one.items, one.values, one.jobs, one.mentions, one.space) for one in found.found]
    output.print_table(("items", "values", "jobs", "mentions by others", "space"), rows)
    if found.alike:
        output.note(f"spelt otherwise, and not meant unless you name them too: {', '.join(found.alike)}")


def _show(one: Erasure) -> None:
    state = "interrupted; the same command finishes it" if one.ended is None else f"{one.remaining:,} remain"
    output.say(f"erased {_figures(one)}, in {counted(one.spaces, 'space')}; {state}")
    if one.mentions:
        wait = "waits" if one.mentions == 1 else "wait"
        output.say(f"{counted(one.mentions, 'mention')} by others {wait}: truekeep review")
    for place in one.pending:
        output.say(f"bytes may still lie in {place}")
    output.say(f"receipt {one.id}")


def _figures(one: Erasure) -> str:
    return f"{counted(one.items, 'item')}, {counted(one.values, 'value')}, {counted(one.jobs, 'job')}"


def _row(one: Erasure) -> tuple[str, ...]:
    return f"{one.began:%Y-%m-%d %H:%M}", _figures(one), "done" if one.ended else "begun", one.id


def _verify(call: options.Answering, erasures: Erasures | ServedErasures, file: Path) -> None:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput("--verify", f"{file} cannot be read as the JSON of a receipt") from error
    if not isinstance(record, dict):
        raise InvalidInput("--verify", f"{file} holds no receipt")
    is_genuine = erasures.is_genuine(record)
    said = "signed here, and unchanged" if is_genuine else "not signed here for this tenant, or changed since"
    call.answer({"genuine": is_genuine}, said)
    if not is_genuine:
        raise typer.Exit(output.FAILED)
