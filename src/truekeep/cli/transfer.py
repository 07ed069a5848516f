"""`import`, `export`, `backup`, `migrate`: whole spaces and whole stores, in and out."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from truekeep import InvalidInput, Memory, StoreError, importers
from truekeep.model import AuditFilters, SpaceId
from truekeep.model.shown import counted

from . import imports, options, output, words

if TYPE_CHECKING:
    from rich.progress import Progress

    from truekeep.migrating import Migration, SpaceCopy

_OWN = "truekeep"
_DIGITS = 12  # of a hash, that are shown


def import_(
    call: options.Call,
    file: Annotated[Path, typer.Argument(help="A file or, with --from, a folder; - is stdin.", metavar="PATH")],
    format: Annotated[
        str, typer.Option("--from", metavar="FORMAT", help=f"What it is: {', '.join((_OWN, *importers.FORMATS))}.")
    ] = _OWN,
    source: Annotated[
        str | None,
        typer.Option(help="With --from: the source that all of it gets. Else: import: and the file's name."),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="OURS=THEIRS", help="With --from: where a field is, content=body; repeat it."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --from: show what would come in.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="With --from: stop at the first bad record.")] = False,
) -> None:
    """Restore an export into a space: all of it, or nothing if a line is malformed.

    It can be repeated: what is here already and at least as new stays. What was forgotten here does not come back.

    With --from it takes what other programs keep, in batches; what is wrong with a record is told, and the exit code is
    1 then. That can be repeated, too, also after it was interrupted: nothing comes in twice.
    """
    if format != _OWN:
        records = importers.read(format, file, source=source, map=imports.names(names))
        if dry_run:
            imports.look(call, records, strict=strict)
            return
        with call.memory() as memory:
            imports.bring(call, records, memory, _finisher(call.at), strict=strict)
        return
    if source is not None or names or dry_run or strict:
        raise InvalidInput("--from", "is missing: --source, --map, --dry-run and --strict are not for our own exports")
    lines = words.file_text(file, "FILE").split("\n")
    with call.memory() as memory, output.progress() as bars:
        restoring = bars.add_task("restoring", total=None)
        restored = memory.import_(lines)
        bars.update(restoring, total=len(lines), completed=len(lines))
        _finisher(call.at)(memory, bars)
    counts = ", ".join(f"{count:,} {name}" for name, count in output.plain(restored).items())
    call.answer(restored, f"imported {counts}")


def _finisher(at: str | None) -> Callable[[Memory, Progress], None]:
    """What is left to do afterwards; a server does it in its own time."""
    return (lambda memory, bars: None) if options.is_served(at) else make_vectors


def make_vectors(memory: Memory, bars: Progress) -> None:
    """Finish what a memory would do in the background; whoever interrupts it loses nothing."""
    total = left = memory.stats().pending
    task = bars.add_task("making vectors", total=total, visible=total > 0)
    while left and not memory.flush(limit=1):
        before, left = left, memory.stats().pending
        bars.update(task, completed=total - left)
        if left >= before:  # the embedder fails: a later process tries again
            return


def export(
    call: options.Call,
    file: Annotated[Path, typer.Argument(help="Written as a whole or not at all; - is stdout.", metavar="FILE")],
) -> None:
    """Write a whole space as lines of JSON."""
    to_stdout = str(file) == "-"
    options.refuse_missing(call.at)
    with call.memory() as memory, output.progress() as bars:
        task = bars.add_task("exporting", total=memory.stats().items)
        with _stdout() if to_stdout else written_whole(file) as target:
            count = 0
            for line in memory.export():
                target.write(line)
                count += 1
                bars.update(task, completed=count)
    if not to_stdout:
        told = f"exported {counted(count, 'line')} to {file}"
        call.answer({"file": str(file), "lines": count}, told)


def backup(
    call: options.OfPlace,
    target: Annotated[Path, typer.Argument(help="A new file; it must not exist yet.", metavar="FILE")],
) -> None:
    """Copy the whole store, all its spaces, into one new file, while others read and write."""
    options.refuse_missing(call.at)
    with call.opened() as memory, output.progress() as bars:
        bars.add_task("copying", total=None)
        memory.backup(target)
    size = target.stat().st_size
    call.answer({"file": str(target), "bytes": size}, f"wrote {size:,} bytes to {target}")


@contextmanager
def _stdout() -> Iterator[IO[str]]:
    yield sys.stdout


@contextmanager
def written_whole(path: Path) -> Iterator[IO[str]]:
    """A file that takes the place of `path` when it is complete; only its owner may read it."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InvalidInput("FILE", f"cannot write to {path.parent}: {error.strerror}") from error
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def migrate(
    call: options.Answering,
    source: Annotated[
        str, typer.Option("--from", metavar="PLACE", help="The store to copy: a file, or postgresql://...")
    ],
    target: Annotated[str, typer.Option("--to", metavar="PLACE", help="The store to copy into, made if need be.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be copied, and copy nothing.")] = False,
    leave_tombstones: Annotated[
        bool,
        typer.Option(
            "--leave-tombstones",
            help="Into a store that is in use: what was forgotten in the source may be learned again there.",
        ),
    ] = False,
) -> None:
    """Copy a whole store into another, with every tenant, space, key and count, and compare the two.

    The source is only read, in the state in which it is now. An interrupted copy goes on when it is run again. The
    code is 1 if the two differ, and 4, before anything is written, if the target holds something else.
    """
    from truekeep.assembly import file_of, open_store
    from truekeep.migrating import migrate as copy_all

    for place in (source, target):
        options.refuse_served(place, "stores")
    options.refuse_missing(source)
    if (file_of(source) is not None and file_of(source) == file_of(target)) or source == target:
        raise InvalidInput("--to", "is the same store as --from")
    file = file_of(target)
    with open_store(source) as giving, output.progress() as bars:
        has_audit = any(giving.audit(tenant, AuditFilters(), limit=1).entries for tenant in giving.tenants())
        if dry_run and file is not None and not file.exists():
            target = ":memory:"  # an empty one will do to find out
        task = bars.add_task("copying", total=None)

        def tell(space: SpaceId, done: int, total: int) -> None:
            named = output.one_line(f"{space.tenant}/{_name(space)}")
            bars.update(task, description=named, completed=done, total=total)

        with open_store(target) as taking:
            done = copy_all(giving, taking, dry_run=dry_run, leave_tombstones=leave_tombstones, tell=tell)
    call.tell(done, partial(_print, dry_run=dry_run))
    if has_audit:
        output.note("the audit stays behind: who did what until now is found with 'truekeep audit' in the source alone")
    if not done.is_same:
        raise typer.Exit(output.FAILED)


def _print(done: Migration, *, dry_run: bool) -> None:
    heads = ("items", "versions", "values", "vectors", "jobs", "source", "target", "", "tenant", "space")
    output.print_table(heads, map(_row, done.spaces))
    counts = f"{counted(done.keys, 'access key')}, {counted(done.usage, 'count')} of usage"
    kept = f"{counted(len(done.spaces), 'space')}, {counts}"
    if done.left:
        output.note(f"{done.left:,} tombstones {'would stay' if dry_run else 'stayed'} behind")
    if dry_run:
        output.say(f"would copy {kept}")
    elif done.is_same:
        output.say(f"copied {kept}; both sides are the same")
    else:
        output.say(f"copied {kept}; the target DIFFERS from the source")


def _row(copy: SpaceCopy) -> tuple[object, ...]:
    counts = [copy.rows[table] for table in ("items", "versions", "kept_values", "vectors", "jobs")]
    hashes = (copy.source_hash[:_DIGITS], copy.target_hash[:_DIGITS])
    return (*counts, *hashes, copy.outcome, copy.space.tenant, _name(copy.space))


def _name(space: SpaceId) -> str:
    return "(of the tenant)" if space.is_hidden else space.name
