"""What every store keeps: which columns the rows of a space have, by what they are named, how many travel at once.

Times are microseconds since 1970, JSON is the text that was kept, a list of ids is JSON, a flag is 0 or 1, and a
statement that must not be read is a fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Literal, TypeAlias, get_args

from truekeep.errors import Conflict
from truekeep.model import HIDDEN, JSON, SpaceId
from truekeep.ports import Table

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
TABLES: tuple[Table, ...] = get_args(Table)
Held: TypeAlias = (
    Table | Literal["moves"]
)  # also what was noted, in one row, of a copy into the space that is not finished
_ITEM = (
    *("id", "seq", "content", "body", "key", "fingerprint", "version", "created", "updated", '"when"', "until"),
    *("retired", "expires", "superseded_by", "repeatable"),
)
_JOB = ("id", "task", "payload", "state", "attempts", "result", "error", "created", "updated", "lease", "not_before")
COLUMNS: dict[Held, tuple[str, ...]] = {
    "items": _ITEM,
    "versions": _ITEM,
    "vectors": ("id", "embedder", "data"),
    "markers": ("id", "seq", "at"),
    "tombstones": ("fingerprint", "seq"),
    "answers": ("key", "request", "id", "outcome", "superseded", "at"),
    "accesses": ("id", "count", "last", "days"),
    "kept_values": ("key", "value", "version", "created", "updated", "expires"),
    "jobs": _JOB,
    "checkpoints": ("name", "seq", "value_head", "at", "forgotten", "origin"),
    "former_values": ("key", "ended", "value", "version", "created", "updated", "expires"),
    "moves": ("note",),
}
# By what a row is asked for. Versions, vectors and former values have several rows of one name.
NAME: dict[Held, str] = {
    **dict.fromkeys(("items", "versions", "vectors", "markers", "accesses", "jobs"), "id"),
    **dict.fromkeys(("answers", "kept_values", "former_values"), "key"),
    "checkpoints": "name",
    "tombstones": "fingerprint",
    "moves": "note",
}
OF_SPACE = (*TABLES, "snapshots", "pieces", "moves")  # all that names a space, under these names in every store
Book: TypeAlias = Literal["usage", "access_keys", "audit"]
KEY = ("id", "digest", "tenant", "name", "body", "created", "expires", "last_used")
AUDIT = ("tenant", "at", "key", "request", "verb", "space", "outcome", "ids")
USAGE = ("tenant", "subject", "counter", "period", "count")
# By what rows are in order. Where it is None, a store has a number of its own for the order in which they came.
ORDER: dict[Held, tuple[str, ...] | None] = {
    "items": ("seq",),
    "versions": None,
    "vectors": ("id", "embedder"),
    "markers": ("seq",),
    "tombstones": ("fingerprint",),
    "answers": ("key",),
    "accesses": ("id",),
    "kept_values": ("key",),
    "jobs": None,
    "checkpoints": ("seq", "name"),
    "former_values": ("ended",),
    "moves": ("note",),
}
FINGERPRINT = _ITEM.index("fingerprint")
SIZE: dict[Held, str] = {  # what counts for the size of a space, in every SQL
    **dict.fromkeys(("items", "versions"), "octet_length(content) + octet_length(CAST(body AS text))"),
    "kept_values": "octet_length(CAST(value AS text))",
    "former_values": "coalesce(octet_length(CAST(value AS text)), 0)",
}


def sizes_of(column: str) -> str:
    """The question for the sizes of all spaces, added up from what they hold."""
    parts = " UNION ALL ".join(f"SELECT {column}, {size} AS bytes FROM {table}" for table, size in SIZE.items())
    return f"SELECT {column}, CAST(sum(bytes) AS bigint) AS bytes FROM ({parts}) AS parts GROUP BY {column}"


def in_use(space: SpaceId) -> Conflict:
    return Conflict(f"the target holds something else already in the space {space.name!r} of {space.tenant!r}")


def microseconds(time: datetime) -> int:
    return (time - EPOCH) // MICROSECOND


def moment(microseconds: int) -> datetime:
    seconds, rest = divmod(microseconds, 1_000_000)
    return EPOCH + timedelta(0, seconds, rest)


to_json: Callable[[JSON], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def fingerprint(secret: bytes, space: SpaceId, statement: str) -> bytes:
    """Recognises a statement without keeping it. Depends on the space, so equal ones cannot be told across spaces."""
    message = "\0".join((space.tenant, space.name, statement))
    return blake2b(message.encode("utf-8", "surrogatepass"), key=secret, digest_size=16).digest()


def hidden_name(secret: bytes, space: SpaceId) -> str:
    """What an erased space is called: known again when somebody uses the name, and not to be read from the files."""
    return HIDDEN + mark_of(secret, space)


def mark_of(secret: bytes, space: SpaceId) -> str:
    """What stands for a space and tells nobody its name."""
    return fingerprint(secret, space, "").hex()
