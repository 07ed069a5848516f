"""`doctor`, `check` and `stats`: how a store is doing, and whether it is as it was written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truekeep import DamagedStore, Memory, TruekeepError
from truekeep.model import SpaceId

from . import options, output
from .machine import Finding, clock, machine
from .transfer import make_vectors

if TYPE_CHECKING:
    from rich.progress import Progress

    from truekeep.ports import Store

_LATEST_JOBS = 1_000  # of a tenant: those among which failed ones are counted


def stats(call: options.Call) -> None:
    """Tell how much is where."""
    options.refuse_missing(call.at)
    with call.memory() as memory:
        found = output.plain(memory.stats())
    if call.as_json:
        output.print_json(found)
        return
    for several in ("kinds", "set_aside"):
        found[several] = ", ".join(f"{name} {count:,}" for name, count in found.pop(several).items())
    output.print_table(("what", "how much"), found.items())


def doctor(
    call: options.OfStore,
    repair: Annotated[
        bool, typer.Option("--repair", help="Drop all that is derived (vectors, snapshots) and make it again.")
    ] = False,
) -> None:
    """Check the machine, the models, the whole file, every index and the waiting work; say what to do.

    Ends with 1 if something is wrong. Text is the truth and is never touched: --repair makes anew only what is derived
    from it. For damaged text there are backups. Without a store there is still the machine to check.
    """
    from truekeep.assembly import file_of

    options.refuse_served(call.at, "stores")
    file = file_of(call.at)
    if call.at is not None:
        options.refuse_missing(call.at)
    with output.progress() as bars:
        task = bars.add_task("checking the machine", total=None)
        findings = list(machine(file))
        if file is not None and not file.exists():
            findings += [clock(None, datetime.now(UTC)), _no_store(file)]
        else:
            findings += _store(call.at, bars, repair=repair)
        bars.update(task, visible=False)
    is_well = all(found.ok for found in findings)
    told = {"ok": is_well, "findings": findings}
    call.tell(told, lambda _: output.print_table(("", "check", "detail"), map(_row, findings)))
    if not is_well:
        raise typer.Exit(output.FAILED)


def _row(found: Finding) -> tuple[str, str, str]:
    """What to do stands below what was found."""
    mark = "WRONG" if not found.ok else "note" if found.advice else "ok"
    return mark, found.check, f"{found.detail}\n-> {found.advice}" if found.advice else found.detail


def _no_store(file: Path) -> Finding:
    advice = 'the first one makes it: truekeep remember "..."'
    return Finding(check="file", ok=True, detail=f"nothing is remembered yet; {file} is not there", advice=advice)


def _store(at: str | None, bars: Progress, *, repair: bool) -> Iterator[Finding]:
    """The store itself, from its bytes to what waits in it."""
    from truekeep.assembly import open_store

    try:
        with open_store(at) as store:
            if repair:
                task = bars.add_task("dropping what is derived", total=None)
                store.drop_derived()
                bars.update(task, visible=False)
            yield from _file(store, bars)
    except TruekeepError as error:  # which says what to do
        yield Finding(check="file", ok=False, detail=str(error))
        return
    yield from _spaces(at, bars, repair=repair)


def _file(store: Store, bars: Progress) -> Iterator[Finding]:
    task = bars.add_task("reading the whole store", total=None)
    problems = store.check()
    bars.update(task, visible=False)
    for problem in problems:
        advice = "vectors and snapshots are made again by: truekeep doctor --repair; texts are in your backups"
        yield Finding(check="file", ok=False, detail=problem, advice=advice)
    if not problems:
        yield Finding(check="file", ok=True, detail=f"{store.location}, {store.size():,} bytes")
    try:
        store.try_write()
    except TruekeepError as error:
        advice = "nothing can be remembered meanwhile; docs/how-to/when-a-store-fails.md says what to do"
        yield Finding(check="writing", ok=False, detail=str(error), advice=advice)


def _spaces(at: str | None, bars: Progress, *, repair: bool) -> Iterator[Finding]:
    """The index of every space of every tenant, the clock beside what it kept, and what waits to be done."""
    from truekeep.assembly import open_parts
    from truekeep.engine.runtime.local import Local
    from truekeep.memory import handle

    newest: datetime | None = None
    waiting = 0
    try:
        with closing(open_parts(at=at)) as opened:
            store = opened.parts.store
            spaces = [SpaceId(tenant, name) for tenant in store.tenants() for name in store.spaces(tenant)]
            for space in bars.track(spaces, description="reading spaces"):
                finding, pending = _index(space, handle(Local(opened, space, owns=False)), bars, repair=repair)
                yield finding
                waiting += pending
                newest = max(filter(None, (newest, _latest(store, space))), default=None)
            yield _work(store, waiting)
    except TruekeepError as error:
        yield Finding(check="spaces", ok=False, detail=str(error), advice="see what is wrong with the file above")
    yield clock(newest, datetime.now(UTC))


def _index(space: SpaceId, memory: Memory, bars: Progress, *, repair: bool) -> tuple[Finding, int]:
    """How the index is doing, and how many of its items wait for their vectors."""
    from truekeep.assembly import LOCAL_TENANT

    check = f"index of {space.name}" if space.tenant == LOCAL_TENANT else f"index of {space.name} ({space.tenant})"
    try:
        if repair:
            make_vectors(memory, bars)
        found = memory.stats()
    except TruekeepError as error:
        advice = "make it again with: truekeep doctor --repair; if a text is damaged, restore a backup"
        return Finding(check=check, ok=False, detail=str(error), advice=advice), 0
    ok = not (repair and found.pending)
    advice = "" if ok else "the embedder fails: see the model above"
    return Finding(check=check, ok=ok, detail=f"{found.items:,} items", advice=advice), found.pending


def _latest(store: Store, space: SpaceId) -> datetime | None:
    """When the space last changed, unless by an erasure."""
    try:
        rows = store.changes(space, after=max(0, store.head(space).seq - 1)).rows
    except TruekeepError:  # damaged: told by its index
        return None
    return max((row.item.updated for row in rows if row.item is not None), default=None)


def _work(store: Store, vectors: int) -> Finding:
    jobs = store.waiting_jobs()
    latest = (job for tenant in store.tenants() for job in store.latest_jobs(tenant, limit=_LATEST_JOBS))
    failed = sum(job.state == "failed" for job in latest)
    advice = []
    if vectors or jobs:
        advice.append("it is done while a process has the store open, such as: truekeep serve")
    if failed:
        advice.append("what failed is kept for 7 days, with its error; extract those conversations again")
    detail = f"{vectors:,} items are not found by their meaning yet, {jobs:,} jobs wait, {failed:,} failed"
    return Finding(check="work", ok=True, detail=detail if advice else "nothing waits", advice="; ".join(advice))


def check(
    call: options.OfStore,
    repair: Annotated[
        bool, typer.Option("--repair", help="Count again what spaces hold, after a backup beside the store.")
    ] = False,
) -> None:
    """Read every row of a store and tell what is damaged; end with 1 if something is.

    Where all rows are as they were written and only what was noted about them is wrong, --repair makes it right. It
    copies the store first and names the copy. Where a row itself is damaged it changes nothing: restore a backup then.
    """
    from truekeep.assembly import file_of

    done: list[str] = []
    copy: Path | None = None
    with output.progress() as bars, options.own_store(call.at, "stores") as store:
        bars.add_task("checking", total=None)
        problems = store.check()
        fixes, refused = _possible(store) if problems else ([], None)
        if repair and fixes:
            copy = _beside(file_of(call.at))
            store.backup(copy)
            done, problems = store.recount(), store.check()
            fixes = []
    found = {"ok": not problems, "problems": problems, "repairable": fixes, "repaired": done}
    found |= {"refused": refused, "backup": None if copy is None else str(copy)}
    call.tell(found, _tell)
    if problems:
        raise typer.Exit(output.FAILED)


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


def _tell(found: dict[str, Any]) -> None:
    for problem in found["problems"]:
        output.say(f"WRONG  {problem}")
    if found["backup"] is not None:
        output.say(f"copied to {found['backup']}")
    for fix in found["repaired"]:
        output.say(f"repaired  {fix}")
    for fix in found["repairable"]:
        output.say(f"`truekeep check --repair` would repair  {fix}")
    if found["refused"]:
        output.say(f"cannot be repaired: {found['refused']}")
    if found["ok"]:
        output.say("sound: every row is as it was written")
