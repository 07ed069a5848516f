"""`keys`: who may use a server, managed on the store itself or through the server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from truekeep import InvalidInput, NotFound
from truekeep.model import AccessKey

from . import options, output, words
from .keyring import Kept, keyring, quotas_of

if TYPE_CHECKING:
    from truekeep.remote.operator import Operator

app = typer.Typer(
    help="The access keys of a server: create, list, update, rotate, revoke, open. Works on the store itself, or "
    "through the server that --at names."
)

Id = Annotated[str, typer.Argument(help="The id of the key.", metavar="ID")]
Tenant = Annotated[str | None, typer.Option(help="Only the keys of this tenant.")]
Scopes = Annotated[
    list[str] | None,
    typer.Option("--scope", help="read, write, admin, metrics (repeat it); all but metrics without it."),
]
Spaces = Annotated[
    list[str] | None,
    typer.Option("--spaces", metavar="PATTERN", help="Only spaces with such names, team-* (repeat it)."),
]
Expires = Annotated[
    timedelta | None, typer.Option(parser=words.span, metavar="SPAN", help="It ends after this time: 12h, 30d.")
]


@options.command(app)
def create(
    call: options.Operation,
    tenant: Annotated[str | None, typer.Option(help="Whose spaces it opens; without it, a new tenant.")] = None,
    name: Annotated[str, typer.Option(help="What it is for.")] = "key",
    scope: Scopes = None,
    spaces: Spaces = None,
    expires: Expires = None,
    quota: options.Quota = None,
    operator: Annotated[
        bool, typer.Option("--operator", help="It may make keys for any tenant; on the store itself only.")
    ] = False,
) -> None:
    """Make a key and print it, alone. It is shown this once: the store keeps only its hash."""
    if operator and options.is_served(call.at):
        raise InvalidInput("--operator", "is for those who have the store: give --at the file or the database")
    wish = options.given(tenant=tenant, scopes=scope, spaces=spaces, operator=operator, expires=_after(expires))
    with keyring(call, new=True) as ring:
        made = ring.make_key({"name": name, **wish, "quotas": quotas_of(quota)})
    call.secret(made, "key")


@options.command(app)
def list_(call: options.Operation, tenant: Tenant = None) -> None:
    """List keys, oldest first; with --json one a line. What they are is not known any more, only what they may do."""
    with keyring(call) as ring:
        found = _of(tenant, ring)
    call.table(found, ("id", "tenant", "may", "spaces", "expires", "last used", "name"), _row)


@options.command(app)
def update(
    call: options.Operation,
    id: Id,
    name: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    scope: Scopes = None,
    spaces: Spaces = None,
    expires: Expires = None,
    quota: options.Quota = None,
) -> None:
    """Change what a key may do; what is not given stays. The next request is held to it."""
    changes = options.given(name=name, scopes=scope, spaces=spaces, expires=_after(expires))
    changes |= {"quotas": quotas_of(quota)} if quota else {}
    if not changes:
        raise InvalidInput("update", "says nothing; give --quota, --name, --scope, --spaces or --expires")
    with keyring(call) as ring:
        changed = ring.update_key(id, changes)
    call.answer(changed, f"changed {id}")


@options.command(app)
def rotate(
    call: options.Operation,
    id: Id,
    grace: Annotated[
        timedelta | None,
        typer.Option(parser=words.span, metavar="SPAN", help="So long the former secret works, too: 1h."),
    ] = None,
    tenant: Tenant = None,
) -> None:
    """Give a key another secret and print it, alone; without --grace the former one stops working at once."""
    with keyring(call) as ring:
        _refuse_other(ring, id, tenant)
        rotated = ring.rotate_key(id, (grace or timedelta()).total_seconds())
    call.secret(rotated, "key")


@options.command(app)
def revoke(call: options.Operation, id: Id, tenant: Tenant = None) -> None:
    """Remove a key: it stops working at once."""
    with keyring(call) as ring:
        _refuse_other(ring, id, tenant)
        ring.revoke_key(id)
        is_last = isinstance(ring, Kept) and not ring.store.has_access_keys()
    call.answer({"revoked": id}, f"revoked {id}")
    if is_last and not call.as_json:
        output.note("That was the last key. A server on this store still asks for one, unless 'truekeep keys open'.")


@options.command(app)
def open_(call: options.OfStore) -> None:
    """Let a server on loopback need no key again, once all are revoked. Everybody on the machine is let in then."""
    with options.own_store(call.at, "keys") as store:
        store.open_again()
    call.answer({"open": True}, "opened: no key is needed")


def _of(tenant: str | None, ring: Operator | Kept) -> list[AccessKey]:
    """The keys of a tenant, or all."""
    return [key for key in ring.access_keys() if tenant in (None, key.tenant)]


def _refuse_other(ring: Operator | Kept, id: str, tenant: str | None) -> None:
    if tenant is not None and id not in (key.id for key in _of(tenant, ring)):
        raise NotFound(f"no key {id!r} of the tenant {tenant!r}")


def _after(span: timedelta | None) -> str | None:
    try:
        return None if span is None else (datetime.now(UTC) + span).isoformat()
    except OverflowError as error:
        raise InvalidInput("--expires", "is too far away; leave it out for no end") from error


def _row(key: AccessKey) -> tuple[object, ...]:
    may = [*key.scopes, *(["operator"] if key.operator else [])]
    return key.id, key.tenant, may, key.spaces or "all", key.expires, key.last_used, key.name
