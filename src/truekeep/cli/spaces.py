"""`spaces`: which memories a store holds."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from truekeep import InvalidInput, NotFound
from truekeep.model import Receipt, SpaceId, SpaceSize
from truekeep.model.shown import counted

from . import failures, options, output
from .forget import confirm

app = typer.Typer(help="The memories that a store holds: list, delete.")

LOCAL = "local"  # the tenant of embedded use
Tenant = Annotated[
    str | None, typer.Option(help="Whose spaces, if not those of embedded use (`local`); on a server the key says it.")
]


@options.command(app)
def list_(call: options.OfPlace, tenant: Tenant = None) -> None:
    """List the spaces that hold something, with their sizes; with --json one a line."""
    found = _found(call, tenant)
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
    if name not in (space.name for space in _found(call, tenant)):
        raise NotFound(f"no space {name!r}{whose}; `truekeep spaces list` lists those that there are")
    if not yes:
        confirm(f"Delete the space {name!r}{whose} for good?")
    receipt = _erased(call, name, tenant)
    call.answer(receipt, f"deleted {name}, with {counted(len(receipt.erased), 'item')}")
    if receipt.remaining:
        raise typer.Exit(failures.FAILED)


def _found(call: options.OfPlace, tenant: str | None) -> list[SpaceSize]:
    if options.is_served(call.at):
        from truekeep.remote import Remote

        if tenant is not None:
            raise InvalidInput("--tenant", "goes with a store; on a server the key says whose spaces it opens")
        with closing(Remote("default", at=str(call.at), key=call.key)) as server:
            return list(server.spaces())
    from truekeep.assembly import open_store
    from truekeep.engine.tenants import overview

    options.refuse_missing(call.at)
    with open_store(call.at) as store:
        return list(overview(store, tenant or LOCAL))


def _erased(call: options.OfPlace, name: str, tenant: str | None) -> Receipt:
    if options.is_served(call.at):
        with call.opened(name) as memory:
            return memory.forget(everything=True)
    from truekeep.assembly import open_store

    with open_store(call.at) as store:
        erased = store.erase_space(SpaceId(tenant or LOCAL, name))
    return Receipt(erased=tuple(erased.ids), remaining=erased.remaining, pending=erased.pending)
