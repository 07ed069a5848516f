"""What the engine asks of a store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from truekeep.model import (
    JSON,
    AccessKey,
    AuditEntry,
    AuditFilters,
    AuditPage,
    Job,
    JobState,
    SpaceId,
    SpaceSize,
    TenantReceipt,
    Usage,
    Value,
)

from .changes import Charge
from .items import Checkpoints, Items, Snapshots

if TYPE_CHECKING:
    from pathlib import Path


class Values(Protocol):
    """JSON under keys, with versions that only grow (gaps are normal, a deleted key does not start again)."""

    def value(self, space: SpaceId, key: str, *, now: datetime) -> Value | None:
        """None when missing or expired."""

    def keys(self, space: SpaceId, *, now: datetime) -> list[str]:
        """Sorted; expired ones are left out."""

    def own_keys(self, begin: str) -> list[tuple[str, str]]:
        """Tenants, and keys of values that begin so in the own space of each, also of those that are over; sorted."""

    def edit_value(
        self,
        space: SpaceId,
        key: str,
        edit: Callable[[Value | None], JSON],
        *,
        now: datetime,
        ttl: timedelta | None,
        charge: Charge | None = None,
        answer: tuple[str, str] | None = None,
    ) -> Value | None:
        """Replace the value by what `edit` makes of the present one, in one transaction; None deletes.

        `edit` runs inside the transaction, may run more than once, and may raise: then nothing changes. `ttl` None
        keeps the present expiry of a value that stays, so `append` does not make a temporary list permanent; use
        `timedelta.max` to clear it.

        `answer` is an idempotency key, in the same book as those of items, and a hash of the request. If the key was
        answered before with the same hash, nothing happens and the present value is returned (None if there is none
        any more); with another hash Conflict is raised; otherwise the edit is noted under it.
        """

    def restore_value(self, space: SpaceId, value: Value, *, charge: Charge | None = None) -> bool | None:
        """Put a value back with its times (import), in place of an older one under the same key; whether that was so.

        The version is a new one. None: its key is barred (see `Persons`), or begins like one, and it was set by then.
        """


class Jobs(Protocol):
    """Durable work. A job that was claimed and not finished within its lease can be claimed again."""

    def add_job(self, job: Job, *, charge: Charge | None = None) -> None:
        """Keep a job. Its payload, with those that are kept in the space, counts towards its bytes.

        QuotaExceeded also when as many jobs of the tenant wait or run as `stores.ledger.quotas.OPEN_JOBS`.
        """

    def job(self, space: SpaceId, id: str) -> Job | None: ...

    def find_job(self, tenant: str, id: str) -> Job | None:
        """The job in whichever space of the tenant it is; not one in its own."""

    def latest_jobs(self, tenant: str, *, limit: int = 100) -> list[Job]:
        """The jobs of all spaces of the tenant but its own, whatever their state; those begun last come first."""

    def claim_job(self, *, now: datetime, lease: timedelta, max_attempts: int) -> Job | None:
        """The oldest waiting job of any space, or one whose lease ran out; its `attempts` has grown by one.

        One that was claimed `max_attempts` times already becomes "failed" with the error "gave up" instead: it may be
        what ended the processes that took it.
        """

    def finish_job(self, job: Job, *, now: datetime, again_at: datetime | None = None) -> None:
        """Keep `state`, `result` and `error` of a claimed job; one that is `done` and has no error loses its payload.

        A job put back as "waiting" is not claimed before `again_at`. Nothing happens when the job was claimed again
        by somebody else meanwhile, or erased.
        """

    def erase_jobs(self, space: SpaceId, *, session: str) -> bool:
        """Erase jobs whose payload names this session, running ones too; whether their bytes are gone from the files.

        If not, `wipe` is still to come. What a job that was running would keep is refused, see `Items.apply`.
        """

    def cut_jobs(self, space: SpaceId, left: Callable[[Job], Job | None]) -> int:
        """Let each job have the payload that it has in what `left` makes of it; None erases it, as `erase_jobs` does.

        How many changed; `wipe` sees to the files. `left` runs inside the transaction and may run more than once. When
        this returns, whoever had begun to write into the space before has finished.
        """

    def jobs_by_state(self) -> dict[JobState, int]:
        """How many there are in all spaces, in each state."""

    def waiting_jobs(self, space: SpaceId | None = None) -> int:
        """How many jobs are waiting or running."""


class Keys(Protocol):
    """Access keys. Of a key's secret nothing is kept but its SHA-256 digest. Keys outlive the spaces they open.

    Where a tenant is asked for, None stands for any; the key of another tenant is not there.
    """

    def add_access_key(self, key: AccessKey, digest: bytes) -> None:
        """Conflict when its id or its digest is taken. `last_used` is not kept: see `note_key_use`."""

    def access_key(self, digest: bytes) -> AccessKey | None:
        """The key with this digest, also when it has expired: the caller judges."""

    def access_keys(self, tenant: str | None) -> list[AccessKey]:
        """Oldest first."""

    def rotate_access_key(
        self, tenant: str | None, id: str, digest: bytes, *, former: Callable[[AccessKey], AccessKey] | None = None
    ) -> AccessKey | None:
        """Give the key another secret; None when there is no such key. Conflict when the digest is taken.

        The former secret stops working at once, or goes on as the key that `former` makes of this one.
        """

    def update_access_key(
        self, tenant: str | None, id: str, change: Callable[[AccessKey], AccessKey]
    ) -> AccessKey | None:
        """Keep the key as `change` makes it; None when there is no such key. Its id, tenant and secret stay.

        `change` runs inside the transaction, may run more than once, and may raise: then nothing changes.
        """

    def remove_access_key(self, tenant: str | None, id: str) -> bool:
        """Whether it was there."""

    def has_access_keys(self) -> bool:
        """Whether there is any, expired or not."""

    def is_closed(self) -> bool:
        """Whether there is a key, or was one since the store was last opened: who lost it shall not let anybody in."""

    def open_again(self) -> None:
        """Let the store be as if it had never had a key. Conflict while there is one."""

    def note_key_use(self, used: Mapping[str, datetime]) -> None:
        """When keys were last used, by id. A time that is earlier than the known one, or an unknown id, is skipped."""

    def tenants(self) -> list[str]:
        """Those that have a key, or a space that holds something; sorted."""

    def erase_tenant(self, tenant: str) -> TenantReceipt:
        """Erase its keys first, so that nobody writes any more, then its spaces, its own among them, and its usage.

        Conflict, and nothing changes, while an operator's key belongs to it. A store that was closed stays so.
        """


class Usages(Protocol):
    """How much was used: counts by tenant, subject, counter and period (see `Usage`).

    Erasing items does not change them; with a space those go that bear its name.
    """

    def count_usage(self, tenant: str, counts: Mapping[tuple[str, str, str], int]) -> None:
        """Add to the counts by (subject, counter, period), all at once; negative ones give back, never below zero."""

    def lease_usage(self, tenant: str, subject: str, counter: str, period: str, *, want: int, limit: int) -> int:
        """Count up to `want` more, as far as that does not exceed the limit; how much was granted, 0 when used up."""

    def usage(self, tenant: str, *, periods: Collection[str] | None = None) -> list[Usage]:
        """What was used, of all periods or of these; sorted by period, subject, counter. Zeros are left out."""


class Persons(Protocol):
    """Those who were erased. A speaker, or the key of a value, is *barred* in all spaces of a tenant.

    What bears the name does not come back by itself then (see `Items.apply`, `Items.restore`,
    `Values.restore_value`); what somebody says or sets on purpose is kept. Of the names nothing is kept but
    fingerprints.
    """

    def marks(self, tenant: str, speakers: Collection[str]) -> list[str]:
        """The fingerprints by which the speakers are known, in their order; alike in all spaces of the tenant."""

    def bar(self, tenant: str, *, speakers: Collection[str] = (), values: Collection[str] = (), now: datetime) -> None:
        """Bar them from now on, also those that are barred already. "user:ana:*" bars all keys that begin so."""

    def admit(self, tenant: str, speakers: Collection[str]) -> list[str]:
        """End that; those who were barred, sorted."""

    def barred(self, tenant: str, speakers: Collection[str]) -> dict[str, datetime]:
        """Those of them who are barred, and since when."""

    def all_keys(self, space: SpaceId) -> list[str]:
        """The keys of all values, also of those that are over and of those that only a checkpoint knows; sorted."""

    def erase_values(self, space: SpaceId, keys: Collection[str]) -> None:
        """Erase values, also from what checkpoints know; `wipe` sees to the files."""

    def traces(self, tenant: str) -> list[str]:
        """All spaces that the tenant ever wrote into and did not erase, sorted; not its own."""

    def leftovers(self) -> list[str]:
        """Where bytes of what was erased lie beyond the reach of `wipe`, and what ends that, in the user's words."""

    def sign(self, text: str) -> str:
        """An HMAC of the text under the secret of the store: whoever has that can tell whether it was signed here."""


