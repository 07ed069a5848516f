"""Tenants as whoever runs a server sees them: names and figures, never contents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import datetime

from truekeep.model import Quotas, SpaceSize, Tenant
from truekeep.model.reports import day_of, month_of, subject_of
from truekeep.ports import Store


def figures(store: Store, name: str, *, now: datetime, default: Quotas) -> Tenant:
    """What a tenant holds, has used and may use; `default` are the quotas of a key that has none of its own."""
    keys, sizes = store.access_keys(name), list(overview(store, name))
    counts = store.usage(name, periods={month_of(now), day_of(now)})
    used = {one.counter: one.count for one in counts if one.subject == subject_of("tenant", name)}
    return Tenant(
        name=name,
        keys=len(keys),
        spaces=len(sizes),
        items=sum(size.items for size in sizes),
        values=sum(size.values for size in sizes),
        bytes=sum(size.bytes for size in sizes),
        operations=used.get("operations", 0),
        recalls=used.get("recalls", 0),
        writes=sum(one.count for one in counts if one.counter == "writes"),
        quotas=widest([key.quotas for key in keys] or [Quotas()], default),
    )


def widest(given: Sequence[Quotas], default: Quotas) -> Quotas:
    """What all of them together may use: it is counted by tenant, so the largest holds."""

    def most(name: str) -> int | None:
        limits = [getattr(default, name) if (own := getattr(one, name)) is None else own for one in given]
        return None if None in limits else max(limits)

    return Quotas(**{field.name: most(field.name) for field in fields(Quotas)})


def overview(store: Store, tenant: str) -> Iterator[SpaceSize]:
    """All spaces of a tenant, a page at a time."""
    page = store.overview(tenant)
    while page:
        yield from page
        page = store.overview(tenant, after=page[-1].name)
