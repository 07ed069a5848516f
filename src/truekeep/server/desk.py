"""The desk: every request that wants a memory is served here, in one trip to a worker thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TypeVar

from fastapi import Request

from truekeep import steps
from truekeep.engine import admit
from truekeep.engine.access import covers
from truekeep.engine.runtime.local import Local
from truekeep.engine.runtime.opened import Opened
from truekeep.errors import BackendError, ConfigurationError, DamagedStore, NotFound, StoreError
from truekeep.memory import Memory, handle
from truekeep.model import AccessKey, AuditFilters, AuditPage, Job, Quotas, Scope, SpaceId, SpaceSize, Stats, Usage
from truekeep.ports import Pooled, Store

from .audit import Audit, Audited, withholding
from .callers import Callers, credential, digest_of
from .meter import Counted, Meters
from .metrics import Metrics
from .problems import Forbidden
from .readiness import Readiness
from .receivers import Receivers
from .settings import ServerSettings

_T = TypeVar("_T")
_HANDLES = 10_000  # of spaces, kept open: each is a few hundred bytes
_PRESENTED = "truekeep.presented"
_JOBS = 1000  # of a tenant, the latest: among them those that a key covers are looked for
_NOT_TAKEN = "the embedder did not take the text"

_COUNTED: Mapping[str, tuple[Counted, ...]] = {
    "write": ("operations",),
    "operation": ("operations",),
    "recall": ("operations", "recalls"),
    "free": (),
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what they can reach."""

    key: AccessKey
    desk: Desk

    @property
    def tenant(self) -> str:
        return self.key.tenant

    def memory(self, space: str) -> Memory:
        engine = self.engine(space)
        return self.desk.memory(engine, "read" in self.key.scopes)

    def engine(self, space: str) -> Local:
        return self.desk.engine(SpaceId(self.tenant, space), self.desk.callers.quotas_of(self.key), self.key.id)

    def note(self, space: str, verb: str, ids: Iterable[str] = ()) -> None:
        """For the audit, of what is told without an engine of the caller's."""
        self.desk.audit.note(SpaceId(self.tenant, space), self.key.id, verb, ids)

    def audit(
        self, filters: AuditFilters, *, tenant: str | None = None, cursor: str | None = None, limit: int
    ) -> AuditPage:
        """What was done with keys of the caller's tenant, in spaces that their own covers; an operator names any."""
        tenant = self.tenant if tenant is None else tenant
        if tenant != self.tenant and not self.key.operator:
            raise Forbidden("only the operator may name another tenant")
        return self.desk.audit.page(self.key, tenant, filters, cursor=cursor, limit=limit)

    def stats(self, space: str) -> Stats:
        """How much is where, without what is the operator's business: the whole store, and where its embedder is."""
        found = self.memory(space).stats()
        if self.key.operator:
            return found
        sizes = self.desk.store.overview(self.tenant, after=space[:-1], limit=1000)
        size = next((one.bytes for one in sizes if one.name == space), 0)
        aside = {_NOT_TAKEN: sum(found.set_aside.values())} if found.set_aside else {}
        return replace(found, path="", bytes=size, failures=0, judge_failures=0, set_aside=aside)

    def may(self, scope: Scope, space: str) -> None:
        """See that the key allows something in a space besides the one that is asked about."""
        self.desk.callers.allowed(self.key, scope, space)

    def job(self, id: str) -> Job:
        """A job in any space that the key covers; one of somebody else is as good as none."""
        job = self.desk.store.find_job(self.tenant, id)
        if job is None or not covers(self.key, job.space.name):
            raise NotFound(f"no job {id!r}")
        return job

    def latest_jobs(self, *, limit: int) -> list[Job]:
        """Those that changed last, in spaces that the key covers."""
        found = self.desk.store.latest_jobs(self.tenant, limit=_JOBS)
        return [job for job in found if covers(self.key, job.space.name)][:limit]

    def spaces(self, *, after: str = "", limit: int) -> list[SpaceSize]:
        """Those that the key covers; others are not even counted."""
        found: list[SpaceSize] = []
        while len(found) < limit:
            page = self.desk.store.overview(self.tenant, after=after, limit=1000)
            found += [one for one in page if covers(self.key, one.name)]
            if len(page) < 1000:
                break
            after = page[-1].name
        return found[:limit]

    def used(self, periods: Collection[str]) -> list[Usage]:
        """What was used in these periods, as far as it is the caller's business."""
        self.desk.meters.flush(self.desk.clock())
        found = self.desk.store.usage(self.tenant, periods=periods)
        return [one for one in found if self._may_see(one.subject)]

    def _may_see(self, subject: str) -> bool:
        """A key sees its own counts, and the tenant's, to which its quotas apply; with `admin`, all of them."""
        kind, _, name = subject.partition(":")
        if kind == "space":
            return covers(self.key, name)
        return kind == "tenant" or name == self.key.id or "admin" in self.key.scopes


