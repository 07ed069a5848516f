"""`audit`: which key of a server did, or was told, which memories. Ids, never texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Annotated

import typer

from truekeep.model import AuditEntry, AuditFilters, AuditPage

from . import options, words
from .keyring import keyring

_PAGE = 1_000  # entries that are asked for at once
_SHOWN = 5  # ids of an entry, where nobody asks for one request


def audit(
    call: options.Operation,
    item: Annotated[
        str | None, typer.Argument(help="Only what was done with this memory: who wrote it?", metavar="ID")
    ] = None,
    request: Annotated[
        str | None, typer.Option(help="Only this request, by the X-Request-Id of its answer: what was told?")
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="KEY-ID", help="Only what the key of this id did.")] = None,
    space: Annotated[str | None, typer.Option("--space", "-s", help="Only in this space, also an erased one.")] = None,
    verb: Annotated[str | None, typer.Option(help="Only such: remember, recall, forget, export, ...")] = None,
    since: Annotated[
        datetime | None, typer.Option(parser=words.moment, metavar="TIME", help="Then or later: 2026-01-31, or 7d.")
    ] = None,
    until: Annotated[datetime | None, typer.Option(parser=words.moment, metavar="TIME", help="Before then.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the latest.")] = 100,
    tenant: Annotated[
        str | None, typer.Option(help="Whose; without it that of the key, or on a store `local`.")
    ] = None,
) -> None:
    """Tell which key wrote, changed, erased, exported or was told which memories, the latest first.

    Works on the store of a server, or through the server that --at names; with --json one entry a line.
    """
    sought = AuditFilters(item=item, key=by, request=request, space=space, verb=verb, since=since, until=until)
    with keyring(call) as ring:
        found = list(_latest(partial(ring.audit, tenant, sought), limit))
        names = {} if call.as_json or not found else {one.id: one.name for one in ring.access_keys()}
    head = ("when", "verb", "outcome", "space", "key", "its name", "request", "ids")
    ids = None if request else _SHOWN
    call.table(found, head, lambda one: _row(one, names.get(one.key, ""), ids))


def _latest(page: Callable[..., AuditPage], limit: int) -> Iterator[AuditEntry]:
    """So many entries of a list that comes in pages."""
    cursor, left = None, limit
    while left > 0:
        found = page(cursor=cursor, limit=min(left, _PAGE))
        yield from found.entries
        cursor, left = found.cursor, left - len(found.entries)
        if cursor is None:
            break


def _row(entry: AuditEntry, name: str, shown: int | None) -> tuple[object, ...]:
    ids = list(entry.ids[:shown])
    more = len(entry.ids) - len(ids)
    when = f"{entry.at.astimezone():%Y-%m-%d %H:%M:%S}"
    told = [*ids, *([f"and {more:,} more"] if more else [])]
    return when, entry.verb, entry.outcome, entry.space, entry.key, name, entry.request, told
