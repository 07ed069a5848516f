"""A space's index at one moment: what recall reads, without any lock, while the index moves on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from truekeep.lazy import lazy
from truekeep.model import ROLE_TRUST, TRUST_LEVELS, Filters, Session

from .arrays import Array, Lease, Rows, smallest
from .columns import (
    DEAD,
    NONE_YET,
    PINNED,
    QUARANTINED,
    RETIRED,
    SUSPECTED,
    TRUST_MASK,
    TRUST_SHIFT,
    UNJUDGED,
    Counts,
    Mask,
    Names,
    microseconds,
    moment,
    select,
)
from .ids import IdView, halves, is_uuid, uuid
from .postings import PostingsView
from .turns import Turns, turns
from .vectors import Passages

__all__ = ["Mask", "View"]

_NO_FILTERS = Filters()
_CHAT = 0.9  # of all items


@dataclass(kw_only=True, eq=False, repr=False)
class View:
    """Rows are numbered from 0 to `size - 1`; some may be dead. A mask of None allows all that are alive."""

    seq: int
    size: int
    counts: Counts
    columns: dict[str, Array]  # may be longer than `size`: `column` reads them
    passages: Passages
    postings: PostingsView
    by_id: IdView
    other_ids: Mapping[int, str]
    names: Mapping[str, Names]
    leases: tuple[Lease, ...]  # held for as long as somebody may read

    @property
    def live(self) -> int:
        return self.counts.live

    @property
    def pending_count(self) -> int:
        return self.counts.pending

    def column(self, name: str) -> Array:
        """One column of all rows; read, never write. `columns.SCHEMA` lists them."""
        return self.columns[name][: self.size]

    @lazy
    def alive(self) -> NDArray[np.bool_]:
        return np.asarray((self.column("flags") & DEAD) == 0)

    @lazy
    def turns(self) -> Turns | None:
        """What was said next to what; None where nothing was said in sessions."""
        if not self.column("session").any():
            return None
        lends = (self.column("flags") & (DEAD | QUARANTINED)) == 0
        return turns(**{name: self.column(name) for name in ("session", "when", "seq", "length")}, among=lends)

    # Finding

    def select(self, filters: Filters, now: datetime) -> Mask:
        """Which rows may answer; None when all may, so that the common case costs nothing."""
        if filters == _NO_FILTERS and not self.counts.mortal:
            return None
        return select(filters, microseconds(now), column=self.column, names=self.names, postings=self.postings)

    def allowed(self, mask: Mask) -> Mask:
        """The same without rows that are dead, where it leaves out none."""
        return self.alive if mask is None and self.counts.dead else mask

    def only(self, rows: Array) -> NDArray[np.bool_]:
        """A mask of these rows."""
        mask = np.zeros(self.size, np.bool_)
        mask[rows] = True
        return mask

    def rows(self, mask: Mask) -> Rows:
        """All rows that the mask allows, in no particular order."""
        allowed = self.allowed(mask)
        return np.arange(self.size, dtype=np.int32) if allowed is None else np.flatnonzero(allowed).astype(np.int32)

    def of_kind(self, kind: str, mask: Mask) -> Rows:
        """The rows of one kind that the mask allows: much cheaper than a mask of its own."""
        code = self.names["kind"].code(kind)
        if code < 0:
            return np.empty(0, np.int32)
        found = self.column("kind") == code
        allowed = self.allowed(mask)
        rows: Rows = (found if allowed is None else found & allowed).nonzero()[0].astype(np.int32)
        return rows

    def holding(self, terms: Sequence[int], rows: Array) -> NDArray[np.bool_]:
        """Which of the rows hold any of the terms."""
        held = np.zeros(self.size, np.bool_)
        for posting in self.postings.find(terms):
            held[posting.rows] = True
        return held.take(rows)

    def said_between(self, first: datetime, last: datetime, rows: Array) -> NDArray[np.bool_]:
        """Which of the rows were said at or after `first` and before `last`."""
        when = self.column("when").take(rows)
        return np.asarray((when >= microseconds(first)) & (when < microseconds(last)))

    def said_by_user(self, rows: Array) -> NDArray[np.bool_]:
        """Which of the rows the user said, as far as source and speaker tell."""
        trusted = (self.column("flags").take(rows) >> TRUST_SHIFT) & TRUST_MASK == TRUST_LEVELS.index("user")
        agents = [role for role, trust in ROLE_TRUST.items() if trust != "user"]
        return np.asarray(trusted & ~self.said_by(agents, rows))

    def has_speaker(self, rows: Array) -> NDArray[np.bool_]:
        """Which of the rows somebody in particular said: roles are nobody."""
        return np.asarray((self.column("speaker").take(rows) > 0) & ~self.said_by(ROLE_TRUST, rows))

    @lazy
    def is_chat(self) -> bool:
        """Whether nearly all that is kept was said by somebody in particular."""
        if not self.everybody:
            return False
        return bool(np.count_nonzero(self.has_speaker(self.rows(None))) >= _CHAT * self.live)

    def said_by(self, speakers: Collection[str], rows: Array) -> NDArray[np.bool_]:
        """Which of the rows one of them said."""
        codes = [code for speaker in speakers if (code := self.names["speaker"].code(speaker)) > 0]
        return np.isin(self.column("speaker").take(rows), codes)

    def is_kind(self, kind: str, rows: Array) -> NDArray[np.bool_]:
        return np.asarray(self.column("kind").take(rows) == self.names["kind"].code(kind))

    def allows(self, mask: Mask, row: int) -> bool:
        allowed = self.allowed(mask)
        return allowed is None or bool(allowed[row])

    def newest(self, mask: Mask, limit: int, offset: int = 0) -> Rows:
        """The allowed rows by `when`, then by id, latest first: no change of an item moves it.

        Of ids that Truekeep made, the later one is the higher.
        """
        allowed = self.allowed(mask)
        rows = np.arange(self.size) if allowed is None else np.flatnonzero(allowed)
        when, high, low = self.column("when"), self.column("high"), self.column("low")
        chosen = smallest([lambda at: -when[at], lambda at: ~high[at], lambda at: ~low[at]], rows, offset + limit)
        return chosen[offset:].astype(np.int32)

    @lazy
    def is_pending(self) -> NDArray[np.bool_]:
        """Live rows without vectors."""
        return np.asarray((self.column("first") == NONE_YET) & self.alive)

    def pending(self, limit: int, *, begin: float = 0.0) -> list[str]:
        """Ids of live items without vectors, the longest waiting first; of more than the limit, from that share on.

        So those who begin in different places rarely do the same work.
        """
        if not self.pending_count:
            return []
        return self._longest_waiting(self.is_pending, limit, begin)

    def unjudged(self, limit: int, *, begin: float = 0.0) -> list[str]:
        """Ids of live items of which nobody knows yet what they change, in the same way."""
        if not self.counts.unjudged:
            return []
        return self._longest_waiting((self.column("flags") & (UNJUDGED | DEAD)) == UNJUDGED, limit, begin)

    def _longest_waiting(self, waits: NDArray[np.bool_], limit: int, begin: float) -> list[str]:
        rows = np.flatnonzero(waits)
        if begin and len(rows) > limit:
            rows = np.roll(rows, -int(begin * len(rows)))[:limit]
        seq = self.column("seq")
        return self.ids(smallest([lambda at: seq[at]], rows, limit))

    def before(self, created: datetime, id: str, mask: Mask) -> NDArray[np.bool_]:
        """A mask of one's own: of the allowed rows, without those that came later and wait to be judged.

        Of those that came in the same moment the ids decide: one of any two must know of the other.
        """
        moment = microseconds(created)
        waits, times = (self.column("flags") & UNJUDGED) != 0, self.column("created")
        later = waits & (times >= moment)
        together = np.flatnonzero(later & (times == moment))
        later[together] = [other >= id for other in self.ids(together)]
        known: NDArray[np.bool_] = ~later & (self.alive if mask is None else mask)
        return known

    @property
    def unfinished(self) -> int:
        """How many live items wait for their vectors, or to be judged."""
        if not self.counts.unjudged:
            return self.pending_count
        waits = (self.column("first") == NONE_YET) | ((self.column("flags") & UNJUDGED) != 0)
        return int(np.count_nonzero(waits & self.alive))

    # Ids

    def ids(self, rows: Array) -> list[str]:
        high, low = self.column("high"), self.column("low")
        pairs = zip(rows.tolist(), high.take(rows).tolist(), low.take(rows).tolist(), strict=True)
        return [uuid(first, second) if is_uuid(first) else self.other_ids[row] for row, first, second in pairs]

    def row_of(self, id: str) -> int | None:
        key = halves(id)
        high, low, flags = self.column("high"), self.column("low"), self.column("flags")
        candidates = self.by_id.candidates(key, high, low)
        if any(row >= self.size for row in candidates):  # replaced since: the map has forgotten our row
            candidates = np.flatnonzero((high == np.uint64(key[0])) & (low == np.uint64(key[1]))).tolist()
        for row in candidates:
            if not flags.item(row) & DEAD:
                return row
        return None

    # What ranking wants to know of rows

    def is_pinned(self, rows: Array) -> NDArray[np.bool_]:
        return np.asarray((self.column("flags")[rows] & PINNED) != 0)

    def has_vectors(self, rows: Array) -> NDArray[np.bool_]:
        return np.asarray(self.column("first")[rows] != NONE_YET)

    def alike(self, rows: Array) -> NDArray[np.float32]:
        """The cosine of each of the rows with each other, by their first passages; 0 where one is pending."""
        first = self.column("first").take(rows)
        known = np.flatnonzero(first != NONE_YET)
        alike = np.zeros((len(rows), len(rows)), np.float32)
        if len(known):
            units = self.passages.units(first.take(known))
            alike[np.ix_(known, known)] = units @ units.T
        return alike

    def is_retired(self, rows: Array) -> NDArray[np.bool_]:
        return np.asarray((self.column("flags")[rows] & RETIRED) != 0)

    def waiting_for_review(self) -> tuple[Rows, Rows]:
        """Current rows that are in doubt, and rows in quarantine; the latest change first."""
        flags, seq = self.column("flags"), self.column("seq")
        doubted = np.flatnonzero((flags & (SUSPECTED | RETIRED | DEAD)) == SUSPECTED).astype(np.int32)
        quarantined = np.flatnonzero((flags & (QUARANTINED | DEAD)) == QUARANTINED).astype(np.int32)
        return doubted[np.argsort(-seq[doubted])], quarantined[np.argsort(-seq[quarantined])]

    # Summaries

    @lazy
    def everybody(self) -> tuple[str, ...]:
        """Everybody who said something that is still kept, sorted."""
        return tuple(sorted(self._counted("speaker", None)))

    def kinds_count(self, mask: Mask = None) -> dict[str, int]:
        """How many live items there are of each kind."""
        return self._counted("kind", mask)

    def _counted(self, column: str, mask: Mask) -> dict[str, int]:
        allowed = self.allowed(mask)
        codes = self.column(column) if allowed is None else self.column(column)[allowed]
        names = self.names[column]
        counts = np.bincount(codes).tolist() if len(codes) else []
        return {name: count for code, count in enumerate(counts) if count and (name := names[code]) is not None}

    def sessions(self) -> list[Session]:
        """The sessions of live items, the latest first."""
        rows = np.flatnonzero((self.column("session") > 0) & self.alive)
        rows = rows[np.lexsort((self.column("when")[rows], self.column("session")[rows]))]
        codes, when = self.column("session")[rows], self.column("when")[rows]
        starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])[: len(codes)])
        ends = np.append(starts, len(codes))[1:]
        names = self.names["session"]
        found = [
            Session(
                name=names[int(codes[start])] or "",
                items=end - start,
                first=moment(int(when[start])),
                last=moment(int(when[end - 1])),
            )
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        return sorted(found, key=lambda session: (session.last, session.name), reverse=True)