class Audits(Protocol):
    """What was done with which key: ids, never texts. Kept when items and spaces are erased; goes with its tenant.

    Of a space that is erased the name goes, too: `space` is None from then on. By its name it is still found.
    """

    def note_audit(self, entries: Mapping[str, Sequence[AuditEntry]]) -> None:
        """Keep entries by tenant, all or none. No id is twice in one."""

    def audit(self, tenant: str, filters: AuditFilters, *, cursor: str | None = None, limit: int = 100) -> AuditPage:
        """Those of the tenant, latest first. An item or a request is found however many days there are.

        InvalidInput for a cursor that is none.
        """

    def drop_audit(self, *, before: datetime) -> None:
        """Remove what was noted before then, of all tenants."""


class Store(Items, Values, Jobs, Snapshots, Keys, Usages, Persons, Audits, Checkpoints, Protocol):
    """All of it, behind one place."""

    @property
    def location(self) -> str:
        """Where it is, in the user's words: a path, or an address without its password."""

    def spaces(self, tenant: str) -> list[str]:
        """Names of the spaces that hold something, sorted; not the tenant's own (`SpaceId.own`)."""

    def overview(self, tenant: str, *, after: str = "", limit: int = 1000) -> list[SpaceSize]:
        """The same spaces with their sizes, by name: the first `limit`, one or more, after the name `after`."""

    def size(self) -> int:
        """Bytes that the store takes."""

    def backup(self, target: Path) -> None:
        """A complete, consistent copy in one new file, while others read and write."""

    def check(self) -> list[str]:
        """Read everything and tell what is damaged, in the user's words; [] when sound."""

    def recount(self, *, dry_run: bool = False) -> list[str]:
        """Count again what spaces hold where only that is wrong; what was put right, or would be, in the user's words.

        Raises DamagedStore where a row itself is damaged, and changes nothing then. Make a backup first: a row that is
        missing is no longer missed afterwards.
        """

    def tidy(self, *, now: datetime) -> None:
        """House-keeping: expired values, old erasure markers (raising the floor), old answers and finished jobs.

        Usage is kept for the month that is running and the thirteen before it.
        """

    def try_write(self) -> None:
        """Commit something that changes nothing, to see whether anything can be kept now.

        StoreError says why not, with the place: that is for whoever looks after the store, and for nobody else.
        """

    def keep_reserve(self, size: int) -> None:
        """Have so many bytes of the disk in reserve, if there is room: `erase` may take them when it is full.

        Nothing for 0, and where the disk is not the store's own.
        """

    def wipe(self) -> bool:
        """Clear what was erased, deleted or replaced out of the store's own files, where that was left for later.

        Whether nothing is left; False while a reader holds the log. Not for what the database server looks after.
        """

    def close(self) -> None:
        """Release everything; harmless when called twice."""
