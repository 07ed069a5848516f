"""`migrate`: a whole store, copied into another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import InvalidInput
from truekeep.model import AuditFilters, SpaceId
from truekeep.model.shown import counted

from . import failures, options, output

if TYPE_CHECKING:
    from truekeep.migrating import Migration, SpaceCopy, Tell

SHOWN = 12  # digits of a hash


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
    with open_store(source) as giving, _told() as tell:
        has_audit = any(giving.audit(tenant, AuditFilters(), limit=1).entries for tenant in giving.tenants())
        if dry_run and file is not None and not file.exists():
            target = ":memory:"  # an empty one will do to find out
        with open_store(target) as taking:
            done: Migration = copy_all(giving, taking, dry_run=dry_run, leave_tombstones=leave_tombstones, tell=tell)
    _print(done, dry_run=dry_run, as_json=call.as_json)
    if has_audit:
        output.note("the audit stays behind: who did what until now is found with 'truekeep audit' in the source alone")
    if not done.is_same:
        raise typer.Exit(failures.FAILED)


def _print(done: Migration, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.print_json(done)
        return
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
    hashes = (copy.source_hash[:SHOWN], copy.target_hash[:SHOWN])
    return (*counts, *hashes, copy.outcome, copy.space.tenant, _name(copy.space))


def _name(space: SpaceId) -> str:
    return "(of the tenant)" if space.is_hidden else space.name


@contextmanager
def _told() -> Iterator[Tell]:
    """A bar for the space that is copied."""
    with output.progress() as bars:
        task = bars.add_task("copying", total=None)

        def show(space: SpaceId, done: int, total: int) -> None:
            bars.update(
                task, description=output.one_line(f"{space.tenant}/{_name(space)}"), completed=done, total=total
            )

        yield show
