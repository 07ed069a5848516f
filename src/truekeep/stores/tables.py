"""The tables of a space: which columns their rows have, by what they are named, and how many travel at once.

Times are microseconds since 1970, JSON is the text that was kept, a list of ids is JSON, a flag is 0 or 1.
"""

from __future__ import annotations

from typing import get_args

from truekeep.errors import Conflict
from truekeep.model import SpaceId
from truekeep.ports import Counters, Table

TABLES: tuple[Table, ...] = get_args(Table)
_ITEM = (
    *("id", "seq", "content", "body", "key", "fingerprint", "version", "created", "updated", '"when"', "until"),
    *("retired", "expires", "superseded_by", "repeatable"),
)
_JOB = ("id", "task", "payload", "state", "attempts", "result", "error", "created", "updated", "lease", "not_before")
COLUMNS: dict[Table, tuple[str, ...]] = {
    "items": _ITEM,
    "versions": _ITEM,
    "vectors": ("id", "embedder", "data"),
    "markers": ("id", "seq", "at"),
    "tombstones": ("fingerprint", "seq"),
    "answers": ("key", "request", "id", "outcome", "superseded", "at"),
    "accesses": ("id", "count", "last", "days"),
    "kept_values": ("key", "value", "version", "created", "updated", "expires"),
    "jobs": _JOB,
}
# By what a row is asked for. Versions and vectors have several rows of one name.
NAME: dict[Table, str] = {
    **dict.fromkeys(("items", "versions", "vectors", "markers", "accesses", "jobs"), "id"),
    **dict.fromkeys(("answers", "kept_values"), "key"),
    "tombstones": "fingerprint",
}
OF_SPACE = (*TABLES, "snapshots", "pieces", "moves")  # all that names a space, under these names in every store
KEY = ("id", "digest", "tenant", "name", "body", "created", "expires", "last_used")
USAGE = ("tenant", "subject", "counter", "period", "count")
# By what rows are in order. Where it is None, a store has a number of its own for the order in which they came.
ORDER: dict[Table, tuple[str, ...] | None] = {
    "items": ("seq",),
    "versions": None,
    "vectors": ("id", "embedder"),
    "markers": ("seq",),
    "tombstones": ("fingerprint",),
    "answers": ("key",),
    "accesses": ("id",),
    "kept_values": ("key",),
    "jobs": None,
}
FINGERPRINT = _ITEM.index("fingerprint")


def page_of(table: Table) -> int:
    """How many rows travel at once: values and jobs may be large."""
    return 50 if table in ("kept_values", "jobs") else 1000


def after_emptying(present: Counters, copied: Counters) -> Counters:
    """What a space that takes in a copy counts on from. One that was emptied goes on, or whoever has its index open
    would take what is copied for what it has seen."""
    if not present.floor:
        return copied
    head = max(present.head, copied.head) + 1
    return Counters(head, head, max(present.value_head, copied.value_head))


def not_ours(space: SpaceId) -> Conflict:
    return Conflict(
        f"the space {space.name!r} of the tenant {space.tenant!r} was changed by somebody else while it was copied"
    )


def in_use(space: SpaceId) -> Conflict:
    return Conflict(f"the target holds something else already in the space {space.name!r} of {space.tenant!r}")
