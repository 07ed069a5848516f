"""Forking: a space copied into another one, as it is or as it was at a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice

from truekeep.engine.decide import put_of
from truekeep.engine.ids import new_id
from truekeep.engine.parts import Parts
from truekeep.errors import Conflict
from truekeep.model import Checkpoint, SpaceId, Value
from truekeep.model.items import is_over
from truekeep.ports import Put

from .undo import checkpoint_of

FIRST = "forked"  # the checkpoint that a copy begins with
_CLAIM = "forking"  # and the one by which nobody else fills the same space meanwhile
_BATCH = 500


def fork(target: SpaceId, at: str | None, *, parts: Parts, space: SpaceId, now: datetime) -> Checkpoint:
    """Copy what was believed at the checkpoint, or is now, with its history, values, vectors and tombstones.

    What was forgotten meanwhile is not copied. A copy that fails is removed again.
    """
    # A copy as of now is one as of a checkpoint, too, so that nobody who writes meanwhile is seen by half.
    name = at or f"fork {new_id(now)}"
    moment = checkpoint_of(name, parts=parts, space=space) if at else parts.store.add_checkpoint(space, name, now=now)
    try:
        _claim(target, parts, now)
        try:
            copied = _copied(moment, target, parts, space, now)
        except BaseException:
            parts.store.erase_space(target)
            raise
        parts.store.drop_checkpoint(target, _CLAIM)
        return copied
    finally:
        if at is None:
            parts.store.drop_checkpoint(space, name)


def _claim(target: SpaceId, parts: Parts, now: datetime) -> None:
    """Let nobody else fork into the space: whoever fails there erases it, and must not erase another's copy."""
    if _holds_something(target, parts, now):  # before anything is written there
        raise _taken(target)
    try:
        parts.store.add_checkpoint(target, _CLAIM, now=now)
    except Conflict:
        advice = "erase what there is of it with forget(everything=True) if that was killed, or choose another name"
        raise Conflict(f"another fork fills the space {target.name!r}; {advice}") from None
    if _holds_something(target, parts, now):
        parts.store.drop_checkpoint(target, _CLAIM)
        raise _taken(target)


def _holds_something(space: SpaceId, parts: Parts, now: datetime) -> bool:
    return bool(parts.store.changes(space, after=0, limit=1).rows or parts.store.keys(space, now=now))


def _taken(target: SpaceId) -> Conflict:
    return Conflict(f"the space {target.name!r} holds something already; choose another name for the copy")


def _copied(moment: Checkpoint, target: SpaceId, parts: Parts, space: SpaceId, now: datetime) -> Checkpoint:
    store = parts.store
    kept: dict[str, int] = {}  # id → version
    items = _items(moment, parts, space)
    while some := list(islice(items, _BATCH)):
        store.restore(target, some, [], charge=parts.charge(), embedder=parts.embedder.name)
        kept |= {put.item.id: put.item.version for put in some}
        counts = parts.accesses.known(store, space, [put.item.id for put in some])
        store.count_accesses({target: counts}, now=now, is_past=True)
    versions = (put_of(replace(item, seq=0)) for item in store.versions(space) if item.version < kept.get(item.id, 0))
    while some := list(islice(versions, _BATCH)):
        store.restore(target, [], some, charge=parts.charge())
    for value in _values(moment, parts, space, now).values():
        if value is not None and not is_over(value.expires, now):
            store.restore_value(target, value, charge=parts.charge())
    gone = [row.id for row in store.changes(space, after=moment.seq, limit=2**31).rows if row.item is None]
    if copied := [id for id in gone if id in kept]:
        store.erase(target, copied, now=now)
    return store.add_checkpoint(target, FIRST, now=now, origin=space.name)


def _items(moment: Checkpoint, parts: Parts, space: SpaceId) -> Iterator[Put]:
    """The rows as they were: first those that have not changed since, then the others."""
    after, more = 0, True
    while more:
        page = parts.store.changes(space, after=after, embedder=parts.embedder.name, limit=_BATCH)
        for row in page.rows:
            if row.item is not None and row.seq <= moment.seq:
                yield put_of(row.item, vectors=row.vectors)
        after = page.rows[-1].seq if page.rows else after
        more = page.more and after < moment.seq
    for before, _ in parts.store.difference(space, moment.name).items:
        if before is not None:
            yield put_of(before)


def _values(moment: Checkpoint, parts: Parts, space: SpaceId, now: datetime) -> Mapping[str, Value | None]:
    present = {key: parts.store.value(space, key, now=now) for key in parts.store.keys(space, now=now)}
    return present | {key: before for key, before, _ in parts.store.difference(space, moment.name).values}
