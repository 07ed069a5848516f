"""`tenants`: who shares a server, how much each holds and uses, and their end. Names and figures, never contents."""

from __future__ import annotations

from typing import Annotated

import typer

from truekeep.model.shown import counted

from . import failures, options, output
from .forget import confirm
from .keyring import keyring, quotas_of

app = typer.Typer(
    help="The tenants of a server, for its operator: list, update, erase. Works on the store itself, or through the "
    "server that --at names."
)

Name = Annotated[str, typer.Argument(help="The name of the tenant.", metavar="TENANT")]


@options.command(app, "list")
def list_(
    call: options.Operation,
) -> None:
    """List tenants with what they hold, use and may use; with --json one a line."""
    with keyring(call) as ring:
        found = list(ring.tenants())
    if call.as_json:
        output.print_json(*found)
        return
    head = ("keys", "spaces", "items", "values", "bytes", "operations", "recalls", "writes today", "tenant")
    rows = [
        (
            *(one.keys, one.spaces, _of(one.items, one.quotas.memories), one.values, one.bytes),
            _of(one.operations, one.quotas.operations_per_month),
            _of(one.recalls, one.quotas.recalls_per_month),
            *(one.writes, one.name),
        )
        for one in found
    ]
    output.print_table(head, rows)


@options.command(app)
def update(
    call: options.Operation,
    name: Name,
    quota: options.Quota = None,
) -> None:
    """Change quotas of all keys of a tenant; those that are not given stay."""
    with keyring(call) as ring:
        changed = ring.limit(name, quotas_of(quota))
    output.answer(output.plain(changed), f"changed {name}, with {changed.keys:,} keys", as_json=call.as_json)


@options.command(app)
def erase(
    call: options.Operation,
    name: Name,
    yes: options.Yes = False,
) -> None:
    """Erase a tenant for good: its keys first, then all of its spaces, and its usage. Prints the receipt."""
    if not yes:
        confirm(f"Erase the tenant {name!r}, with all that it remembers, for good?")
    with keyring(call) as ring:
        receipt = ring.erase(name)
    spaces = f"{counted(receipt.spaces, 'space')} with {counted(receipt.items, 'item')}"
    told = f"erased {name}: {counted(receipt.keys, 'key')}, {spaces}"
    output.answer(output.plain(receipt), f"{told}; {receipt.remaining:,} remain", as_json=call.as_json)
    if receipt.remaining:
        raise typer.Exit(failures.FAILED)


def _of(used: int, limit: int | None) -> str:
    return f"{used:,}" if limit is None else f"{used:,} of {limit:,}"
