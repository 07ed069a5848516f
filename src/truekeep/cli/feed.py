"""`feed`: what changes in all memories, for programs that follow. `webhooks`: addresses that a server tells of it."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Annotated

import typer

from truekeep import FeedEvent, InvalidInput, Memory
from truekeep.model import Webhook

from . import options, output
from .keyring import keyring
from .keys import Spaces

_WAIT = timedelta(seconds=30)  # for a change, at a time

webhooks = typer.Typer(
    help="Addresses that a server tells of changes: add, list, drop, test, dead, retry. Works through the server that "
    "--at names; but for test also on the store itself."
)

Id = Annotated[str, typer.Argument(help="The id of the webhook.", metavar="ID")]
Tenant = Annotated[str, typer.Option(help="Whose, on the store itself; through a server it follows from the key.")]


def feed(
    call: options.OfPlace,
    reader: Annotated[
        str | None, typer.Argument(help="The name under which it is kept how far you have come.", metavar="READER")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on, and wait for what changes.")] = False,
    limit: Annotated[int, typer.Option(help="At most so many at a time.")] = 100,
    skip: Annotated[bool, typer.Option("--skip", help="Print nothing; go on from what changes from now on.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Forget how far the reader has come.")] = False,
) -> None:
    """Print what changed in all memories since the last time, and note that; without READER, list those who follow.

    What was printed is noted afterwards: who is interrupted is told some of it again, and misses nothing.
    """
    with call.opened() as memory:
        if reader is None:
            if follow or skip or drop:
                raise InvalidInput("READER", "is missing; give the name under which it is kept how far you have come")
            head = ("spaces", "behind", "last read", "reader")
            call.table(memory.readers(), head, lambda one: (one.spaces, one.behind, one.updated, one.name))
        elif drop:
            memory.drop_reader(reader)
            call.answer({"dropped": reader}, f"dropped {reader}")
        elif skip:
            moved = memory.acknowledge(reader)
            call.answer(moved, f"{reader} goes on from here, in {moved.spaces:,} spaces")
        else:
            _tell(call, memory, reader, follow=follow, limit=limit)


def _tell(call: options.Answering, memory: Memory, reader: str, *, follow: bool, limit: int) -> None:
    while True:
        found = memory.feed(reader, limit=limit, wait=_WAIT if follow else None)
        for event in found.events:
            call.answer(event, _line(event))
        sys.stdout.flush()  # first: what is noted was printed
        if found.positions:
            memory.acknowledge(reader, found.positions)
        if not found.more and not follow:
            return


def _line(event: FeedEvent) -> str:
    told = "" if event.item is None else f"  {event.item.content}"
    return output.one_line(f"{event.type:6}  {event.space}  {event.id}{told}")


@options.command(webhooks)
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
    with keyring(call, tenant=tenant) as operator:
        made = operator.add_webhook(wish)
    call.secret(made, "secret")


@options.command(webhooks)
def list_(call: options.Operation, tenant: Tenant = "local") -> None:
    """List webhooks with how many spaces they are behind, what they took and what failed."""
    with keyring(call, tenant=tenant) as operator:
        found = operator.webhooks()
    head = ("id", "state", "behind", "delivered", "failed", "dead", "last taken", "next try", "error", "url")
    call.table(found, head, _row)


def _row(one: Webhook) -> tuple[object, ...]:
    counts = (one.behind, one.delivered, one.failed, one.dead)
    return one.id, one.state, *counts, one.last, one.due, one.error, one.url


@options.command(webhooks)
def drop(call: options.Operation, id: Id, tenant: Tenant = "local") -> None:
    """Tell an address nothing any more."""
    with keyring(call, tenant=tenant) as operator:
        operator.drop_webhook(id)
    call.answer({"dropped": id}, f"dropped {id}")


@options.command(webhooks, "test")
def try_out(call: options.OfPlace, id: Id) -> None:
    """Send a delivery without events, once, and tell whether it was taken."""
    with keyring(call) as operator:
        tried = operator.test_webhook(id)
    call.answer(tried, "taken" if tried["taken"] else f"not taken: {tried['error']}")
    if not tried["taken"]:
        raise typer.Exit(output.FAILED)


@options.command(webhooks)
def dead(call: options.Operation, id: Id, tenant: Tenant = "local") -> None:
    """List the deliveries that were given up: where they stand in the feed, the oldest first."""
    with keyring(call, tenant=tenant) as operator:
        found = operator.dead_deliveries(id)
    head = ("id", "began", "attempts", "events", "error", "spaces")
    call.table(found, head, lambda one: (one.id, one.began, one.attempts, one.events, one.error, list(one.upto)))


@options.command(webhooks)
def retry(
    call: options.Operation,
    id: Id,
    deliveries: Annotated[
        list[str] | None, typer.Argument(help="Only these of what was given up.", metavar="DELIVERY")
    ] = None,
    tenant: Tenant = "local",
) -> None:
    """Send again what was given up, and at once what waits; a webhook that was stopped goes on."""
    with keyring(call, tenant=tenant) as operator:
        retried = operator.retry_webhook(id, deliveries or None)
    call.answer({"retried": retried}, f"{retried:,} are sent again")
