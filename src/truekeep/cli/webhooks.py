"""`webhooks`: addresses that a server tells of changes, and what became of that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truekeep import ConfigurationError, Limits
from truekeep.model import Delivery, Webhook

from . import failures, options, output
from .keyring import place_of
from .keys import Spaces

if TYPE_CHECKING:
    from truekeep.engine.webhooks import Webhooks
    from truekeep.remote.operator import Operator

app = typer.Typer(
    help="Addresses that a server tells of changes: add, list, drop, test, dead, retry. Works through the server that "
    "--at names; but for test also on the store itself."
)

Id = Annotated[str, typer.Argument(help="The id of the webhook.", metavar="ID")]
Tenant = Annotated[str, typer.Option(help="Whose, on the store itself; through a server it follows from the key.")]


@options.command(app)
def add(
    call: options.Operation,
    url: Annotated[str, typer.Argument(help="Where to send it: https://example.org/hook.", metavar="URL")],
    spaces: Spaces = None,
    secret: Annotated[
        str | None, typer.Option(metavar="SECRET", help="What signs deliveries, whsec_...; without it one is made.")
    ] = None,
    from_start: Annotated[bool, typer.Option("--from-start", help="Tell what there is already, too.")] = False,
    tenant: Tenant = "local",
) -> None:
    """Let an address be told of changes, and print the secret that signs deliveries, alone. It is shown this once."""
    wish = {"url": url, **options.given(spaces=spaces, secret=secret, from_start=from_start)}
    with _opened(call, tenant) as webhooks:
        made = webhooks.add_webhook(wish)
    if call.as_json:
        output.print_json(made)
    else:
        print(made["secret"])


@options.command(app, "list")
def list_(
    call: options.Operation,
    tenant: Tenant = "local",
) -> None:
    """List webhooks with how many spaces they are behind, what they took and what failed."""
    with _opened(call, tenant) as webhooks:
        found = webhooks.webhooks()
    if call.as_json:
        output.print_json(*found)
        return
    head = ("id", "state", "behind", "delivered", "failed", "dead", "last taken", "next try", "error", "url")
    rows = [
        (one.id, one.state, one.behind, one.delivered, one.failed, one.dead, one.last, one.due, one.error, one.url)
        for one in found
    ]
    output.print_table(head, rows)


@options.command(app)
def drop(
    call: options.Operation,
    id: Id,
    tenant: Tenant = "local",
) -> None:
    """Tell an address nothing any more."""
    with _opened(call, tenant) as webhooks:
        webhooks.drop_webhook(id)
    output.answer({"dropped": id}, f"dropped {id}", as_json=call.as_json)


@app.command(name="test")
def try_out(id: Id, at: options.At = None, key: options.Key = None, as_json: options.AsJson = False) -> None:
    """Send a delivery without events, once, and tell whether it was taken."""
    with _opened(options.Operation(None, at, key, as_json)) as webhooks:
        tried = webhooks.test_webhook(id)
    output.answer(tried, "taken" if tried["taken"] else f"not taken: {tried['error']}", as_json=as_json)
    if not tried["taken"]:
        raise typer.Exit(failures.FAILED)


@options.command(app)
def dead(
    call: options.Operation,
    id: Id,
    tenant: Tenant = "local",
) -> None:
    """List the deliveries that were given up: where they stand in the feed, the oldest first."""
    with _opened(call, tenant) as webhooks:
        found = webhooks.dead_deliveries(id)
    if call.as_json:
        output.print_json(*found)
    else:
        rows = [(one.id, one.began, one.attempts, one.events, one.error, list(one.upto)) for one in found]
        output.print_table(("id", "began", "attempts", "events", "error", "spaces"), rows)


@options.command(app)
def retry(
    call: options.Operation,
    id: Id,
    deliveries: Annotated[
        list[str] | None, typer.Argument(help="Only these of what was given up.", metavar="DELIVERY")
    ] = None,
    tenant: Tenant = "local",
) -> None:
    """Send again what was given up, and at once what waits; a webhook that was stopped goes on."""
    with _opened(call, tenant) as webhooks:
        retried = webhooks.retry_webhook(id, deliveries or None)
    output.answer({"retried": retried}, f"{retried:,} are sent again", as_json=call.as_json)


@dataclass(frozen=True, slots=True)
class _Kept:
    """On the store itself: all but what only the server can do that sends."""

    kept: Webhooks
    config: Path | None

    def add_webhook(self, wish: dict[str, Any]) -> dict[str, Any]:
        """Where the settings are known, they are heeded here; a server heeds its own whenever it sends."""
        if self.config is not None:
            from truekeep.server.receivers import Receivers
            from truekeep.server.settings import load

            Receivers(load(self.config).webhooks).admit(wish["url"])
        made, secret = self.kept.add(**wish, now=datetime.now(UTC), limits=Limits())
        return {**output.plain(made), "secret": secret}

    def test_webhook(self, id: str) -> dict[str, Any]:
        raise ConfigurationError(
            f"only the server that sends can try it out; set TRUEKEEP_KEY to a key of the tenant, and ask that server: "
            f"truekeep webhooks test {id} --at http://127.0.0.1:8420, or wherever it is"
        )

    def webhooks(self) -> list[Webhook]:
        return self.kept.listed(datetime.now(UTC))

    def drop_webhook(self, id: str) -> None:
        self.kept.drop(id, now=datetime.now(UTC))

    def dead_deliveries(self, id: str) -> list[Delivery]:
        return list(self.kept.dead(id, now=datetime.now(UTC)))

    def retry_webhook(self, id: str, deliveries: list[str] | None) -> int:
        return self.kept.retry(id, deliveries, now=datetime.now(UTC))


@contextmanager
def _opened(call: options.Operation, tenant: str = "local") -> Iterator[Operator | _Kept]:
    """Those of the key's tenant, at the server of this address; or those of a tenant in a store."""
    place = place_of(call)
    if options.is_served(place):
        from truekeep.remote.operator import Operator

        with closing(Operator(at=str(place), key=call.key)) as operator:
            yield operator
        return
    from truekeep.assembly import open_store
    from truekeep.engine.webhooks import Webhooks

    options.refuse_missing(place)
    with open_store(place) as store:
        yield _Kept(Webhooks(store, tenant), call.config)
