"""Counting what keys do, and stopping those that did enough.

Writes are counted and limited by the store in their own transaction. Operations and recalls are taken from the store
in blocks, so that a recall costs no write: the blocks of all workers together never exceed a quota, and what a
worker did not use goes back when it stops or the month ends.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from truekeep.errors import QuotaExceeded
from truekeep.model import AccessKey, Quotas, SpaceId
from truekeep.model.reports import day_of, month_of, subject_of
from truekeep.ports import Store

Counted = Literal["operations", "recalls"]
_BLOCKS = 100  # a quota is taken in this many pieces
_MOST = 1_000  # and no piece is larger


class _Meter(NamedTuple):
    tenant: str
    subject: str
    counter: Counted
    period: str


class Meters:
    """The counts of one process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._telling = threading.Lock()
        self._left: dict[_Meter, int] = {}  # taken from the store and not used yet
        self._counts: Counter[_Meter] = Counter()  # used without a limit, on the way to the store

    def take(self, key: AccessKey, quotas: Quotas, counters: Iterable[Counted], now: datetime) -> None:
        """Count one use, or raise QuotaExceeded.

        What all keys of the tenant use is held against the quota: otherwise whoever may make keys had as many times
        theirs as they like. What one key uses is counted for people.
        """
        limits = {"operations": quotas.operations_per_month, "recalls": quotas.recalls_per_month}
        taken: list[_Meter] = []
        for counter in counters:
            meter = _Meter(key.tenant, subject_of("tenant", key.tenant), counter, month_of(now))
            try:
                self._take(meter, limits[counter], now)
            except QuotaExceeded:
                for other in taken:  # a request that is refused uses nothing up
                    self._give(other, limits[other.counter])
                raise
            taken.append(meter)
        with self._lock:
            for meter in taken:
                self._counts[meter._replace(subject=subject_of("key", key.id))] += 1

    def note_recall(self, space: SpaceId, now: datetime) -> None:
        """Count a recall for its space and day, too: nothing limits these, people look at them."""
        with self._lock:
            self._counts[_Meter(space.tenant, subject_of("space", space.name), "recalls", day_of(now))] += 1

    def _take(self, meter: _Meter, limit: int | None, now: datetime) -> None:
        with self._lock:
            if limit is None:
                self._counts[meter] += 1
                return
            if self._left.get(meter, 0) > 0:
                self._left[meter] -= 1
                return
        granted = self._store.lease_usage(
            meter.tenant,
            meter.subject,
            meter.counter,
            meter.period,
            want=max(1, min(_MOST, limit // _BLOCKS)),
            limit=limit,
        )
        if granted < 1:
            raise QuotaExceeded(
                f"the quota of {limit:,} {meter.counter} a month is used up",
                until_next_month(now),
                f"{meter.counter}_per_month",
            )
        with self._lock:
            self._left[meter] = self._left.get(meter, 0) + granted - 1

    def _give(self, meter: _Meter, limit: int | None) -> None:
        with self._lock:
            if limit is None:
                self._counts[meter] -= 1
            else:
                self._left[meter] = self._left.get(meter, 0) + 1

    def flush(self, now: datetime, *, everything: bool = False) -> None:
        """Tell the store what was used; give back blocks of past months, at the end all of them.

        Whoever asks the store afterwards finds all of it: what another thread is telling is waited for. What cannot be
        told waits for the next time, but nothing is given back twice: a quota would be exceeded.
        """
        with self._telling:
            with self._lock:
                counts, self._counts = self._counts, Counter()
                over = [meter for meter in self._left if everything or meter.period != month_of(now)]
                for meter in over:
                    counts[meter] -= self._left.pop(meter)
            try:
                self._tell(counts)
            finally:
                with self._lock:
                    self._counts.update(+counts)

    def _tell(self, counts: Counter[_Meter]) -> None:
        """Tell the store of each tenant, and take out what is told."""
        for tenant in {meter.tenant for meter in counts}:
            own = {meter: count for meter, count in counts.items() if meter.tenant == tenant}
            used: dict[tuple[str, str, str], int] = {
                meter[1:]: count for meter, count in own.items() if count and self._is_kept(meter)
            }
            if used:
                self._store.count_usage(tenant, used)
            for meter in own:
                del counts[meter]

    def _is_kept(self, meter: _Meter) -> bool:
        """Asking for names of spaces that hold nothing shall leave nothing behind."""
        kind, _, name = meter.subject.partition(":")
        return kind != "space" or self._store.head(SpaceId(meter.tenant, name)).seq > 0


def until_next_month(now: datetime) -> timedelta:
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1) - now
