"""Erasing a person from all spaces of a tenant, and the receipts of that.

First the person is barred, then one space after the other is searched: whoever is interrupted does it again, and goes
on with the same receipt. What is kept of a name, in bars and in receipts, is a fingerprint.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import islice
from typing import cast

from truekeep import wire
from truekeep.engine import admit, mentions
from truekeep.engine.ids import new_id
from truekeep.engine.parts import Clock
from truekeep.errors import InvalidInput, NotFound
from truekeep.model import JSON, Erasure, Job, MemoryItem, Person, SpaceId, Traces, Value
from truekeep.ports import Store

MOST_NAMES = 64  # in one list
MOST_RECEIPTS = 10_000  # of a tenant; beyond them the oldest goes
_KEY = "person:erasure:"
_PAGE = 1000
_BATCH = 500  # items that are erased in one transaction
_IN_FILES = (
    "the store's own files, while somebody reads them: any process that has the store open clears them within a"
    " minute after that"
)


def person(
    limits: admit.Limits,
    *,
    speakers: Collection[str],
    values: Collection[str] = (),
    sessions: Collection[str] = (),
    names: Collection[str] | None = None,
) -> Person:
    """Somebody, each argument admitted; without `names`, those of the speakers are looked for."""
    given = {
        "speakers": speakers,
        "values": values,
        "sessions": sessions,
        "names": speakers if names is None else names,
    }
    told = {argument: admitted(some, argument, limits) for argument, some in given.items()}
    if not told["speakers"]:
        raise InvalidInput("speakers", "is empty; name whoever is to be erased")
    for argument in ("values", "sessions"):
        if wide := [one for one in told[argument] if not one.strip("*?")]:
            raise InvalidInput(argument, f"{wide[0]!r} would take everything; write a pattern such as 'user:ana:*'")
    return Person(**told)


def admitted(given: Collection[str], argument: str, limits: admit.Limits) -> tuple[str, ...]:
    """Names, or patterns of them, each once."""
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InvalidInput(argument, "must be a list of names")
    if len(given) > MOST_NAMES:
        raise InvalidInput(argument, f"has {len(given):,} entries; at most {MOST_NAMES} are accepted")
    return tuple(dict.fromkeys(admit.name(one, argument, limits) for one in given))


@dataclass(frozen=True, slots=True)
class Erasures:
    """Those of one tenant."""

    store: Store
    tenant: str
    clock: Clock

    def preview(self, person: Person) -> Erasure:
        """What `erase` would find, and where."""
        jobs = self.store.latest_jobs(self.tenant, limit=2**31 - 1)
        touched = Counter(job.space.name for job in jobs if left_of(job, person) != job)
        seen = {name: _seen(self.store, SpaceId(self.tenant, name), person) for name in self.store.traces(self.tenant)}
        found = [replace(one.counted(name), jobs=touched[name]) for name, one in seen.items()]
        return replace(
            _counting(self._new(person, self.clock()), found),
            id="",
            spaces=len(found),
            mentions=sum(one.mentions for one in found),
            dry_run=True,
            found=tuple(one for one in found if one != Traces(space=one.space)),
            alike=tuple(sorted(set[str]().union(*(one.alike for one in seen.values())))),
        )

    def erase(self, person: Person) -> Erasure:
        """Erase all of them, bar them from coming back by themselves, and put up for review who mentions them."""
        now = self.clock()
        self.store.bar(self.tenant, speakers=person.speakers, values=person.values, now=now)
        begun = self._unfinished(person) or self._new(person, now)
        self._keep(begun)
        done: set[str] = set()
        mentioned = remaining = 0
        while more := [name for name in self.store.traces(self.tenant) if name not in done]:  # one may be new
            for name in more:
                traces, left = self._erase_from(SpaceId(self.tenant, name), person, now)
                mentioned, remaining = mentioned + traces.mentions, remaining + left
                if traces.items or traces.values or traces.jobs:
                    self._keep(begun, traces)
            done.update(more)
        self._drop_oldest()
        pending = (*(() if self.store.wipe() else (_IN_FILES,)), *self.store.leftovers())
        ended = replace(begun, spaces=len(done), mentions=mentioned, remaining=remaining, pending=pending)
        return self._keep(replace(ended, ended=self.clock()))

    def _erase_from(self, space: SpaceId, person: Person, now: datetime) -> tuple[Traces, int]:
        """What was found in the space, and how many items of that still are."""
        # First: from here on, whatever is still being written there knows of the bar.
        jobs = self.store.cut_jobs(space, lambda job: left_of(job, person))
        seen = _seen(self.store, space, person)
        if seen.keys:
            self.store.bar(self.tenant, values=[key for key in seen.keys if not _is_known(key, person)], now=now)
            self.store.erase_values(space, seen.keys)

        def is_anothers(item: MemoryItem) -> bool:
            return item.restated and not is_of(item, person)

        remaining = 0
        for start in range(0, len(seen.items), _BATCH):
            some = seen.items[start : start + _BATCH]
            # `erase` wipes once, at the end: a file that others read would be waited for each time.
            remaining += self.store.erase(space, some, now=now, reopen=is_anothers, wipe=False).remaining
        mentions.put_up(self.store, space, seen.mentions, now=now)
        return replace(seen.counted(space.name), jobs=jobs), remaining

    def admit(self, speakers: Collection[str]) -> list[str]:
        """Let them be recorded, extracted and imported again; those who were barred."""
        return self.store.admit(self.tenant, speakers)

    def receipts(self, *, speaker: str | None = None, limit: int = 100, cursor: str | None = None) -> list[Erasure]:
        """The latest first, at most so many, before the one whose id is the cursor; of one speaker, if one is named."""
        mark = None if speaker is None else self.store.marks(self.tenant, [speaker])[0]
        ids = (id for id in reversed(self._ids()) if cursor is None or id < cursor)
        found = (one for one in map(self._kept, ids) if one is not None and (mark is None or mark in one.persons))
        return list(islice(found, limit))

    def receipt(self, id: str) -> Erasure:
        found = self._kept(id)
        if found is None:
            raise NotFound(f"no receipt {id!r}")
        return found

    def is_genuine(self, record: Mapping[str, JSON]) -> bool:
        """Whether this store signed exactly that, for this tenant."""
        given = str(record.get("signature")).encode(errors="replace")
        return hmac.compare_digest(given, self._sign(record).encode()) and record.get("tenant") == self.tenant

    def _sign(self, record: Mapping[str, JSON]) -> str:
        told = {name: one for name, one in record.items() if name != "signature"}
        return self.store.sign(json.dumps(told, sort_keys=True))

    def _new(self, person: Person, now: datetime) -> Erasure:
        marks = self.store.marks(self.tenant, person.speakers)
        return Erasure(id=new_id(now), tenant=self.tenant, persons=tuple(sorted(marks)), began=now)

    def _unfinished(self, person: Person) -> Erasure | None:
        marks = tuple(sorted(self.store.marks(self.tenant, person.speakers)))
        return next((one for one in self.receipts() if one.ended is None and one.persons == marks), None)

    def _keep(self, receipt: Erasure, *more: Traces) -> Erasure:
        """Keep it with all that was counted under its id so far, and more."""

        def edit(present: Value | None) -> JSON:
            known = [] if present is None else [_read(present)]
            record = wire.record(_counting(receipt, [*known, *more]))
            return cast(JSON, {**record, "signature": self._sign(record)})

        kept = self.store.edit_value(*self._place(receipt.id), edit, now=self.clock(), ttl=None, charge=None)
        return _read(cast(Value, kept))

    def _kept(self, id: str) -> Erasure | None:
        kept = self.store.value(*self._place(id), now=self.clock())
        return None if kept is None else _read(kept)

    def _ids(self) -> list[str]:
        keys = self.store.keys(SpaceId.own(self.tenant), now=self.clock())
        return [key.removeprefix(_KEY) for key in keys if key.startswith(_KEY)]

    def _drop_oldest(self) -> None:
        for id in self._ids()[:-MOST_RECEIPTS]:
            self.store.edit_value(*self._place(id), lambda _: None, now=self.clock(), ttl=None, charge=None)

    def _place(self, id: str) -> tuple[SpaceId, str]:
        return SpaceId.own(self.tenant), _KEY + id


def latest(store: Store, clock: Clock, *, limit: int) -> list[Erasure]:
    """The receipts of all tenants, the latest first."""
    ids = sorted(((key.removeprefix(_KEY), tenant) for tenant, key in store.own_keys(_KEY)), reverse=True)[:limit]
    found = (Erasures(store, tenant, clock)._kept(id) for id, tenant in ids)
    return [one for one in found if one is not None]


def _read(kept: Value) -> Erasure:
    return wire.reader(Erasure)(cast(Mapping[str, JSON], kept.value))


def _counting(receipt: Erasure, some: Sequence[Traces | Erasure]) -> Erasure:
    """With what is gone once it was erased, and so is counted once. Mentions stay."""
    return replace(
        receipt,
        items=sum(one.items for one in some),
        values=sum(one.values for one in some),
        jobs=sum(one.jobs for one in some),
    )


@dataclass(slots=True)
class _Seen:
    """What was found in a space."""

    items: list[str] = field(default_factory=list)
    mentions: dict[str, None] = field(default_factory=dict)  # ids of items of others
    keys: list[str] = field(default_factory=list)
    alike: set[str] = field(default_factory=set)

    def counted(self, space: str) -> Traces:
        return Traces(space=space, items=len(self.items), values=len(self.keys), mentions=len(self.mentions))


def _seen(store: Store, space: SpaceId, person: Person) -> _Seen:
    """Rows are read as they are: an index tells neither of what has expired nor of what stood there before."""
    found, tells = _Seen(), mentions.telling_of(person.names)
    spelt = {name.casefold() for name in person.speakers}
    for item in _items(store, space):
        if is_of(item, person):
            found.items.append(item.id)
            continue
        if item.speaker is not None and item.speaker.casefold() in spelt:
            found.alike.add(item.speaker)
        if tells(item):
            found.mentions[item.id] = None
    theirs = frozenset(found.items)
    for former in store.versions(space):
        if former.id not in theirs and (is_of(former, person) or tells(former)):
            found.mentions[former.id] = None
    found.keys = [key for key in store.all_keys(space) if _matches(key, person.values)]
    return found


def _items(store: Store, space: SpaceId) -> Iterator[MemoryItem]:
    after, more = 0, True
    while more:
        page = store.changes(space, after=after, limit=_PAGE)
        yield from (row.item for row in page.rows if row.item is not None)
        after, more = page.rows[-1].seq if page.rows else after, page.more


def is_of(item: MemoryItem, person: Person) -> bool:
    """Whether the person said it, or it belongs to a session that goes as a whole."""
    return item.speaker in person.speakers or _matches(item.session, person.sessions)


def left_of(job: Job, person: Person) -> Job | None:
    """What a job may keep: all but what the person said; None if nothing is left, or its session goes."""
    session, messages = job.payload.get("session"), job.payload.get("messages")
    if isinstance(session, str) and _matches(session, person.sessions):
        return None
    if not isinstance(messages, list):
        return job
    rest = [one for one in messages if not (isinstance(one, Mapping) and one.get("speaker") in person.speakers)]
    if len(rest) == len(messages):
        return job
    is_open = job.state in ("waiting", "running")
    return replace(job, payload={**job.payload, "messages": rest} if is_open else {}) if rest else None


def _matches(name: str | None, patterns: Collection[str]) -> bool:
    return name is not None and any(fnmatchcase(name, pattern) for pattern in patterns)


def _is_known(key: str, person: Person) -> bool:
    """Whether a pattern tells of it that is barred as it stands: how a key begins."""
    begins = [one[:-1] for one in person.values if one.endswith("*") and not any(sign in one[:-1] for sign in "*?[")]
    return key.startswith(tuple(begins))
