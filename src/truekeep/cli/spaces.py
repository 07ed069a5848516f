"""`spaces`: which memories a store holds."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import InvalidInput, NotFound
from truekeep.model.shown import counted

from . import failures, options, output
from .forget import confirm
from .keyring import Kept, keyring

if TYPE_CHECKING:
    from truekeep.remote.operator import Operator

app = typer.Typer(help="The memories that a store holds: list, delete.")

Tenant = Annotated[
    str | None, typer.Option(help="Whose spaces, if not those of embedded use (`local`); on a server the key says it.")
]


@options.command(app)
def list_(call: options.OfPlace, tenant: Tenant = None) -> None:
    """List the spaces that hold something, with their sizes; with --json one a line."""
    with _ring(call, tenant) as ring:
        found = list(ring.spaces())
    if not found and not call.as_json:
        output.note('nothing is remembered yet; begin with: truekeep remember "..."')
        return
    head = ("items", "values", "bytes", "space")
    call.table(found, head, lambda space: (space.items, space.values, space.bytes, space.name))


@options.command(app)
def delete(
    call: options.OfPlace,
    name: Annotated[str, typer.Argument(help="The name of the space.", metavar="SPACE")],
    tenant: Tenant = None,
    yes: options.Yes = False,
) -> None:
    """Erase a whole space for good: its items, values and jobs, and every trace that anything was forgotten."""
    whose = f" of the tenant {tenant!r}" if tenant else ""
    with _ring(call, tenant) as ring:
        if name not in (space.name for space in ring.spaces()):
            raise NotFound(f"no space {name!r}{whose}; `truekeep spaces list` lists those that there are")
        if not yes:
            confirm(f"Delete the space {name!r}{whose} for good?")
        receipt = ring.erase_space(name)
    call.answer(receipt, f"deleted {name}, with {counted(len(receipt.erased), 'item')}")
    if receipt.remaining:
        raise typer.Exit(failures.FAILED)


def _ring(call: options.OfPlace, tenant: str | None) -> AbstractContextManager[Operator | Kept]:
    if tenant is not None and options.is_served(call.at):
        raise InvalidInput("--tenant", "goes with a store; on a server the key says whose spaces it opens")
    return keyring(call, tenant=tenant)
