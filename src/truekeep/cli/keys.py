"""`keys`: who may use a server, managed on the store itself or through the server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from truekeep import InvalidInput, NotFound
from truekeep.model import AccessKey

from . import options, output, words
from .keyring import Keyring, keyring, quotas_of

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
        made = ring.make({"name": name, **wish, "quotas": quotas_of(quota)})
    _print_new(made, as_json=call.as_json)


@options.command(app, "list")
def list_(
    call: options.Operation,
    tenant: Tenant = None,
) -> None:
    """List keys, oldest first; with --json one a line. What they are is not known any more, only what they may do."""
    with keyring(call) as ring:
        found = ring.listed(tenant)
    if call.as_json:
        output.print_json(*found)
    else:
        rows = [(one.id, one.tenant, _may(one), one.spaces or "all", *_times(one), one.name) for one in found]
        output.print_table(("id", "tenant", "may", "spaces", "expires", "last used", "name"), rows)


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
        changed = ring.update(id, changes)
    output.answer(output.plain(changed), f"changed {id}", as_json=call.as_json)


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
        rotated = ring.rotate(id, grace or timedelta())
    _print_new(rotated, as_json=call.as_json)


@options.command(app)
def revoke(
    call: options.Operation,
    id: Id,
    tenant: Tenant = None,
) -> None:
    """Remove a key: it stops working at once."""
    with keyring(call) as ring:
        _refuse_other(ring, id, tenant)
        is_last = ring.revoke(id)
    output.answer({"revoked": id}, f"revoked {id}", as_json=call.as_json)
    if is_last and not call.as_json:
        output.note("That was the last key. A server on this store still asks for one, unless 'truekeep keys open'.")


@app.command(name="open")
def open_(at: options.At = None, as_json: options.AsJson = False) -> None:
    """Let a server on loopback need no key again, once all are revoked. Everybody on the machine is let in then."""
    with options.own_store(at, "keys") as store:
        store.open_again()
    output.answer({"open": True}, "opened: no key is needed", as_json=as_json)


def _refuse_other(ring: Keyring, id: str, tenant: str | None) -> None:
    if tenant is not None and id not in (key.id for key in ring.listed(tenant)):
        raise NotFound(f"no key {id!r} of the tenant {tenant!r}")


def _after(span: timedelta | None) -> datetime | None:
    try:
        return None if span is None else datetime.now(UTC) + span
    except OverflowError as error:
        raise InvalidInput("--expires", "is too far away; leave it out for no end") from error


def _print_new(made: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        output.print_json(made)
    else:
        print(made["key"])


def _may(key: AccessKey) -> str:
    return ", ".join([*key.scopes, *(["operator"] if key.operator else [])])


def _times(key: AccessKey) -> tuple[datetime | None, datetime | None]:
    return key.expires, key.last_used
