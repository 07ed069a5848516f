"""The audit: which key did, or was told, which ids. Noted beside the engine, and written together with what others did.

Every request for a memory is served by an engine that knows its key (`Desk.engine`): here that engine notes what it
answers, whoever asks it, and is kept from telling a key without `read` what is there.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from functools import wraps
from typing import Any, cast

from truekeep import model
from truekeep.engine.access import covers
from truekeep.engine.ids import is_id
from truekeep.engine.parts import Clock
from truekeep.engine.runtime.local import Local
from truekeep.engine.verbs.context import Entry, Material
from truekeep.engine.verbs.transfer import Tell
from truekeep.errors import BackendError, NotFound, TruekeepError
from truekeep.model import (
    AccessKey,
    AuditEntry,
    AuditFilters,
    AuditPage,
    Checkpoint,
    Imported,
    Job,
    MemoryItem,
    Source,
    SpaceId,
    Value,
)
from truekeep.ports import Audits

from . import logs, problems

log = logging.getLogger(__name__)

_IDS = 1_000  # of one entry; a request about more makes several
_ROOM = 20_000  # entries and ids that wait to be written, a few megabytes: whoever brings more waits until they are
_LOOKS = 20  # pages that are read for one that is not empty, where a key covers little of what was done
_DROP_EVERY = 3600.0  # seconds

# Methods of an engine, and what they are called when they are noted: as those of the handle, which users know.
VERBS: Mapping[str, str] = {
    **dict.fromkeys(("remember", "correct", "extract", "resolve", "release", "restore", "backup"), ""),
    **dict.fromkeys(("recall", "explain", "items", "item", "history", "review", "diff", "changes"), ""),
    **dict.fromkeys(("forget", "forget_matching", "forget_everything"), "forget"),
    **{"material": "context", "page": "items", "value": "get", "edit_value": "set", "delete_value": "delete"},
}
# Seldom and weighty: in the store before they are answered.
_AT_ONCE = frozenset({"forget", "erase", "admit", "restore", "fork", "import", "export", "backup"})

# Where an answer holds the items that it is about.
_PARTS: Mapping[type, tuple[str, ...]] = {
    model.Page: ("items",),
    model.Changes: ("events",),
    Material: ("entries", "lessons"),
    Entry: ("item",),
    model.Review: ("suspicions", "quarantined", "mentions"),
    model.Suspicion: ("older", "newer"),
    model.Extraction: ("remembered", "job"),
    model.Diff: ("added", "superseded", "revived", "reinforced", "changed"),
    model.Restoration: ("undone",),
}


class Audit:
    """What one process has to note. `days`: how long it is kept; 0: not at all."""

    def __init__(self, store: Audits, *, days: int, clock: Clock) -> None:
        self.is_kept = days > 0
        self._store = store
        self._days = timedelta(days=days)
        self._clock = clock
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: dict[str, list[AuditEntry]] = {}
        self._room = _ROOM
        self._dropped = float("-inf")

    def note(self, space: SpaceId, key: str, verb: str, ids: Iterable[str] = (), outcome: str = "done") -> None:
        """Keep that this was done, to be written in a moment; some of it at once."""
        if not self.is_kept:
            return
        named = tuple(dict.fromkeys(ids))
        at, request = self._clock(), logs.request_id()
        entries = [
            AuditEntry(at=at, key=key, verb=verb, space=space.name, ids=some, request=request, outcome=outcome)
            for some in _pieces(named)
        ]
        with self._lock:
            self._waiting.setdefault(space.tenant, []).extend(entries)
            self._room -= len(entries) + len(named)
            is_full = self._room <= 0
        if is_full or verb in _AT_ONCE:
            try:
                self.flush()
            except BackendError as error:  # what was asked for is done: it is not undone for want of a note
                log.error("the audit cannot be written: %s", type(error).__name__, extra={"error": error})

    def flush(self) -> None:
        """Write what waits. Where that fails it waits on, as long as there is room."""
        with self._writing:
            with self._lock:
                waiting, self._waiting = self._waiting, {}
                is_full, self._room = self._room <= 0, _ROOM
            try:
                self._store.note_audit(waiting)
            except BackendError:
                self._keep(waiting, is_full)
                raise

    def _keep(self, waiting: Mapping[str, list[AuditEntry]], is_full: bool) -> None:
        entries = [entry for some in waiting.values() for entry in some]
        if is_full:
            log.error("%d entries of the audit are lost: it cannot be written", len(entries))
            return
        with self._lock:
            for tenant, some in waiting.items():
                self._waiting.setdefault(tenant, [])[:0] = some
            self._room -= sum(1 + len(entry.ids) for entry in entries)

    def page(self, key: AccessKey, tenant: str, filters: AuditFilters, *, cursor: str | None, limit: int) -> AuditPage:
        """What a key may see, with all that this process knows. A space that is erased has no name to be covered by."""
        self.flush()
        for _ in range(_LOOKS):
            found = self._store.audit(tenant, filters, cursor=cursor, limit=limit)
            if not key.spaces or filters.space is not None:  # which it covers
                return found
            seen = tuple(one for one in found.entries if one.space is not None and covers(key, one.space))
            cursor = found.cursor
            if seen or cursor is None:
                break
        return AuditPage(entries=seen, cursor=cursor)

    def drop_old(self) -> None:
        """Now and then. Where nothing is kept any more, what was kept before goes, too."""
        if time.monotonic() - self._dropped > _DROP_EVERY:
            self._dropped = time.monotonic()
            self._store.drop_audit(before=self._clock() - self._days)

    def note_job(self, job: Job) -> None:
        """What an extraction kept that nobody waited for. Its own id leads to the request that asked for it."""
        writer = job.payload.get("writer")
        if writer is not None and job.state == "done":
            kept = cast("list[dict[str, str]]", job.result.get("remembered", []))
            self.note(job.space, cast(str, writer), job.task, [job.id, *(one["id"] for one in kept)])


class Audited(Local):
    """An engine that notes what it does for its key."""

    def __init__(self, audit: Audit, *given: Any, writer: str, **named: Any) -> None:
        super().__init__(*given, writer=writer, **named)
        self._audit = audit
        self._key = writer

    def note(self, verb: str, ids: Iterable[str] = (), outcome: str = "done") -> None:
        self._audit.note(self.space, self._key, verb, ids, outcome)

    def shown(self, *given: Any, **named: Any) -> tuple[str, frozenset[str]]:
        text, ids = super().shown(*given, **named)
        self.note("context", sorted(ids))
        return text, ids

    def fork(self, name: str, at: str | None) -> Checkpoint:
        forked = super().fork(name, at)
        for space in (self.space, SpaceId(self.space.tenant, name)):  # one is told, the other is written
            self._audit.note(space, self._key, "fork")
        return forked

    def export(self, tell: Tell | None = None) -> Iterator[str]:
        return super().export(lambda ids: self.note("export", ids))

    def import_(self, lines: Iterable[str], tell: Tell | None = None) -> Imported:
        ids: list[str] = []
        outcome = "done"
        try:
            return super().import_(lines, ids.extend)
        except TruekeepError as error:
            outcome = problems.slug_of(error)
            raise
        finally:
            self.note("import", ids, outcome)


def _noted(method: str, verb: str) -> Callable[..., Any]:
    def noted(engine: Audited, *given: Any, **named: Any) -> Any:
        try:
            answer = getattr(Local, method)(engine, *given, **named)
        except TruekeepError as error:
            asked = given if isinstance(error, NotFound) else ()
            engine.note(verb, (one for one in asked if isinstance(one, str) and is_id(one)), problems.slug_of(error))
            raise
        engine.note(verb, told(answer), "dry-run" if named.get("dry_run") else "done")
        return answer

    return noted


for _method, _verb in VERBS.items():
    setattr(Audited, _method, _noted(_method, _verb or _method))


def _pieces(ids: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for start in range(0, max(1, len(ids)), _IDS):
        yield ids[start : start + _IDS]


def told(answer: Any) -> Iterator[str]:
    """The ids of the items that an answer tells, or says that it changed; one may come twice.

    The id of a job stands for what it will keep.
    """
    match answer:
        case model.Recall():  # the one that has to be quick
            yield from [match.item.id for match in (*answer.matches, *answer.lessons)]
        case model.MemoryItem() | model.Event() | model.Edited() | model.Explanation() | Job():
            yield answer.id
        case model.Remembered():
            if answer.outcome != "refused":
                yield from (answer.id, *(item.id for item in answer.superseded))
        case model.Receipt():
            yield from (*answer.erased, *(item.id for item in answer.revived))
        case list() | tuple():
            for one in answer:
                yield from told(one)
        case _:
            for name in _PARTS.get(type(answer), ()):
                yield from told(getattr(answer, name))


class _Withholding:
    """An engine whose answers are emptied, whichever of its methods gives them."""

    def __init__(self, engine: Local) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        return _emptying(found) if callable(found) else found


def withholding(engine: Local) -> Local:
    return cast(Local, _Withholding(engine))


def _emptying(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def emptied(*given: Any, **named: Any) -> Any:
        return withheld(method(*given, **named))

    return emptied


def withheld(answer: Any) -> Any:
    """The answer, with every item and every value in it emptied, however deep they lie."""
    if isinstance(answer, MemoryItem):
        return replace(answer, content="", kind="fact", tags=(), metadata={}, source=Source(), key=None, reason=None)
    if isinstance(answer, Value):
        return replace(answer, value=None)
    if type(answer) in (list, tuple):
        return type(answer)([withheld(one) for one in answer])
    if not is_dataclass(answer) or isinstance(answer, type):
        return answer
    told = {field.name: getattr(answer, field.name) for field in fields(answer)}
    within = {name: value for name, value in told.items() if type(value) in (list, tuple) or is_dataclass(value)}
    return replace(answer, **{name: withheld(value) for name, value in within.items()})
