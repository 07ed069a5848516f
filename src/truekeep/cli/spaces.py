"""`spaces`: which memories a store holds."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from truekeep import InvalidInput, NotFound, wire
from truekeep.model import Receipt, SpaceId, SpaceSize
from truekeep.model.shown import counted

from . import failures, options, output
from .forget import confirm

app = typer.Typer(help="The memories that a store holds: list, delete.")

LOCAL = "local"  # the tenant of embedded use
Tenant = Annotated[
    str | None, typer.Option(help="Whose spaces, if not those of embedded use (`local`); on a server the key says it.")
]


@app.command(name="list")
def list_(
    tenant: Tenant = None,
    at: options.At = None,
    key: options.Key = None,
    as_json: options.AsJson = False,
) -> None:
    """List the spaces that hold something, with their sizes; with --json one a line."""
    found = _found(tenant, at, key)
    if as_json:
        output.print_json(*found)
    elif not found:
        output.note('nothing is remembered yet; begin with: truekeep remember "..."')
    else:
        rows = [(space.items, space.values, space.bytes, space.name) for space in found]
        output.print_table(("items", "values", "bytes", "space"), rows)


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="The name of the space.", metavar="SPACE")],
    tenant: Tenant = None,
    yes: options.Yes = False,
    at: options.At = None,
    key: options.Key = None,
    as_json: options.AsJson = False,
) -> None:
    """Erase a whole space for good: its items, values and jobs, and every trace that anything was forgotten."""
    whose = f" of the tenant {tenant!r}" if tenant else ""
    if name not in (space.name for space in _found(tenant, at, key)):
        raise NotFound(f"no space {name!r}{whose}; `truekeep spaces list` lists those that there are")
    if not yes:
        confirm(f"Delete the space {name!r}{whose} for good?")
    receipt = _erased(name, tenant, at, key)
    output.answer(wire.record(receipt), f"deleted {name}, with {counted(len(receipt.erased), 'item')}", as_json=as_json)
    if receipt.remaining:
        raise typer.Exit(failures.FAILED)


def _found(tenant: str | None, at: str | None, key: str | None) -> list[SpaceSize]:
    if options.is_served(at):
        from truekeep.remote import Remote

        if tenant is not None:
            raise InvalidInput("--tenant", "goes with a store; on a server the key says whose spaces it opens")
        with closing(Remote("default", at=str(at), key=key)) as server:
            return list(server.spaces())
    from truekeep.assembly import open_store
    from truekeep.engine.tenants import overview

    options.refuse_missing(at)
    with open_store(at) as store:
        return list(overview(store, tenant or LOCAL))


def _erased(name: str, tenant: str | None, at: str | None, key: str | None) -> Receipt:
    if options.is_served(at):
        with options.open_memory(name, at, key) as memory:
            return memory.forget(everything=True)
    from truekeep.assembly import open_store

    with open_store(at) as store:
        erased = store.erase_space(SpaceId(tenant or LOCAL, name))
    return Receipt(erased=tuple(erased.ids), remaining=erased.remaining, pending=erased.pending)
