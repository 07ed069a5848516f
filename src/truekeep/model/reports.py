"""What is told about a memory: what waits, what was done, what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from .items import JSON, MemoryItem, Remembered, SpaceId
from .shown import call, counted, cut, several

JobState = Literal["waiting", "running", "done", "failed"]
Scope = Literal["read", "write", "admin", "metrics"]
Keep = Literal["newer", "older", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A doubt that only somebody who knows can settle: the newer item may have replaced the older one."""

    older: MemoryItem
    newer: MemoryItem

    def __repr__(self) -> str:
        return call("Suspicion", f"older={cut(self.older.content)}", f"newer={cut(self.newer.content)}", id=self.id)

    @property
    def id(self) -> str:
        return f"{self.older.id}:{self.newer.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What waits for somebody to look at it."""

    suspicions: tuple[Suspicion, ...] = ()  # newest doubt first
    quarantined: tuple[MemoryItem, ...] = ()
    mentions: tuple[MemoryItem, ...] = ()  # of somebody who was erased, by others

    def __repr__(self) -> str:
        told = (counted(len(self.suspicions), "suspicion"), f"{len(self.quarantined):,} quarantined")
        return call("Review", *told, mentions=len(self.mentions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Durable work that a later process may finish."""

    id: str
    space: SpaceId
    task: str
    payload: Mapping[str, JSON]
    state: JobState = "waiting"
    attempts: int = 0
    result: Mapping[str, JSON] = field(default_factory=dict)
    error: str | None = None
    created: datetime
    updated: datetime

    def __repr__(self) -> str:
        told = (repr(self.task), repr(self.state))
        return call("Job", *told, id=self.id, space=self.space.name, attempts=self.attempts, error=self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionReport:
    """What an extraction by a model cost, and what became of it."""

    extractor: str
    calls: int = 0  # requests to the endpoint, repeated ones too
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dropped: int = 0  # suggestions that were left out, most of them because they quote nothing that was said
    fallback: str | None = None  # why the rules had to do it, or the rest of it; None: the model did
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What an `extract` kept; with `wait=False` only the job, until it is done."""

    remembered: tuple[Remembered, ...] = ()
    job: Job | None = None
    report: ExtractionReport | None = None  # of an extractor that reports; the result of a job has it as "report"

    def __repr__(self) -> str:
        return call("Extraction", several(cut(one.item.content) for one in self.remembered), job=self.job)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a `forget` erased, found out by searching again afterwards."""

    erased: tuple[str, ...] = ()
    remaining: int = 0  # of the erased ids, how many can still be found: always 0 unless the store failed
    pending: bool = False  # its bytes may lie in the files for a minute, or until `flush` or `close`
    dry_run: bool = False  # nothing was erased: this is what would be
    going: tuple[MemoryItem, ...] = ()  # of a dry run, what would be erased
    revived: tuple[MemoryItem, ...] = ()  # and what would be believed again, as it is now

    def __repr__(self) -> str:
        told = (f"{len(self.erased):,} erased", f"{self.remaining:,} remaining")
        return call("Receipt", *told, pending=self.pending, dry_run=self.dry_run, revived=len(self.revived))


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import restored."""

    items: int = 0
    versions: int = 0
    values: int = 0
    unchanged: int = 0  # already here, at least as new
    refused: int = 0  # forgotten before, or of somebody who was erased: they do not come back


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much is where."""

    space: str
    path: str
    items: int
    current: int
    pending: int
    values: int
    jobs: int
    failures: int
    bytes: int
    embedder: str
    multilingual: str | None = None  # what makes the vectors of other languages; None where nothing does
    judge: str = "rules"  # what judges statements; rules where there is none
    judge_failures: int = 0  # while it fails, rules decide alone
    kinds: Mapping[str, int] = field(default_factory=dict)
    set_aside: Mapping[str, int] = field(default_factory=dict)  # of the pending: not taken by the embedder, and why
    unjudged: int = 0  # what these change is still to be found

    def __repr__(self) -> str:
        told = (repr(self.space), counted(self.items, "item"), f"{self.current:,} current")
        waiting = {"pending": self.pending, "set_aside": sum(self.set_aside.values()), "unjudged": self.unjudged}
        waiting |= {"jobs": self.jobs, "failures": self.failures, "judge_failures": self.judge_failures}
        return call("Stats", *told, values=self.values, **waiting, bytes=self.bytes, path=self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """What may be used; None: as much as one likes."""

    operations_per_month: int | None = None
    recalls_per_month: int | None = None
    memories: int | None = None  # held by the tenant, in all its spaces
    writes_per_day: int | None = None  # into one space, values too; days are those of UTC
    bytes_per_space: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """What one who presents its secret may do. The secret itself is nowhere kept."""

    id: str
    tenant: str
    name: str
    scopes: tuple[Scope, ...]
    spaces: tuple[str, ...] = ()  # patterns of names; empty: all spaces of the tenant
    operator: bool = False  # may make keys for any tenant
    quotas: Quotas = Quotas()
    created: datetime
    expires: datetime | None = None
    last_used: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How much was used in one period."""

    subject: str  # see `subject_of`; or "keys" for all of a tenant's
    counter: str  # operations, recalls, writes, llm_calls, llm_tokens, revoked
    period: str  # a month, "2026-11", or a day, "2026-11-15", of UTC; "ever" is kept for good
    count: int


def subject_of(kind: Literal["key", "space", "tenant"], name: str) -> str:
    """Whose usage it is, such as "space:support-bot"; a key goes by its id."""
    return f"{kind}:{name}"


def day_of(now: datetime) -> str:
    """The day of UTC, such as "2026-11-15"."""
    return now.astimezone(UTC).date().isoformat()


def month_of(now: datetime) -> str:
    """The month of UTC, such as "2026-11"."""
    return day_of(now)[:7]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceSize:
    """How much a space holds."""

    name: str
    items: int
    values: int
    bytes: int  # of its texts and values, former versions included


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """What one tenant holds, has used and may use: names and figures, for whoever runs the server."""

    name: str
    keys: int
    spaces: int
    items: int
    values: int
    bytes: int  # of all its spaces, see `SpaceSize`
    operations: int  # this month
    recalls: int  # this month
    writes: int  # today
    quotas: Quotas  # the widest of its keys


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantReceipt:
    """What ending a tenant erased, found out by searching again afterwards."""

    tenant: str
    keys: int
    spaces: int
    items: int
    remaining: int  # keys and items that can still be found: 0 unless the store failed
    pending: bool  # their bytes may lie in the files for a minute
