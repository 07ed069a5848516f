"""Extracting what is worth keeping, at once or as a durable job."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import cast
from uuid import UUID, uuid5

from recollect.errors import ExtractorError, InvalidInput, RecollectError
from recollect.model import JSON, Draft, Job, Message, Quotas, Remembered, SpaceId
from recollect.ports import Extractor

from . import admit, requests
from .charged import NO_QUOTAS, charged
from .ids import new_id
from .parts import Parts
from .remember import remember

log = logging.getLogger(__name__)

TASK = "extract"
_JOBS = UUID("5b6f1c7e-8a60-4d0e-9d2b-3f6f3a4e9c11")  # names the ids that follow from idempotency keys
_CHECKED = ("content", "kind", "tags", "metadata", "source", "key", "ttl", "pinned", "when")


def extract(
    messages: Sequence[Message],
    *,
    session: str | None,
    parts: Parts,
    space: SpaceId,
    now: datetime,
    once: str | None = None,
) -> list[Remembered]:
    """Keep what is durable in the messages. `once` names the run: repeated under that name it keeps nothing twice."""
    found = [_admitted(draft, session, parts.limits) for draft in _extracted(messages, parts.extractor)]
    drafts = [draft for draft in found if draft is not None]
    if len(drafts) < len(found):
        log.warning("%d of %d extracted drafts were not admissible and are left out", found.count(None), len(found))
    if once is not None:
        drafts = [replace(draft, idempotency_key=f"{once}:{number}") for number, draft in enumerate(drafts)]
    return remember(drafts, parts=parts, space=space, now=now) if drafts else []


def _extracted(messages: Sequence[Message], extractor: Extractor) -> list[Draft]:
    try:
        return list(extractor.extract(messages))
    except RecollectError:
        raise
    except Exception as error:  # somebody else's code: it may raise anything
        raise ExtractorError(f"the extractor failed with {type(error).__name__}") from error


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
) -> Job:
    """With an idempotency key the id follows from it, so that a second job cannot be added."""
    payload: dict[str, JSON] = {"session": session, "messages": [_to_json(message) for message in messages]}
    if quotas != NO_QUOTAS:
        payload["quotas"] = asdict(quotas)
    id = new_id(now)
    if idempotency_key is not None:
        id = str(uuid5(_JOBS, "\0".join((*space, idempotency_key))))
    return Job(id=id, space=space, task=TASK, payload=payload, created=now, updated=now)


def run_job(job: Job, *, parts: Parts, now: datetime) -> Mapping[str, JSON]:
    """Do the work of a job and return its result."""
    messages = [
        _from_json(cast(Mapping[str, str | None], message)) for message in cast(list[JSON], job.payload["messages"])
    ]
    session = cast(str | None, job.payload.get("session"))
    parts = charged(parts, Quotas(**cast(Mapping[str, int | None], job.payload.get("quotas", {}))))
    kept = extract(messages, session=session, parts=parts, space=job.space, now=now, once=job.id)
    return {"remembered": [{"id": one.id, "outcome": one.outcome} for one in kept if one.outcome != "refused"]}


def _to_json(message: Message) -> dict[str, JSON]:
    return {
        "content": message.content,
        "role": message.role,
        "speaker": message.speaker,
        "id": message.id,
        "when": message.when.isoformat() if message.when else None,
    }


def _from_json(message: Mapping[str, str | None]) -> Message:
    when = message.get("when")
    return Message(
        content=message["content"] or "",
        role=message.get("role"),
        speaker=message.get("speaker"),
        id=message.get("id"),
        when=datetime.fromisoformat(when) if when else None,
    )
