"""Correcting one item, with the former version kept in its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from truekeep.engine import hygiene
from truekeep.engine.decide import Rounds, put_of, request_hash
from truekeep.engine.parts import Parts
from truekeep.engine.vectorise import vectors_of
from truekeep.errors import Conflict
from truekeep.model import MemoryItem, SpaceId
from truekeep.ports import Answer, Change

from .listing import item_of


def correct(
    id: str,
    edits: Mapping[str, Any],
    *,
    ttl: timedelta | None,
    once: str | None = None,
    parts: Parts,
    space: SpaceId,
    now: datetime,
) -> MemoryItem:
    """Apply the edits (fields of an item, admitted already) and return the item as it is now.

    Under the idempotency key `once` they are applied a single time, however often this is called.
    """
    edits = hygiene.cleaned_edits(edits, parts.redact)
    answers = {} if once is None else {once: Answer(request_hash(id, edits, ttl), id, "added", ())}
    rounds = Rounds()
    while True:
        with rounds:
            sight = parts.store.look(space, answers=answers.keys())
            if sight.answers and sight.answers != answers:
                raise Conflict(f"idempotency_key {once!r} was used for something else")
            former = item_of(id, parts=parts, space=space)
            if sight.answers:
                return former
            item = _edited(former, edits, ttl, parts, now)
            is_new_text = item.content != former.content
            vectors = vectors_of(item.content, parts) if is_new_text else None  # a text that stays keeps its own
            put = put_of(item, vectors=vectors, keep_previous=True)
            change = Change(puts=[put], answers=answers, embedder=parts.embedder.name)
            applied = parts.store.apply(space, change, based_on=sight.head.seq, charge=parts.charge(), job=parts.job)
            break
    if is_new_text:
        parts.aside.drop(space, [id])
        if vectors is None:
            parts.unfinished.add(space)
    return applied.items[0]


def _edited(
    former: MemoryItem, edits: Mapping[str, Any], ttl: timedelta | None, parts: Parts, now: datetime
) -> MemoryItem:
    item = replace(former, **edits, updated=max(now, former.updated), reason="corrected", version=former.version + 1)
    item = replace(item, written_by=parts.writer)
    item = hygiene.listed(item, parts.redact)
    if "content" in edits and hygiene.is_suspect(item):
        item = replace(item, quarantined=True)
    return item if ttl is None else replace(item, expires=now + ttl)
