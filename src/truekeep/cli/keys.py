"""`keys`: who may use a server, managed on the store itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truekeep import InvalidInput, Limits, NotFound

from . import options, output, words

if TYPE_CHECKING:
    from truekeep.model import AccessKey

app = typer.Typer(help="The access keys of a server: create, list, rotate, revoke, open. Works on the store itself.")

Id = Annotated[str, typer.Argument(help="The id of the key.", metavar="ID")]
Tenant = Annotated[str | None, typer.Option(help="Only the keys of this tenant.")]


@app.command()
def create(
    tenant: Annotated[str | None, typer.Option(help="Whose spaces it opens; without it, a new tenant.")] = None,
    name: Annotated[str, typer.Option(help="What it is for.")] = "key",
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", help="read, write, admin, metrics (repeat it); all but metrics without it."),
    ] = None,
    spaces: Annotated[
        list[str] | None,
        typer.Option("--spaces", metavar="PATTERN", help="Only spaces with such names, team-* (repeat it)."),
    ] = None,
    expires: Annotated[
        timedelta | None, typer.Option(parser=words.span, metavar="SPAN", help="It ends after this time: 12h, 30d.")
    ] = None,
    operator: Annotated[bool, typer.Option("--operator", help="It may make keys for any tenant.")] = False,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a key and print it, alone. It is shown this once: the store keeps only its hash."""
    from truekeep.assembly import open_store
    from truekeep.engine import access

    options.refuse_served(at, "keys")
    now = datetime.now(UTC)
    made = access.new_key(
        tenant=tenant,
        name=name,
        scopes=scope,
        spaces=spaces or (),
        operator=operator,
        expires=_after(now, expires),
        now=now,
        limits=Limits(),
    )
    secret = access.new_secret()
    with open_store(at) as store:
        store.add_access_key(made, access.digest(secret))
    _print_new(made, secret, as_json=as_json)


@app.command(name="list")
def list_(
    tenant: Tenant = None,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """List keys, oldest first; with --json one a line. What they are is not known any more, only what they may do."""
    with options.own_store(at, "keys") as store:
        found = store.access_keys(tenant)
    if as_json:
        output.print_json(*map(_record, found))
    else:
        rows = [
            (key.id, key.tenant, _may(key), key.spaces or "all", key.expires, key.last_used, key.name) for key in found
        ]
        output.print_table(("id", "tenant", "may", "spaces", "expires", "last used", "name"), rows)


@app.command()
def rotate(
    id: Id,
    tenant: Tenant = None,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """Give a key another secret and print it, alone; the former one stops working at once."""
    from truekeep.engine import access

    secret = access.new_secret()
    with options.own_store(at, "keys") as store:
        rotated = store.rotate_access_key(tenant, id, access.digest(secret))
    if rotated is None:
        raise NotFound(f"no key {id!r}")
    _print_new(rotated, secret, as_json=as_json)


@app.command()
def revoke(
    id: Id,
    tenant: Tenant = None,
    at: options.At = None,
    as_json: options.AsJson = False,
) -> None:
    """Remove a key: it stops working at once."""
    with options.own_store(at, "keys") as store:
        if not store.remove_access_key(tenant, id):
            raise NotFound(f"no key {id!r}")
        is_last = not store.has_access_keys()
    output.answer({"revoked": id}, f"revoked {id}", as_json=as_json)
    if is_last and not as_json:
        output.note("That was the last key. A server on this store still asks for one, unless 'truekeep keys open'.")


@app.command(name="open")
def open_(at: options.At = None, as_json: options.AsJson = False) -> None:
    """Let a server on loopback need no key again, once all are revoked. Everybody on the machine is let in then."""
    with options.own_store(at, "keys") as store:
        store.open_again()
    output.answer({"open": True}, "opened: no key is needed", as_json=as_json)


def _after(now: datetime, span: timedelta | None) -> datetime | None:
    try:
        return None if span is None else now + span
    except OverflowError as error:
        raise InvalidInput("--expires", "is too far away; leave it out for no end") from error


def _print_new(key: AccessKey, secret: str, *, as_json: bool) -> None:
    if as_json:
        output.print_json({**_record(key), "key": secret})
    else:
        print(secret)


def _record(key: AccessKey) -> dict[str, Any]:
    record: dict[str, Any] = output.plain(key)
    return record


def _may(key: AccessKey) -> str:
    return ", ".join([*key.scopes, *(["operator"] if key.operator else [])])
