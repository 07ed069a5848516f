"""What a recipe writes: each charged against quotas, and made on behalf of a job, in its own transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from truekeep.model import JSON, Job, Quotas, SpaceId, Value
from truekeep.ports import Applied, Change, Charge, Put, Restored, Store

if TYPE_CHECKING:
    from .parts import Clock

NO_QUOTAS = Quotas()


@dataclass(frozen=True, slots=True, kw_only=True)
class Writes:
    """The methods of a store that are charged for; their contracts are those of `truekeep.ports`."""

    store: Store
    clock: Clock
    quotas: Quotas = NO_QUOTAS
    job: Job | None = None  # once it was erased or taken over, nothing is kept on its behalf: `apply` raises Withdrawn

    def apply(self, space: SpaceId, change: Change, *, based_on: int) -> Applied:
        return self.store.apply(space, change, based_on=based_on, charge=self._charge(), job=self.job)

    def restore(self, space: SpaceId, puts: Sequence[Put], versions: Sequence[Put]) -> Restored:
        return self.store.restore(space, puts, versions, charge=self._charge())

    def edit_value(
        self,
        space: SpaceId,
        key: str,
        edit: Callable[[Value | None], JSON],
        *,
        ttl: timedelta | None,
        answer: tuple[str, str] | None = None,
    ) -> Value | None:
        now = self.clock()
        return self.store.edit_value(space, key, edit, now=now, ttl=ttl, charge=self._charge(now), answer=answer)

    def restore_value(self, space: SpaceId, value: Value) -> bool:
        return self.store.restore_value(space, value, charge=self._charge())

    def add_job(self, job: Job) -> None:
        self.store.add_job(job, charge=self._charge())

    def _charge(self, now: datetime | None = None) -> Charge | None:
        return None if self.quotas == NO_QUOTAS else Charge(now=now or self.clock(), quotas=self.quotas)
