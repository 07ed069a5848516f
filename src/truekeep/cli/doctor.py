"""`doctor` and `stats`: how a store is doing."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import Memory, TruekeepError, __version__
from truekeep.model import SpaceId

from . import failures, options, output
from .spaces import LOCAL, refuse_served
from .transfer import make_vectors

if TYPE_CHECKING:
    from rich.progress import Progress

    from truekeep.ports import Store

_FACT, _SAME_IN_OTHER_WORDS = "The physician lives in Lisbon", "where is the doctor's home?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check came to."""

    check: str
    ok: bool
    detail: str


def stats(
    space: options.Space = "default",
    at: options.At = None,
    key: options.Key = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell how much is where."""
    options.refuse_missing(at)
    with options.open_memory(space, at, key) as memory:
        found = output.plain(memory.stats())
    if as_json:
        output.print_json(found)
        return
    kinds = found.pop("kinds")
    found["kinds"] = ", ".join(f"{name} {count:,}" for name, count in kinds.items())
    output.print_table(("what", "how much"), found.items())


def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Drop all that is derived (vectors, snapshots) and make it again.")
    ] = False,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """Check versions, the model, the whole file and every index; end with 1 if something is wrong.

    Text is the truth and is never touched: --repair makes anew only what is derived from it. For damaged text there
    are backups.
    """
    refuse_served(at, "stores")
    options.refuse_missing(at)
    with output.progress() as bars:
        if repair:
            bars.add_task("dropping what is derived", total=None)
            _drop_derived(at)
        bars.add_task("checking", total=None)
        findings = [*_software(), *_model(), *_file(at), *_indexes(at, bars, repair=repair)]
    if as_json:
        output.print_json({"ok": all(found.ok for found in findings), "findings": findings})
    else:
        rows = [("ok" if found.ok else "WRONG", found.check, found.detail) for found in findings]
        output.print_table(("", "check", "detail"), rows)
    if not all(found.ok for found in findings):
        raise typer.Exit(failures.FAILED)


def _software() -> Iterator[Finding]:
    import apsw

    detail = f"truekeep {__version__}, Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}"
    yield Finding(check="version", ok=True, detail=detail)


def _model() -> Iterator[Finding]:
    """Whether meaning is found, on a memory of its own."""
    try:
        with Memory("doctor", at=":memory:", background=False) as memory:
            memory.remember(_FACT)
            found, name = memory.recall(_SAME_IN_OTHER_WORDS), memory.stats().embedder
    except TruekeepError as error:
        yield Finding(check="model", ok=False, detail=str(error))
        return
    ok = bool(found) and not found.degraded and found[0].similarity > 0
    yield Finding(check="model", ok=ok, detail=f"{name} {'works' if ok else 'finds no meaning'}")


def _file(at: str | None) -> Iterator[Finding]:
    from truekeep.assembly import open_store

    try:
        with open_store(at) as store:
            problems, where, size = store.check(), store.location, store.size()
    except TruekeepError as error:
        yield Finding(check="file", ok=False, detail=str(error))
        return
    for problem in problems:
        yield Finding(check="file", ok=False, detail=problem)
    if not problems:
        yield Finding(check="file", ok=True, detail=f"{where}, {size:,} bytes")


def _indexes(at: str | None, bars: Progress, *, repair: bool) -> Iterator[Finding]:
    """Build the index of every space of every tenant; to repair, make its vectors too."""
    from truekeep.assembly import open_parts
    from truekeep.engine.local import Local
    from truekeep.memory import handle

    try:
        with closing(open_parts(at=at)) as opened:
            for space in _all_spaces(opened.parts.store):
                yield _index(space, handle(Local(opened, space, owns=False)), bars, repair=repair)
    except TruekeepError as error:
        yield Finding(check="spaces", ok=False, detail=str(error))


def _index(space: SpaceId, memory: Memory, bars: Progress, *, repair: bool) -> Finding:
    check = f"index of {space.name}" if space.tenant == LOCAL else f"index of {space.name} ({space.tenant})"
    try:
        if repair:
            make_vectors(memory, bars)
        found = memory.stats()
    except TruekeepError as error:
        return Finding(check=check, ok=False, detail=str(error))
    waiting = f", {found.pending:,} not found by meaning yet" if found.pending else ""
    return Finding(check=check, ok=not (repair and found.pending), detail=f"{found.items:,} items{waiting}")


def _all_spaces(store: Store) -> list[SpaceId]:
    return [SpaceId(tenant, name) for tenant in store.tenants() for name in store.spaces(tenant)]


def _drop_derived(at: str | None) -> None:
    from truekeep.assembly import open_store

    with open_store(at) as store:
        store.drop_derived()
