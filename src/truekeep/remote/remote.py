"""A memory behind a server: each verb is one request, and its answer the same as an embedded memory gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from truekeep import wire
from truekeep.engine import admit
from truekeep.engine.runtime.opened import BACKGROUND
from truekeep.engine.tokens import CountTokens, estimate
from truekeep.engine.verbs.context import Material, pack, template_name
from truekeep.engine.verbs.values import Edit
from truekeep.errors import NotFound
from truekeep.lazy import worked_out
from truekeep.model import (
    Changes,
    Checkpoint,
    Diff,
    Draft,
    Explanation,
    Extraction,
    Feed,
    Filters,
    Imported,
    Job,
    Keep,
    MemoryItem,
    Message,
    Page,
    Query,
    Reader,
    Recall,
    Receipt,
    Remembered,
    Restoration,
    Review,
    Session,
    SpaceId,
    Stats,
    Suspicion,
    Value,
)

from . import asking, bodies
from .asking import Asking, each
from .line import Call, Line, Patience, join
from .server import segment

_FLUSH = 60.0  # seconds: the longest that a server works on one request to flush
_PAUSE = 0.2  # seconds between two tries to flush
_EVENTS = 1_000  # the most that a server tells in one answer
_WAIT = 60.0  # seconds: the longest that a server lets one request wait for a change
_T = TypeVar("_T")


class Remote(Asking):
    """What a `Memory` handle holds when a server is between it and its store. Arguments are admitted already."""

    at_once = False  # whether a recall brings `answerable` with it

    def __init__(self, space: str, *, at: str, key: str | None = None, patience: Patience | None = None) -> None:
        self.limits = bodies.LIMITS
        self.space = SpaceId("", admit.name(space, "space", bodies.LIMITS))  # the key alone says which tenant
        self._path = f"/v1/spaces/{segment(self.space.name)}"
        BACKGROUND.close_abandoned()
        super().__init__(at=at, key=key, patience=patience)

    def _post(self, path: str, body: object, decode: Callable[[Any], _T], **options: Any) -> _T:
        return self._send("POST", self._path + path, body, decode, **options)

    # Saying

    def remember(self, drafts: Sequence[Draft]) -> list[Remembered]:
        sent = bodies.keyed(drafts)
        if len(sent) == 1:
            kept = [self._post("/memories", wire.given(sent[0]), wire.reader(Remembered))]
        else:
            items = [wire.given(draft) for draft in sent]
            kept = self._post("/memories", {"items": items}, each("remembered", wire.reader(Remembered)))
        return [_as_asked(one, draft.idempotency_key) for one, draft in zip(kept, drafts, strict=True)]

    def extract(
        self, messages: Sequence[Message], *, session: str | None, wait: bool, idempotency_key: str | None
    ) -> Extraction:
        body = {"messages": [wire.record(message) for message in messages], **bodies.given(session=session)}
        extraction = self._post(
            "/extract",
            body,
            wire.reader(Extraction),
            parameters=(("wait", "true" if wait else "false"),),
            headers=bodies.key_header(idempotency_key),
            answer=self._line.patience.long_answer if wait else None,
        )
        kept = tuple(_as_asked(one, idempotency_key) for one in extraction.remembered)
        return replace(extraction, remembered=kept)

    def job(self, id: str) -> Job:
        job = self._get(f"/v1/jobs/{segment(id)}", wire.reader(Job))
        if job.space != self.space:
            raise NotFound(f"no job {id!r} in the space {self.space.name!r}")
        return job

    # Asking

    def recall(self, query: Query) -> Recall:
        body, line = bodies.query_record(query), self._line
        answerable = worked_out(partial(self._answerable, body, line))

        def decode(answer: Any) -> Recall:
            return wire.reader(Recall)({"answerable": answerable, **answer})

        return self._post("/recall", {**body, "answerable": self.at_once}, decode)

    def _answerable(self, body: Mapping[str, Any], line: Line) -> float:
        """Asked when somebody reads it, which may be after this one was closed: hence by another one."""
        other = copy(self)
        other._held = join(line.addresses, line.patience, other)
        try:
            return other._post("/answerable", body, lambda answer: float(answer["answerable"]))
        finally:
            other.close()

    def explain(self, query: Query, id: str | None) -> list[Explanation]:
        body = {**bodies.query_record(query), **bodies.given(id=id)}
        return self._post("/explain", body, each("explanations", wire.reader(Explanation)))

    def context(
        self, query: Query | None, filters: Filters, *, limit: int, max_tokens: int, template: str, count: CountTokens
    ) -> str:
        template = template_name(template)
        if count is estimate:
            asked = bodies.context_record(query, filters)
            body = {**asked, "limit": limit, "max_tokens": max_tokens, "template": template}
            return self._post("/context", body, lambda answer: str(answer["context"]))
        # The caller's own tokeniser cannot travel: what there is to show comes here and is packed here.
        material = self.material(query, filters, limit=limit)
        return pack(material, template=template, max_tokens=max_tokens, count_tokens=count)

    def material(self, query: Query | None, filters: Filters, *, limit: int) -> Material:
        body = {**bodies.context_record(query, filters), "limit": limit, "material": True}
        return self._post("/context", body, lambda answer: wire.reader(Material)(answer["material"]))

    def items(self, filters: Filters, *, limit: int, offset: int = 0) -> list[MemoryItem]:
        place = (("limit", str(limit)), ("offset", str(offset)))
        parameters = (*place, *bodies.filter_parameters(filters))
        return list(self._get(f"{self._path}/memories", wire.reader(Page), *parameters).items)

    def page(self, filters: Filters, *, limit: int, cursor: str | None) -> Page:
        place = [("limit", str(limit))] + ([] if cursor is None else [("cursor", cursor)])
        return self._get(f"{self._path}/memories", wire.reader(Page), *place, *bodies.filter_parameters(filters))

    def item(self, id: str) -> MemoryItem:
        return self._get(f"{self._path}/memories/{segment(id)}", wire.reader(MemoryItem))

    def history(self, id: str) -> list[MemoryItem]:
        return self._get(f"{self._path}/memories/{segment(id)}/history", each("versions", wire.reader(MemoryItem)))

    def review(self, *, limit: int) -> Review:
        return self._get(f"{self._path}/review", wire.reader(Review), ("limit", str(limit)))

    def changes(self, after: int, *, limit: int) -> Changes:
        parameters = (("after", str(after)), ("limit", str(min(limit, _EVENTS))))  # `more` tells of the others
        return self._get(f"{self._path}/events", wire.reader(Changes), *parameters)

    def feed(self, reader: str, *, limit: int, wait: timedelta) -> Feed:
        seconds = min(wait.total_seconds(), _WAIT)
        parameters = (("limit", str(min(limit, _EVENTS))), ("wait", str(seconds)))
        answer = self._line.patience.answer + timedelta(seconds=seconds)
        return self._get(f"/v1/feed/{segment(reader)}", wire.reader(Feed), *parameters, answer=answer)

    def acknowledge(self, reader: str, positions: Mapping[str, int] | None) -> Reader:
        body = bodies.given(positions=None if positions is None else dict(positions))
        return self._send("POST", f"/v1/feed/{segment(reader)}", body, wire.reader(Reader))

    def readers(self) -> list[Reader]:
        return self._get("/v1/feed", each("readers", wire.reader(Reader)))

    def drop_reader(self, reader: str) -> None:
        self._delete(f"/v1/feed/{segment(reader)}", lambda answer: bool(answer["dropped"]), repeats=False)

    def sessions(self) -> list[Session]:
        return self._get(f"{self._path}/sessions", each("sessions", wire.reader(Session)))

    # Changing and ending

    def correct(
        self, id: str, edits: Mapping[str, Any], ttl: timedelta | None, *, idempotency_key: str | None
    ) -> MemoryItem:
        body = {**edits, **bodies.given(ttl=None if ttl is None else ttl.total_seconds())}
        path = f"{self._path}/memories/{segment(id)}"
        return self._send("PATCH", path, body, wire.reader(MemoryItem), headers=bodies.key_header(idempotency_key))

    def resolve(self, older: str, newer: str, keep: Keep) -> Suspicion:
        return self._post("/resolve", {"suspicion": f"{older}:{newer}", "keep": keep}, wire.reader(Suspicion))

    def release(self, id: str) -> MemoryItem:
        return self._post(f"/memories/{segment(id)}/release", {}, wire.reader(MemoryItem))

    def forget(self, ids: list[str], *, dry_run: bool = False) -> Receipt:
        [id] = ids  # a handle forgets one, or what filters match
        return self._post("/forget", {"id": id, **bodies.dry(dry_run)}, wire.reader(Receipt))

    def forget_matching(self, filters: Filters, *, dry_run: bool = False) -> Receipt:
        record = wire.given(replace(filters, include_superseded=False))  # implied by forgetting
        return self._post("/forget", {**record, **bodies.dry(dry_run)}, wire.reader(Receipt))

    def forget_everything(self) -> Receipt:
        return self._post("/forget", {"everything": True}, wire.reader(Receipt))

    # Going back

    def checkpoint(self, name: str) -> Checkpoint:
        return self._post("/checkpoints", {"name": name}, wire.reader(Checkpoint), repeats=False)

    def checkpoints(self) -> list[Checkpoint]:
        return self._get(f"{self._path}/checkpoints", each("checkpoints", wire.reader(Checkpoint)))

    def drop_checkpoint(self, name: str) -> None:
        path = f"{self._path}/checkpoints/{segment(name)}"
        self._delete(path, lambda answer: bool(answer["dropped"]), repeats=False)

    def diff(self, since: str, until: str | None) -> Diff:
        parameters = [("since", since)] + ([] if until is None else [("until", until)])
        return self._get(f"{self._path}/diff", wire.reader(Diff), *parameters, answer=self._line.patience.long_answer)

    def restore(self, name: str, *, dry_run: bool) -> Restoration:
        body = {"checkpoint": name, **bodies.dry(dry_run)}
        return self._post("/restore", body, wire.reader(Restoration), answer=self._line.patience.long_answer)

    def fork(self, name: str, at: str | None) -> Checkpoint:
        body = {"name": name, **bodies.given(at=at)}
        answer = self._line.patience.long_answer
        return self._post("/fork", body, wire.reader(Checkpoint), answer=answer, repeats=False)

    # Values

    def value(self, key: str) -> Value | None:
        try:
            return self._get(f"{self._path}/values/{segment(key)}", wire.reader(Value))
        except NotFound:
            return None

    def keys(self) -> list[str]:
        return self._get(f"{self._path}/values", each("keys", str))

    def edit_value(self, key: str, edit: Edit, ttl: timedelta | None, *, idempotency_key: str | None) -> Value | None:
        method, end, body, condition = bodies.edit_request(edit, ttl)
        path = f"{self._path}/values/{segment(key)}{end}"
        headers = {**condition, **bodies.key_header(idempotency_key)}
        return self._send(method, path, body, _value_or_none, headers=headers)

    def delete_value(self, key: str) -> bool:
        try:
            return self._delete(f"{self._path}/values/{segment(key)}", lambda answer: bool(answer["deleted"]))
        except NotFound:
            return False

    # The whole space, the whole store

    def export(self) -> Iterator[str]:
        return asking.export(self._line, f"{self._path}/export")

    def import_(self, lines: Iterable[str]) -> Imported:
        call = Call(
            method="POST",
            path=f"{self._path}/import",
            headers={"Content-Type": "application/x-ndjson"},
            body=lambda: asking.ndjson(lines),
            answer=self._line.patience.long_answer,
        )
        return self._call(call, wire.reader(Imported))

    def backup(self, target: Path) -> None:
        asking.backup(self._line, "/v1/backup", target)

    def check(self) -> list[str]:
        return self._get("/v1/check", each("problems", str), answer=self._line.patience.long_answer)

    def stats(self) -> Stats:
        return replace(self._get(self._path, wire.reader(Stats)), path=self._line.address.url)

    def flush(self, limit: timedelta) -> bool:
        ends = time.monotonic() + limit.total_seconds()
        while True:
            part = max(0.001, min(_FLUSH, ends - time.monotonic()))
            answer = self._line.patience.answer + timedelta(seconds=part)
            if self._post("/flush", {"limit": part}, lambda answer: bool(answer["done"]), answer=answer):
                return True
            if time.monotonic() >= ends:
                return False
            time.sleep(max(0.0, min(_PAUSE, ends - time.monotonic())))  # it answers at once while another one flushes

    def abandon(self) -> None:
        BACKGROUND.abandon(self.close)


def _as_asked(one: Remembered, idempotency_key: str | None) -> Remembered:
    """A caller who gave no idempotency key has repeated nothing: a replay was our own second attempt."""
    return one if idempotency_key else replace(one, replayed=False)


def _value_or_none(answer: Any) -> Value | None:
    """Setting None answers that it is deleted."""
    return None if answer.get("value") is None else wire.reader(Value)(answer)