class Desk:
    """What the routes of one process share."""

    def __init__(self, opened: Opened, settings: ServerSettings, metrics: Metrics) -> None:
        parts = opened.parts
        self.metrics = metrics
        self.opened = opened
        self.store: Store = parts.store
        self.clock = parts.clock
        self.callers = Callers(self.store, settings, parts.clock)
        self.meters = Meters(self.store)
        self.audit = Audit(self.store, days=settings.audit_days, clock=parts.clock)
        opened.heed_jobs(self.audit.note_job)
        self.receivers = Receivers(settings.webhooks)
        self._reserve = settings.reserve_bytes
        self.store.keep_reserve(self._reserve)  # from the first request on
        self.damage: str | None = None  # that somebody met, until a check finds none
        self.readiness = Readiness(opened, self.why_unwritable)
        self._unwatch = steps.watch(metrics.timed, *metrics.steps)
        self._flushing = threading.Lock()
        self._threads = ThreadPoolExecutor(settings.concurrency, thread_name_prefix="truekeep-serve")
        self.engine = lru_cache(_HANDLES)(self._engine)
        self.memory = lru_cache(_HANDLES)(self._memory)

    def _engine(self, space: SpaceId, quotas: Quotas, writer: str) -> Local:
        admit.name(space.name, "space", self.opened.limits)
        made: Callable[..., Local] = partial(Audited, self.audit) if self.audit.is_kept else Local
        return made(self.opened, space, owns=False, quotas=quotas, writer=writer)

    def _memory(self, engine: Local, may_read: bool) -> Memory:
        return handle(engine if may_read else withholding(engine))

    async def run(self, work: Callable[[], _T]) -> _T:
        """Run blocking work in one of our threads. Once begun it is finished, also when the caller hangs up."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work)

    async def recognise(self, request: Request) -> None:
        """See that a key is behind a request before more of it is taken in: a stranger's body is not worth a look.

        One that was good a moment ago is believed here; `serve` looks again.
        """
        digest, address = _presented(request)
        if not self.callers.is_known(digest):
            await self.run(lambda: self.callers.behind(digest, address))

    async def serve(
        self,
        request: Request,
        work: Callable[[Caller], _T],
        *,
        scope: Scope,
        space: str | None = None,
        counts: str = "free",
    ) -> _T:
        """Let the caller of this request do some work, if their key allows it and its quotas are not used up."""
        digest, address = _presented(request)

        def serve() -> _T:
            caller = self.let_in(self.callers.behind(digest, address), scope=scope, space=space, counts=counts)
            if space is not None and counts == "recall":
                self.meters.note_recall(SpaceId(caller.tenant, space), self.clock())
            try:
                return work(caller)
            except DamagedStore as error:
                self.damage = str(error)
                raise

        return await self.run(serve)

    def let_in(self, key: AccessKey, *, scope: Scope, space: str | None, counts: str) -> Caller:
        """The holder of this key, if it allows what they want and its quotas are not used up."""
        self.callers.allowed(key, scope, space)
        if counters := _COUNTED[counts]:
            self.meters.take(key, self.callers.quotas_of(key), counters, self.clock())
        return Caller(key, self)

    @contextmanager
    def one_flush(self) -> Iterator[bool]:
        """Whether the caller may do the waiting work. One at a time: many could hold every thread for a minute."""
        is_ours = self._flushing.acquire(blocking=False)
        try:
            yield is_ours
        finally:
            if is_ours:
                self._flushing.release()

    def why_unwritable(self) -> str | None:
        """Why nothing can be kept now, with the place, for the log; None while all is well. Writes, so it may block."""
        try:
            self.store.try_write()
        except (BackendError, ConfigurationError) as error:
            return str(error)
        return self.damage

    def flush(self) -> None:
        self.store.keep_reserve(self._reserve)
        self.callers.flush()
        self.meters.flush(self.clock())
        self.audit.flush()
        self.audit.drop_old()

    def give_up(self) -> None:
        """Let nobody wait for a store that is away. Takes a moment, in a thread of its own: all of ours may wait."""
        if isinstance(self.store, Pooled):
            threading.Thread(target=self.store.give_up, name="truekeep-give-up", daemon=True).start()

    def close(self) -> None:
        """Finish what has begun, then put everything down."""
        self._threads.shutdown(wait=True)
        self._unwatch()
        self.readiness.close()
        if self.readiness.has_store:  # for one that is away nobody waits: what was counted since is lost
            with suppress(StoreError):  # it may not have been noticed yet
                self.callers.flush()
                self.meters.flush(self.clock(), everything=True)
                self.audit.flush()
                self.opened.parts.accesses.flush(self.store, self.clock())


def _presented(request: Request) -> tuple[bytes | None, str | None]:
    """The digest of the key that comes with a request, and where that comes from; worked out once."""
    found: tuple[bytes | None, str | None] | None = request.scope.get(_PRESENTED)
    if found is None:
        found = request.scope[_PRESENTED] = (digest_of(credential(request.headers)), address_of(request))
    return found


def address_of(request: Request) -> str | None:
    """Where it comes from; a proxy on this machine says for whom it asks."""
    return None if request.client is None else request.client.host


def desk_of(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk
