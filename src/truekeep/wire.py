"""The model as JSON, both ways: how things look on the wire and in an export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from .model import (
    Arm,
    Changes,
    Event,
    Explanation,
    Extraction,
    ExtractionReport,
    Imported,
    Job,
    Match,
    MemoryItem,
    Message,
    Page,
    Recall,
    Receipt,
    Remembered,
    Review,
    Session,
    Source,
    SpaceId,
    Stats,
    Suspicion,
    Value,
)

Record = dict[str, Any]


def item_record(item: MemoryItem) -> Record:
    source = item.source
    return {
        "id": item.id,
        "content": item.content,
        "kind": item.kind,
        "tags": list(item.tags),
        "metadata": dict(item.metadata),
        "source": {
            "name": source.name,
            "speaker": source.speaker,
            "role": source.role,
            "session": source.session,
            "message": source.message,
            "trust": source.trust,
        },
        "key": item.key,
        "pinned": item.pinned,
        "created": item.created.isoformat(),
        "updated": item.updated.isoformat(),
        "when": item.when.isoformat(),
        "until": _text(item.until),
        "retired": _text(item.retired),
        "expires": _text(item.expires),
        "superseded_by": item.superseded_by,
        "suspected_by": list(item.suspected_by),
        "quarantined": item.quarantined,
        "reason": item.reason,
        "version": item.version,
        "reinforced": item.reinforced,
        "redacted": list(item.redacted),
        "seq": item.seq,
    }


def item_of(record: Mapping[str, Any]) -> MemoryItem:
    return MemoryItem(
        id=record["id"],
        content=record["content"],
        kind=record["kind"],
        tags=tuple(record["tags"]),
        metadata=record["metadata"],
        source=Source(**record["source"]),
        key=record["key"],
        pinned=record["pinned"],
        created=datetime.fromisoformat(record["created"]),
        updated=datetime.fromisoformat(record["updated"]),
        when=datetime.fromisoformat(record["when"]),
        until=_moment(record["until"]),
        retired=_moment(record["retired"]),
        expires=_moment(record["expires"]),
        superseded_by=record["superseded_by"],
        suspected_by=tuple(record.get("suspected_by", ())),  # not in exports of before there were suspicions
        quarantined=record.get("quarantined", False),
        reason=record["reason"],
        version=record["version"],
        reinforced=record["reinforced"],
        redacted=tuple(record["redacted"]),
        seq=record["seq"],
    )


def remembered_record(one: Remembered) -> Record:
    return {
        "id": one.id,
        "outcome": one.outcome,
        "item": item_record(one.item),
        "superseded": [item_record(old) for old in one.superseded],
        "suspected": [item_record(old) for old in one.suspected],
        "redacted": list(one.redacted),
        "replayed": one.replayed,
    }


def remembered_of(record: Mapping[str, Any]) -> Remembered:
    return Remembered(
        item=item_of(record["item"]),
        outcome=record["outcome"],
        superseded=tuple(item_of(old) for old in record["superseded"]),
        suspected=tuple(item_of(old) for old in record["suspected"]),
        replayed=record["replayed"],
    )


def match_record(match: Match) -> Record:
    """The fields of the item, and beside them how it was found."""
    return {
        **item_record(match.item),
        "score": match.score,
        "similarity": match.similarity,
        "recency": match.recency,
        "frequency": match.frequency,
        "confidence": match.confidence,
        "why": match.why,
    }


def match_of(record: Mapping[str, Any]) -> Match:
    return Match(
        item=item_of(record),
        score=record["score"],
        similarity=record["similarity"],
        recency=record["recency"],
        frequency=record["frequency"],
        confidence=record["confidence"],
        why=record["why"],
    )


def recall_record(found: Recall) -> Record:
    return {
        "matches": [match_record(match) for match in found.matches],
        "lessons": [match_record(match) for match in found.lessons],
        "answerable": found.answerable,
        "pending": found.pending,
        "degraded": found.degraded,
        "text": found.text,
    }


def recall_of(record: Mapping[str, Any]) -> Recall:
    return Recall(
        matches=tuple(match_of(match) for match in record["matches"]),
        lessons=tuple(match_of(match) for match in record["lessons"]),
        answerable=record["answerable"],
        pending=record["pending"],
        degraded=record["degraded"],
    )


def page_record(page: Page) -> Record:
    return {"items": [item_record(item) for item in page.items], "cursor": page.cursor}


def page_of(record: Mapping[str, Any]) -> Page:
    return Page(items=tuple(item_of(item) for item in record["items"]), cursor=record["cursor"])


def suspicion_record(suspicion: Suspicion) -> Record:
    older, newer = item_record(suspicion.older), item_record(suspicion.newer)
    return {"id": suspicion.id, "older": older, "newer": newer}


def suspicion_of(record: Mapping[str, Any]) -> Suspicion:
    return Suspicion(older=item_of(record["older"]), newer=item_of(record["newer"]))


def review_record(review: Review) -> Record:
    return {
        "suspicions": [suspicion_record(suspicion) for suspicion in review.suspicions],
        "quarantined": [item_record(item) for item in review.quarantined],
    }


def review_of(record: Mapping[str, Any]) -> Review:
    return Review(
        suspicions=tuple(suspicion_of(suspicion) for suspicion in record["suspicions"]),
        quarantined=tuple(item_of(item) for item in record["quarantined"]),
    )


def changes_record(changes: Changes) -> Record:
    return {
        "events": [
            {
                "type": "erased" if event.item is None else "item",
                "seq": event.seq,
                "id": event.id,
                "item": None if event.item is None else item_record(event.item),
            }
            for event in changes.events
        ],
        "cursor": changes.cursor,
        "more": changes.more,
        "missed": changes.missed,
    }


def changes_of(record: Mapping[str, Any]) -> Changes:
    return Changes(
        events=tuple(
            Event(seq=event["seq"], id=event["id"], item=None if event["item"] is None else item_of(event["item"]))
            for event in record["events"]
        ),
        cursor=record["cursor"],
        more=record["more"],
        missed=record["missed"],
    )


def value_record(value: Value) -> Record:
    return {
        "key": value.key,
        "value": value.value,
        "version": value.version,
        "created": value.created.isoformat(),
        "updated": value.updated.isoformat(),
        "expires": _text(value.expires),
    }


def value_of(record: Mapping[str, Any]) -> Value:
    return Value(
        key=record["key"],
        value=record["value"],
        version=record["version"],
        created=datetime.fromisoformat(record["created"]),
        updated=datetime.fromisoformat(record["updated"]),
        expires=_moment(record["expires"]),
    )


def message_record(message: Message) -> Record:
    return {
        "content": message.content,
        "role": message.role,
        "speaker": message.speaker,
        "id": message.id,
        "when": _text(message.when),
    }


def message_of(record: Mapping[str, Any]) -> Message:
    return Message(**{**record, "when": _moment(record.get("when"))})


def job_record(job: Job) -> Record:
    """Without its payload: the transcript is nobody's business once it is handed over."""
    return {
        "id": job.id,
        "space": job.space.name,
        "task": job.task,
        "state": job.state,
        "attempts": job.attempts,
        "result": dict(job.result),
        "error": job.error,
        "created": job.created.isoformat(),
        "updated": job.updated.isoformat(),
    }


