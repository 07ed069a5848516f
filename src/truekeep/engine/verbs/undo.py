"""Going back: what differs between two moments, and the changes that bring back what was believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from truekeep.engine.decide import Rounds, put_of
from truekeep.engine.parts import Parts
from truekeep.errors import NotFound
from truekeep.model import Checkpoint, Diff, Edited, EditedValue, MemoryItem, Restoration, SpaceId, Value
from truekeep.model.items import is_over
from truekeep.ports import Change, Difference, Moved, Put, Saying

BATCH = 1000  # items that come back in one transaction


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
