"""`tenants`, `spaces`, `audit`: who shares a store, how much each holds, who did what. Figures and ids, never texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import InvalidInput, NotFound
from truekeep.model import AuditEntry, AuditFilters, AuditPage, Tenant
from truekeep.model.shown import counted

from . import options, output, words
from .keyring import Kept, keyring, quotas_of

if TYPE_CHECKING:
    from truekeep.remote.operator import Operator

_PAGE = 1_000  # entries of the audit that are asked for at once
_SHOWN = 5  # ids of an entry, where nobody asks for one request

tenants = typer.Typer(
    help="The tenants of a server, for its operator: list, update, erase. Works on the store itself, or through the "
    "server that --at names."
)

spaces = typer.Typer(help="The memories that a store holds: list, delete.")

Name = Annotated[str, typer.Argument(help="The name of the tenant.", metavar="TENANT")]
Whose = Annotated[
    str | None, typer.Option(help="Whose spaces, if not those of embedded use (`local`); on a server the key says it.")
]


@options.command(tenants, "list")
def list_tenants(call: options.Operation) -> None:
    """List tenants with what they hold, use and may use; with --json one a line."""
    with keyring(call) as ring:
        found = list(ring.tenants())
    head = ("keys", "spaces", "items", "values", "bytes", "operations", "recalls", "writes today", "tenant")
    call.table(found, head, _figures)


@options.command(tenants)
def update(call: options.Operation, name: Name, quota: options.Quota = None) -> None:
    """Change quotas of all keys of a tenant; those that are not given stay."""
    with keyring(call) as ring:
        changed = ring.limit_tenant(name, quotas_of(quota))
    call.answer(changed, f"changed {name}, with {changed.keys:,} keys")


@options.command(tenants)
def erase(call: options.Operation, name: Name, yes: options.Yes = False) -> None:
    """Erase a tenant for good: its keys first, then all of its spaces, and its usage. Prints the receipt."""
    if not yes:
        output.confirm(f"Erase the tenant {name!r}, with all that it remembers, for good?")
    with keyring(call) as ring:
        receipt = ring.erase_tenant(name)
    held = f"{counted(receipt.spaces, 'space')} with {counted(receipt.items, 'item')}"
    told = f"erased {name}: {counted(receipt.keys, 'key')}, {held}"
    call.answer(receipt, f"{told}; {receipt.remaining:,} remain")
    if receipt.remaining:
        raise typer.Exit(output.FAILED)


def _figures(one: Tenant) -> tuple[object, ...]:
    items = _of(one.items, one.quotas.memories)
    operations = _of(one.operations, one.quotas.operations_per_month)
    recalls = _of(one.recalls, one.quotas.recalls_per_month)
    return one.keys, one.spaces, items, one.values, one.bytes, operations, recalls, one.writes, one.name


def _of(used: int, limit: int | None) -> str:
    return f"{used:,}" if limit is None else f"{used:,} of {limit:,}"


@options.command(spaces, "list")
def list_spaces(call: options.OfPlace, tenant: Whose = None) -> None:
    """List the spaces that hold something, with their sizes; with --json one a line."""
    with _ring(call, tenant) as ring:
        found = list(ring.spaces())
    if not found and not call.as_json:
        output.note('nothing is remembered yet; begin with: truekeep remember "..."')
        return
    head = ("items", "values", "bytes", "space")
    call.table(found, head, lambda space: (space.items, space.values, space.bytes, space.name))


@options.command(spaces)
def delete(
    call: options.OfPlace,
    name: Annotated[str, typer.Argument(help="The name of the space.", metavar="SPACE")],
    tenant: Whose = None,
    yes: options.Yes = False,
) -> None:
    """Erase a whole space for good: its items, values and jobs, and every trace that anything was forgotten."""
    whose = f" of the tenant {tenant!r}" if tenant else ""
    with _ring(call, tenant) as ring:
        if name not in (space.name for space in ring.spaces()):
            raise NotFound(f"no space {name!r}{whose}; `truekeep spaces list` lists those that there are")
        if not yes:
            output.confirm(f"Delete the space {name!r}{whose} for good?")
        receipt = ring.erase_space(name)
    call.answer(receipt, f"deleted {name}, with {counted(len(receipt.erased), 'item')}")
    if receipt.remaining:
        raise typer.Exit(output.FAILED)


def _ring(call: options.OfPlace, tenant: str | None) -> AbstractContextManager[Operator | Kept]:
    if tenant is not None and options.is_served(call.at):
        raise InvalidInput("--tenant", "goes with a store; on a server the key says whose spaces it opens")
    return keyring(call, tenant=tenant)


def audit(
    call: options.Operation,
    item: Annotated[
        str | None, typer.Argument(help="Only what was done with this memory: who wrote it?", metavar="ID")
    ] = None,
    request: Annotated[
        str | None, typer.Option(help="Only this request, by the X-Request-Id of its answer: what was told?")
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="KEY-ID", help="Only what the key of this id did.")] = None,
    space: Annotated[str | None, typer.Option("--space", "-s", help="Only in this space, also an erased one.")] = None,
    verb: Annotated[str | None, typer.Option(help="Only such: remember, recall, forget, export, ...")] = None,
    since: Annotated[
        datetime | None, typer.Option(parser=words.moment, metavar="TIME", help="Then or later: 2026-01-31, or 7d.")
    ] = None,
    until: Annotated[datetime | None, typer.Option(parser=words.moment, metavar="TIME", help="Before then.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the latest.")] = 100,
    tenant: Annotated[
        str | None, typer.Option(help="Whose; without it that of the key, or on a store `local`.")
    ] = None,
) -> None:
    """Tell which key wrote, changed, erased, exported or was told which memories, the latest first.

    Works on the store of a server, or through the server that --at names; with --json one entry a line.
    """
    sought = AuditFilters(item=item, key=by, request=request, space=space, verb=verb, since=since, until=until)
    with keyring(call) as ring:
        found = list(_latest(partial(ring.audit, tenant, sought), limit))
        names = {} if call.as_json or not found else {one.id: one.name for one in ring.access_keys()}
    head = ("when", "verb", "outcome", "space", "key", "its name", "request", "ids")
    ids = None if request else _SHOWN
    call.table(found, head, lambda one: _row(one, names.get(one.key, ""), ids))


def _latest(page: Callable[..., AuditPage], limit: int) -> Iterator[AuditEntry]:
    """So many entries of a list that comes in pages."""
    cursor, left = None, limit
    while left > 0:
        found = page(cursor=cursor, limit=min(left, _PAGE))
        yield from found.entries
        cursor, left = found.cursor, left - len(found.entries)
        if cursor is None:
            break


def _row(entry: AuditEntry, name: str, shown: int | None) -> tuple[object, ...]:
    ids = list(entry.ids[:shown])
    more = len(entry.ids) - len(ids)
    when = f"{entry.at.astimezone():%Y-%m-%d %H:%M:%S}"
    told = [*ids, *([f"and {more:,} more"] if more else [])]
    return when, entry.verb, entry.outcome, entry.space, entry.key, name, entry.request, told
