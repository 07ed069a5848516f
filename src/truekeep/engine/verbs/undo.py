"""Moments of a space: what differs between two of them, how what was believed comes back, and how it is copied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

from truekeep.engine.decide import Rounds, put_of
from truekeep.engine.ids import new_id
from truekeep.engine.parts import Parts
from truekeep.errors import Conflict, NotFound
from truekeep.model import Checkpoint, Diff, Edited, EditedValue, MemoryItem, Restoration, SpaceId, Value
from truekeep.model.items import is_over
from truekeep.ports import Change, Difference, Moved, Put, Saying

BATCH = 1000  # items that come back in one transaction
FIRST = "forked"  # the checkpoint that a copy begins with
_CLAIM = "forking"  # and the one by which nobody else fills the same space meanwhile
_COPIED_AT_ONCE = 500  # items


def checkpoint_of(name: str, *, parts: Parts, space: SpaceId) -> Checkpoint:
    for one in parts.store.checkpoints(space):
        if one.name == name:
            return one
    raise NotFound(f"no checkpoint {name!r} in the space {space.name!r}; `checkpoints` lists those that there are")


def diff(since: str, until: str | None, *, parts: Parts, space: SpaceId, now: datetime) -> Diff:
    """How what is believed differs between two checkpoints, or between one and now."""
    return _told(parts.store.difference(space, since, until), since, until, now)


def restore(name: str, *, dry_run: bool, parts: Parts, space: SpaceId, now: datetime) -> Restoration:
    """Bring back what was believed at a checkpoint, by new changes: what came since is withdrawn, not erased.

    The present moment is named first. Items come back in batches, each whole: what is interrupted is finished by
    calling it again.
    """
    checkpoint = checkpoint_of(name, parts=parts, space=space)
    found = parts.store.difference(space, name)
    undone = _told(found, name, None, now)
    puts = _welcome(_puts(found, name, now), parts, space)
    refused = len(_pairs(found)) - len(puts)
    if dry_run or undone.is_empty:
        return Restoration(checkpoint=checkpoint, undone=undone, refused=refused)
    made = _named(f"before restore {now:%Y-%m-%d %H:%M:%S}", parts, space, now)
    rounds = Rounds()
    while True:
        with rounds:
            if rounds.lost:
                found = parts.store.difference(space, name)
                puts = _welcome(_puts(found, name, now), parts, space)
            _bring_back(puts, found.head.seq, parts, space)
            break
    for value in undone.values:
        _set(value.key, value.before, parts, space, now)
    parts.unfinished.add(space)
    return Restoration(checkpoint=checkpoint, undone=undone, refused=refused, made=made)


class _Pair(NamedTuple):
    """An item at two moments, of which at least one believed it."""

    before: MemoryItem | None
    after: MemoryItem

    @property
    def was_believed(self) -> bool:
        return self.before is not None and self.before.is_current


def _pairs(found: Difference) -> list[_Pair]:
    """The items of which something else is believed."""
    pairs = [_Pair(before, after) for before, after in found.items if after is not None]
    return [
        pair
        for pair in pairs
        if (pair.was_believed or pair.after.is_current)
        and (pair.before is None or _belief(pair.before) != _belief(pair.after))
    ]


def _belief(item: MemoryItem) -> MemoryItem:
    """All of an item but what merely tells of its changes."""
    return replace(item, seq=0, version=1, updated=item.created, reason=None, unjudged=False, written_by=None)


def _told(found: Difference, since: str, until: str | None, now: datetime) -> Diff:
    groups: dict[str, list[MemoryItem]] = {name: [] for name in ("added", "superseded", "revived", "reinforced")}
    changed: list[Edited] = []
    for pair in _pairs(found):
        before, after = pair
        if before is None or not pair.was_believed:
            groups["added" if before is None else "revived"].append(after)
        elif not after.is_current:
            groups["superseded"].append(after)
        elif after.version == before.version and after.reinforced > before.reinforced:
            groups["reinforced"].append(after)
        else:
            changed.append(Edited(before=before, after=after))
    values = [EditedValue(key=key, before=_living(old, now), after=_living(new, now)) for key, old, new in found.values]
    return Diff(
        since=since,
        until=until,
        **{name: tuple(items) for name, items in groups.items()},
        changed=tuple(changed),
        values=tuple(one for one in values if _said(one.before) != _said(one.after)),
        forgotten=found.erased,
    )


def _living(value: Value | None, now: datetime) -> Value | None:
    return None if value is None or is_over(value.expires, now) else value


def _said(value: Value | None) -> object:
    return None if value is None else (value.value, value.expires)


def _puts(found: Difference, name: str, now: datetime) -> list[Put]:
    """The rows as they shall be, for all to be believed that was, and nothing else."""
    puts = []
    for before, after in _pairs(found):
        changed = max(now, after.updated)
        if before is None:
            # It was never true, as far as is believed then.
            item = replace(after, until=after.when, retired=now, suspected_by=(), updated=changed, unjudged=False)
            puts.append(put_of(replace(item, reason=f"withdrawn: restored {name!r}"), lifts=False))
        elif not is_over(before.expires, now):
            item = replace(before, version=after.version + 1, updated=changed, reason=f"restored {name!r}")
            is_new = not after.is_current or before.content != after.content
            puts.append(put_of(replace(item, unjudged=False), lifts=False, derived=is_new))
    return puts


def _welcome(puts: Sequence[Put], parts: Parts, space: SpaceId) -> list[Put]:
    """Those that bring nothing back that was forgotten."""
    sayings = {Saying(put.statement) for put in puts if put.derived}
    stopped = parts.store.look(space, sayings=sayings).tombstoned if sayings else frozenset()
    return [put for put in puts if not (put.derived and put.statement in stopped)]


def _bring_back(puts: Sequence[Put], seen: int, parts: Parts, space: SpaceId) -> None:
    """Put back what was different at `seen`. Raises Moved where somebody else writes meanwhile: look again."""
    for start in range(0, len(puts), BATCH):
        some = puts[start : start + BATCH]
        applied = parts.store.apply(space, Change(puts=some), based_on=seen, charge=parts.charge(), job=parts.job)
        if applied.head.seq != seen + len(some):
            raise Moved("somebody else wrote in between")
        seen = applied.head.seq


def _set(key: str, value: Value | None, parts: Parts, space: SpaceId, now: datetime) -> None:
    living = _living(value, now)
    ends = timedelta.max if living is None or living.expires is None else living.expires - now
    said = None if living is None else living.value
    parts.store.edit_value(space, key, lambda _: said, now=now, ttl=ends, charge=parts.charge(now))


def _named(wanted: str, parts: Parts, space: SpaceId, now: datetime) -> Checkpoint:
    """A checkpoint of this name or, where that is taken, of the next one."""
    taken = {one.name for one in parts.store.checkpoints(space)}
    names = (wanted, *(f"{wanted} ({number})" for number in range(2, len(taken) + 2)))
    return parts.store.add_checkpoint(space, next(name for name in names if name not in taken), now=now)


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
    while some := list(islice(items, _COPIED_AT_ONCE)):
        store.restore(target, some, [], charge=parts.charge(), embedder=parts.embedder.name)
        kept |= {put.item.id: put.item.version for put in some}
        counts = parts.accesses.known(store, space, [put.item.id for put in some])
        store.count_accesses({target: counts}, now=now, is_past=True)
    versions = (put_of(replace(item, seq=0)) for item in store.versions(space) if item.version < kept.get(item.id, 0))
    while some := list(islice(versions, _COPIED_AT_ONCE)):
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
        page = parts.store.changes(space, after=after, embedder=parts.embedder.name, limit=_COPIED_AT_ONCE)
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
