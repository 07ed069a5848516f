"""Extracting what is worth keeping, at once or as a durable job."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast, overload
from uuid import UUID, uuid5

from truekeep import wire
from truekeep.engine import admit, heard, hygiene, requests
from truekeep.engine.ids import new_id
from truekeep.engine.parts import NO_QUOTAS, Parts
from truekeep.errors import ExtractorError, InvalidInput, TruekeepError
from truekeep.model import (
    JSON,
    Draft,
    Extraction,
    ExtractionReport,
    Filters,
    Job,
    MemoryItem,
    Message,
    Quotas,
    SpaceId,
)
from truekeep.model.reports import day_of, month_of, subject_of
from truekeep.ports import Account, Answer, Extractor, ReportingExtractor, Span, Usages

from .listing import newest
from .remember import remember

log = logging.getLogger(__name__)

TASK = "extract"
_JOBS = UUID("5b6f1c7e-8a60-4d0e-9d2b-3f6f3a4e9c11")  # names the ids that follow from idempotency keys
_MOST_EARLIER = 1_000  # items of a session that a new one is compared with
_CHECKED = ("content", "kind", "tags", "metadata", "source", "key", "ttl", "pinned", "when")


def extract(
    messages: Sequence[Message],
    *,
    session: str | None,
    parts: Parts,
    space: SpaceId,
    now: datetime,
    once: str | None = None,
    limit: timedelta | None = None,
) -> Extraction:
    """Keep what is durable in the messages. `once` names the run: repeated under that name it keeps nothing twice.

    Raises TimeUp where an extractor that has no time limit of its own goes on reading beyond the `limit`.
    """
    messages = hygiene.cleaned_messages(messages, parts.redact)  # no extractor, and no model behind it, sees a secret
    marks = heard.marks_of(messages, session=session, reader=_reader(parts.extractor))
    run, request = None if once is None else heard.run_mark(once), heard.request_of(messages, session)
    known = parts.store.look(space, answers={mark for mark in (*marks, run) if mark is not None}).answers
    if run is not None and run in known:
        return Extraction(remembered=tuple(heard.earlier_run(known[run], request, parts.store, space)))
    settled = {place for place, mark in enumerate(marks) if mark in known}
    account = TenantAccount(parts.store, space.tenant, now)
    found, report = _extracted(messages, settled, account, parts.extractor, limit)
    drafts, refused = _admissible(found, session, parts.limits)
    earlier = _of_session(session, parts, space, now) if report is not None else []
    drafts = _named(heard.unread(drafts, messages, settled, earlier), once, is_steady=report is None)
    kept = remember(drafts, parts=parts, space=space, now=now, prompt=True) if drafts else []
    kept = [one for one in kept if one.outcome != "refused"]
    fresh = [] if report is not None and report.fallback else [mark for mark in marks if mark and mark not in known]
    if fresh or report is not None:
        done = None if run is None else (run, Answer(request, "", "added", tuple(one.id for one in kept)))
        heard.note(fresh, done, parts=parts, space=space, now=now)
    return Extraction(remembered=tuple(kept), report=report and replace(report, dropped=report.dropped + refused))


def kind_of(statement: str, parts: Parts) -> str | None:
    """The kind of a single statement, where its words leave no doubt.

    An extractor that costs something is not asked for so little, but whoever it falls back on.
    """
    extractor: Extractor | None = parts.extractor
    if isinstance(extractor, ReportingExtractor):
        extractor = getattr(extractor, "fallback", None)
    if extractor is None:
        return None
    messages = hygiene.cleaned_messages([Message(content=statement)], parts.redact)
    with _failing_as_ours():
        kinds = {draft.kind for draft in extractor.extract(messages)}
    return kinds.pop() if len(kinds) == 1 else None


def _extracted(
    messages: Sequence[Message],
    settled: Collection[int],
    account: Account,
    extractor: Extractor,
    limit: timedelta | None,
) -> tuple[list[Draft], ExtractionReport | None]:
    with _failing_as_ours():
        if isinstance(extractor, ReportingExtractor):
            extracted = extractor.extract_within(messages, account=account, settled=settled)
            return list(extracted.drafts), extracted.report
        return list(extractor.extract(messages if limit is None else _Timed(messages, limit))), None


@contextmanager
def _failing_as_ours() -> Iterator[None]:
    try:
        yield
    except TruekeepError:
        raise
    except Exception as error:  # somebody else's code: it may raise anything
        raise ExtractorError(f"the extractor failed with {type(error).__name__}") from error


class TimeUp(ExtractorError):
    """An extraction took longer than a job may."""


class _Timed(Sequence[Message]):
    """The messages, for as long as there is time: whoever goes on reading is stopped. No thread can be."""

    def __init__(self, messages: Sequence[Message], limit: timedelta) -> None:
        self._messages = messages
        self._limit = limit
        self._until = time.monotonic() + limit.total_seconds()

    @overload
    def __getitem__(self, place: int) -> Message: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Message]: ...
    def __getitem__(self, place: int | slice) -> Message | Sequence[Message]:
        if time.monotonic() > self._until:
            raise TimeUp(f"took longer than {self._limit.total_seconds():g} seconds")
        return self._messages[place]

    def __len__(self) -> int:
        return len(self._messages)


def _reader(extractor: Extractor) -> str:
    """Another extractor may find more in what this one has read."""
    return extractor.name if isinstance(extractor, ReportingExtractor) else type(extractor).__qualname__


def _admissible(found: Sequence[Draft], session: str | None, limits: admit.Limits) -> tuple[list[Draft], int]:
    """The drafts that can be kept, and how many cannot."""
    admitted = [_admitted(draft, session, limits) for draft in found]
    drafts = [draft for draft in admitted if draft is not None]
    if len(drafts) < len(admitted):
        log.warning("%d of %d extracted drafts were not admissible and are left out", admitted.count(None), len(found))
    return drafts, len(admitted) - len(drafts)


def _named(drafts: Sequence[Draft], once: str | None, *, is_steady: bool) -> list[Draft]:
    """Each with an idempotency key of its own. One that words things differently each time is known by the words."""
    if once is None:
        return list(drafts)
    if is_steady:
        return [replace(draft, idempotency_key=f"{once}:{number}") for number, draft in enumerate(drafts)]
    return [replace(draft, idempotency_key=f"{once}:{uuid5(_JOBS, repr(draft))}") for draft in drafts]


def _of_session(session: str | None, parts: Parts, space: SpaceId, now: datetime) -> list[MemoryItem]:
    if session is None:
        return []
    filters = Filters(session=session, include_superseded=True, include_quarantined=True)
    return newest(filters, limit=_MOST_EARLIER, offset=0, parts=parts, space=space, now=now)


def _admitted(draft: Draft, session: str | None, limits: admit.Limits) -> Draft | None:
    """The draft checked like everything that is said; None if it cannot be kept, rather than failing the others."""
    try:
        given = {name: getattr(draft, name) for name in _CHECKED}
        checked = requests.draft(limits, derived=True, session=session, **given)
    except (InvalidInput, AttributeError):
        return None
    return replace(checked, redacted=draft.redacted)


def new_job(
    messages: Sequence[Message],
    *,
    session: str | None,
    space: SpaceId,
    now: datetime,
    idempotency_key: str | None = None,
    quotas: Quotas = NO_QUOTAS,
    writer: str | None = None,
) -> Job:
    """With an idempotency key the id follows from it, so that a second job cannot be added."""
    payload: dict[str, JSON] = {"session": session, "messages": list(map(wire.record, messages))}
    if quotas != NO_QUOTAS:
        payload["quotas"] = wire.record(quotas)
    if writer is not None:
        payload["writer"] = writer
    id = new_id(now)
    if idempotency_key is not None:
        id = str(uuid5(_JOBS, "\0".join((*space, idempotency_key))))
    return Job(id=id, space=space, task=TASK, payload=payload, created=now, updated=now)


def run_job(job: Job, *, parts: Parts, now: datetime, limit: timedelta | None = None) -> Mapping[str, JSON]:
    """Do the work of a job and return its result. Raises Withdrawn when the job was erased meanwhile, and TimeUp."""
    messages = list(map(wire.reader(Message), cast(list[wire.Record], job.payload["messages"])))
    session = cast(str | None, job.payload.get("session"))
    quotas = Quotas(**cast(Mapping[str, int | None], job.payload.get("quotas", {})))
    parts = replace(parts, quotas=quotas, writer=cast(str | None, job.payload.get("writer")), job=job)
    done = extract(messages, session=session, parts=parts, space=job.space, now=now, once=job.id, limit=limit)
    result: dict[str, JSON] = {"remembered": [{"id": one.id, "outcome": one.outcome} for one in done.remembered]}
    return result if done.report is None else {**result, "report": wire.record(done.report)}


def shortfall(result: Mapping[str, JSON]) -> str | None:
    """Why a job that is done was not done as it should, so that its messages are kept; None when all went well."""
    report = result.get("report")
    return cast(str | None, report["fallback"]) if isinstance(report, Mapping) else None


@dataclass(frozen=True, slots=True)
class TenantAccount:
    """The port `Account`. A budget for each space would be none: anybody has as many as he likes.

    All that one piece of work uses falls into the period in which it began.
    """

    usages: Usages
    tenant: str
    now: datetime

    def take(self, counter: str, want: int, *, limit: int | None, per: Span) -> bool:
        if limit is None:
            self.settle(counter, want, per=per)
            return True
        granted = self.usages.lease_usage(self.tenant, *self._of(counter, per), want=want, limit=limit)
        if granted < want:
            self.settle(counter, -granted, per=per)
        return granted >= want

    def settle(self, counter: str, more: int, *, per: Span) -> None:
        if more:
            self.usages.count_usage(self.tenant, {self._of(counter, per): more})

    def _of(self, counter: str, per: Span) -> tuple[str, str, str]:
        return subject_of("tenant", self.tenant), counter, day_of(self.now) if per == "day" else month_of(self.now)
