"""What a caller's key covers: spaces, jobs and counts that are none of its business do not even show."""

from __future__ import annotations

from collections.abc import Collection

from truekeep.engine.access import covers
from truekeep.model import Job, SpaceSize, Usage

from .desk import Caller

_LOOKED_AT = 1000  # jobs of a tenant


def covered(caller: Caller, *, after: str, limit: int) -> list[SpaceSize]:
    """Spaces that the key covers; those that it does not cover are not even counted."""
    found: list[SpaceSize] = []
    while len(found) < limit:
        page = caller.desk.store.overview(caller.tenant, after=after, limit=1000)
        found += [one for one in page if covers(caller.key, one.name)]
        if len(page) < 1000:
            break
        after = page[-1].name
    return found[:limit]


def latest_jobs(caller: Caller, *, limit: int) -> list[Job]:
    """Those that changed last, among the latest thousand of the tenant, of the spaces that the key covers."""
    found = caller.desk.store.latest_jobs(caller.tenant, limit=_LOOKED_AT)
    return [job for job in found if covers(caller.key, job.space.name)][:limit]


def used(caller: Caller, periods: Collection[str]) -> list[Usage]:
    """What was used in these periods, as far as it is the caller's business."""
    caller.desk.meters.flush(caller.desk.clock())
    found = caller.desk.store.usage(caller.tenant, periods=periods)
    return [one for one in found if _visible(caller, one.subject)]


def _visible(caller: Caller, subject: str) -> bool:
    """A key sees its own counts, and the tenant's, to which its quotas apply; with `admin`, all of them."""
    kind, _, name = subject.partition(":")
    if kind == "space":
        return covers(caller.key, name)
    return kind == "tenant" or name == caller.key.id or "admin" in caller.key.scopes
