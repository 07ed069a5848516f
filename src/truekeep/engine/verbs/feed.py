"""The feed of a tenant: what changed in any of its spaces, told to readers.

A `seq` counts the changes of one space, so a reader has a position in each. Positions are kept in the tenant's own
space, and move when a reader says that it has dealt with what it was told: one that was interrupted is told again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from truekeep.errors import Conflict, NotFound
from truekeep.model import JSON, Changes, Event, Feed, FeedEvent, Reader, SpaceId, Value
from truekeep.ports import Head, Store

READER = "reader:"
MOST_READERS = 100  # of a tenant
_MOST_EVENTS = 1000  # that a feed tells
Positions = Mapping[str, int]  # by space: the last seq that was dealt with; 0 is before all


def changes(store: Store, space: SpaceId, after: int, *, limit: int) -> Changes:
    """What changed in one space after a cursor, in order."""
    page = store.changes(space, after=after, limit=limit)
    if 0 < after < page.head.floor or after > page.head.seq:  # purged since, or another store than before
        return Changes(cursor=0, more=True, missed=True)
    return Changes(
        events=tuple(Event(seq=row.seq, id=row.id, item=row.item) for row in page.rows),
        cursor=page.rows[-1].seq if page.rows else page.head.seq,
        more=page.more,
    )


@dataclass(frozen=True, slots=True)
class Feeds:
    """All readers of a tenant, as somebody who `sees` only some of its spaces may use them."""

    store: Store
    tenant: str
    sees: Callable[[str], bool] = lambda space: True

    def heads(self) -> dict[str, Head]:
        """How far each space that is seen has come."""
        return {name: head for name, head in self.store.heads(self.tenant).items() if self.sees(name)}

    def read(self, reader: str, *, limit: int, now: datetime) -> Feed:
        """What comes after the positions of the reader; a new one begins at the beginning."""
        return self.told(self._positions(self._kept(reader, now)), limit=limit)

    def told(self, positions: Positions, *, limit: int) -> Feed:
        """What comes after these positions: each space gets its share, so that a busy one keeps nobody waiting."""
        heads = self.heads()
        seen = {name: at for name, at in positions.items() if self.sees(name)}
        events = [FeedEvent(space=name) for name in seen if name not in heads][:limit]
        reached = dict.fromkeys((event.space for event in events), 0)
        moved = [name for name, head in heads.items() if head.seq != seen.get(name, 0)]
        share = max(1, limit // max(1, len(moved)))
        more = False
        for name in moved:
            if len(events) >= limit:
                more = True
                break
            found, reached[name], cut = self._of_space(name, seen.get(name, 0), min(share, limit - len(events)))
            events += found
            more |= cut
        return Feed(events=tuple(events), positions=reached, more=more)

    def _of_space(self, name: str, after: int, limit: int) -> tuple[list[FeedEvent], int, bool]:
        """What there is to tell of one space, how far that reaches, and whether there is more."""
        found = changes(self.store, SpaceId(self.tenant, name), after, limit=limit)
        events = [FeedEvent(space=name, seq=event.seq, id=event.id, item=event.item) for event in found.events]
        return [FeedEvent(space=name)] if found.missed else events, found.cursor, found.more

    def between(self, after: Positions, upto: Positions) -> tuple[Feed, Positions]:
        """What a feed told that began at `after` and reached `upto`, as far as nothing has changed since: that is told
        by what comes behind it. And where to begin again in spaces of which it can no longer be told."""
        events: list[FeedEvent] = []
        lost: dict[str, int] = {}
        for name, last in upto.items():
            found, reached, _ = self._of_space(name, after[name], _MOST_EVENTS)
            if not last:
                events.append(FeedEvent(space=name))
            elif reached:
                events += [event for event in found if event.seq <= last]
            elif after[name]:
                lost[name] = after[name]  # the feed says "reset" there
        return Feed(events=tuple(events), positions=upto), lost

    def acknowledge(self, reader: str, positions: Positions | None, *, now: datetime) -> Reader:
        """Keep how far a reader has come; None: as far as all spaces are now."""
        if positions is None:
            positions = {name: head.seq for name, head in self.heads().items()}
        mine = {name: at for name, at in positions.items() if self.sees(name)}
        key = READER + reader
        if self._kept(reader, now) is None and len(self._names(now)) >= MOST_READERS:
            raise Conflict(f"there are {MOST_READERS} readers already; drop one that nobody needs")

        def edit(present: Value | None) -> JSON:
            moved = {**self._positions(present), **mine}
            return cast(JSON, {name: at for name, at in moved.items() if at})

        kept = self.store.edit_value(SpaceId.own(self.tenant), key, edit, now=now, ttl=None, charge=None)
        return self._told_of(cast(Value, kept), self.heads())

    def readers(self, now: datetime) -> list[Reader]:
        """By name."""
        heads = self.heads()
        found = (self._kept(name, now) for name in self._names(now))
        return [self._told_of(value, heads) for value in found if value is not None]

    def drop(self, reader: str, *, now: datetime) -> None:
        """Forget how far a reader has come, in the spaces that are seen."""
        kept = self._kept(reader, now)
        if kept is None:
            raise NotFound(f"no reader {reader!r}")

        def edit(present: Value | None) -> JSON:
            return cast(
                JSON, {name: at for name, at in self._positions(present).items() if not self.sees(name)} or None
            )

        self.store.edit_value(SpaceId.own(self.tenant), kept.key, edit, now=now, ttl=None, charge=None)

    def _kept(self, reader: str, now: datetime) -> Value | None:
        return self.store.value(SpaceId.own(self.tenant), READER + reader, now=now)

    def _names(self, now: datetime) -> list[str]:
        keys = self.store.keys(SpaceId.own(self.tenant), now=now)
        return [key.removeprefix(READER) for key in keys if key.startswith(READER)]

    def _positions(self, kept: Value | None) -> Positions:
        return {} if kept is None else cast(Positions, kept.value)

    def _told_of(self, kept: Value, heads: Mapping[str, Head]) -> Reader:
        positions = {name: at for name, at in self._positions(kept).items() if self.sees(name)}
        behind = sum(positions.get(name, 0) != head.seq for name, head in heads.items())
        return Reader(
            name=kept.key.removeprefix(READER),
            spaces=len(positions),
            behind=behind,
            created=kept.created,
            updated=kept.updated,
        )
