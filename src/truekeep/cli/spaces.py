"""`spaces`: which memories a store holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import ConfigurationError, NotFound, wire
from truekeep.model import Receipt, SpaceId, SpaceSize

from . import failures, options, output
from .forget import confirm

if TYPE_CHECKING:
    from truekeep.ports import Store

app = typer.Typer(help="The memories that a store holds: list, delete.")

LOCAL = "local"  # the tenant of embedded use
Tenant = Annotated[str, typer.Option(help="Whose spaces; those of embedded use belong to `local`.")]


@app.command(name="list")
def list_(
    tenant: Tenant = LOCAL,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """List the spaces that hold something, with their sizes; with --json one a line."""
    from truekeep.assembly import open_store

    refuse_served(at, "spaces")
    options.refuse_missing(at)
    with open_store(at) as store:
        found = list(overview(store, tenant))
    if as_json:
        output.print_json(*found)
    else:
        rows = [(space.items, space.values, space.bytes, space.name) for space in found]
        output.print_table(("items", "values", "bytes", "space"), rows)


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="The name of the space.", metavar="SPACE")],
    tenant: Tenant = LOCAL,
    yes: options.Yes = False,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """Erase a whole space for good: its items, values and jobs, and every trace that anything was forgotten."""
    from truekeep.assembly import open_store

    refuse_served(at, "spaces")
    options.refuse_missing(at)
    with open_store(at) as store:
        if name not in store.spaces(tenant):
            raise NotFound(f"no space {name!r} of the tenant {tenant!r}")
        if not yes:
            confirm(f"Delete the space {name!r} of the tenant {tenant!r} for good?")
        erased = store.erase_space(SpaceId(tenant, name))
    receipt = Receipt(erased=tuple(erased.ids), remaining=erased.remaining, pending=erased.pending)
    output.answer(wire.receipt_record(receipt), f"deleted {name}, with {len(receipt.erased):,} items", as_json=as_json)
    if receipt.remaining:
        raise typer.Exit(failures.FAILED)


def overview(store: Store, tenant: str) -> Iterator[SpaceSize]:
    """All spaces of a tenant, a page at a time."""
    page = store.overview(tenant)
    while page:
        yield from page
        page = store.overview(tenant, after=page[-1].name)


def refuse_served(at: str | None, what: str) -> None:
    if options.is_served(at):
        raise ConfigurationError(f"{what} are managed where the store is: give --at the file, or use the server's API")