def job_of(record: Mapping[str, Any], tenant: str) -> Job:
    return Job(
        id=record["id"],
        space=SpaceId(tenant, record["space"]),
        task=record["task"],
        payload={},
        state=record["state"],
        attempts=record["attempts"],
        result=record["result"],
        error=record["error"],
        created=datetime.fromisoformat(record["created"]),
        updated=datetime.fromisoformat(record["updated"]),
    )


def extraction_record(extraction: Extraction) -> Record:
    return {
        "remembered": [remembered_record(one) for one in extraction.remembered],
        "job": None if extraction.job is None else job_record(extraction.job),
        "report": None if extraction.report is None else asdict(extraction.report),
    }


def extraction_of(record: Mapping[str, Any], tenant: str) -> Extraction:
    return Extraction(
        remembered=tuple(remembered_of(one) for one in record["remembered"]),
        job=None if record["job"] is None else job_of(record["job"], tenant),
        report=ExtractionReport(**record["report"]) if record.get("report") else None,  # older servers have none
    )


def receipt_record(receipt: Receipt) -> Record:
    return {"erased": list(receipt.erased), "remaining": receipt.remaining, "pending": receipt.pending}


def receipt_of(record: Mapping[str, Any]) -> Receipt:
    return Receipt(erased=tuple(record["erased"]), remaining=record["remaining"], pending=record["pending"])


def session_record(session: Session) -> Record:
    return {
        "name": session.name,
        "items": session.items,
        "first": session.first.isoformat(),
        "last": session.last.isoformat(),
    }


def session_of(record: Mapping[str, Any]) -> Session:
    first, last = datetime.fromisoformat(record["first"]), datetime.fromisoformat(record["last"])
    return Session(name=record["name"], items=record["items"], first=first, last=last)


def explanation_record(explanation: Explanation) -> Record:
    return asdict(explanation)


def explanation_of(record: Mapping[str, Any]) -> Explanation:
    return Explanation(**{**record, "arms": tuple(Arm(**arm) for arm in record["arms"])})


def imported_of(record: Mapping[str, Any]) -> Imported:
    return Imported(**record)


def stats_of(record: Mapping[str, Any], *, path: str) -> Stats:
    return Stats(**{**record, "path": path})


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
