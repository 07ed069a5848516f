"""`tenants`: who shares a server, how much each holds and uses, and their end. Names and figures, never contents."""

from __future__ import annotations

from typing import Annotated

import typer

from truekeep.model import Tenant
from truekeep.model.shown import counted

from . import failures, options
from .forget import confirm
from .keyring import keyring, quotas_of

app = typer.Typer(
    help="The tenants of a server, for its operator: list, update, erase. Works on the store itself, or through the "
    "server that --at names."
)

Name = Annotated[str, typer.Argument(help="The name of the tenant.", metavar="TENANT")]


@options.command(app)
def list_(call: options.Operation) -> None:
    """List tenants with what they hold, use and may use; with --json one a line."""
    with keyring(call) as ring:
        found = list(ring.tenants())
    head = ("keys", "spaces", "items", "values", "bytes", "operations", "recalls", "writes today", "tenant")
    call.table(found, head, _row)


@options.command(app)
def update(call: options.Operation, name: Name, quota: options.Quota = None) -> None:
    """Change quotas of all keys of a tenant; those that are not given stay."""
    with keyring(call) as ring:
        changed = ring.limit_tenant(name, quotas_of(quota))
    call.answer(changed, f"changed {name}, with {changed.keys:,} keys")


@options.command(app)
def erase(call: options.Operation, name: Name, yes: options.Yes = False) -> None:
    """Erase a tenant for good: its keys first, then all of its spaces, and its usage. Prints the receipt."""
    if not yes:
        confirm(f"Erase the tenant {name!r}, with all that it remembers, for good?")
    with keyring(call) as ring:
        receipt = ring.erase_tenant(name)
    spaces = f"{counted(receipt.spaces, 'space')} with {counted(receipt.items, 'item')}"
    told = f"erased {name}: {counted(receipt.keys, 'key')}, {spaces}"
    call.answer(receipt, f"{told}; {receipt.remaining:,} remain")
    if receipt.remaining:
        raise typer.Exit(failures.FAILED)


def _row(one: Tenant) -> tuple[object, ...]:
    items = _of(one.items, one.quotas.memories)
    operations = _of(one.operations, one.quotas.operations_per_month)
    recalls = _of(one.recalls, one.quotas.recalls_per_month)
    return one.keys, one.spaces, items, one.values, one.bytes, operations, recalls, one.writes, one.name


def _of(used: int, limit: int | None) -> str:
    return f"{used:,}" if limit is None else f"{used:,} of {limit:,}"
