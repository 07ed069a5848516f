"""Extracting what is worth keeping, at once or as a durable job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from recollect.errors import InvalidInput
from recollect.model import JSON, Draft, Job, Message, Remembered, SpaceId

from . import admit
from .ids import new_id
from .parts import Parts
from .remember import remember

TASK = "extract"


def extract(
    messages: Sequence[Message],
    *,
    session: str | None,
    parts: Parts,
    space: SpaceId,
    now: datetime,
    job: str | None = None,
) -> list[Remembered]:
    """Keep what is durable in the messages. Under a job, a repeated run keeps nothing twice."""
    drafts = [draft for draft in parts.extractor.extract(messages) if _is_admissible(draft, parts)]
    drafts = [
        replace(
            draft,
            source=replace(draft.source, session=session or draft.source.session),
            idempotency_key=f"{job}:{number}" if job else None,
            derived=True,
        )
        for number, draft in enumerate(drafts)
    ]
    return remember(drafts, parts=parts, space=space, now=now) if drafts else []


def _is_admissible(draft: Draft, parts: Parts) -> bool:
    """A sentence that is too long to be an item is no statement; it is left rather than failing the others."""
    try:
        admit.content(draft.content, parts.limits)
    except InvalidInput:
        return False
    return True


def new_job(messages: Sequence[Message], *, session: str | None, space: SpaceId, now: datetime) -> Job:
    payload: dict[str, JSON] = {"session": session, "messages": [_to_json(message) for message in messages]}
    return Job(id=new_id(now), space=space, task=TASK, payload=payload, created=now, updated=now)


def run_job(job: Job, *, parts: Parts, now: datetime) -> Mapping[str, JSON]:
    """Do the work of a job and return its result."""
    messages = [
        _from_json(cast(Mapping[str, str | None], message)) for message in cast(list[JSON], job.payload["messages"])
    ]
    session = cast(str | None, job.payload.get("session"))
    kept = extract(messages, session=session, parts=parts, space=job.space, now=now, job=job.id)
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
