"""A memory on a store that this process opens itself: the recipes, with the clock read and the upkeep woken."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict

from truekeep.engine import heard, hygiene
from truekeep.engine.gather import gather
from truekeep.engine.ids import is_id
from truekeep.engine.parts import NO_QUOTAS, Parts
from truekeep.engine.tokens import CountTokens
from truekeep.engine.verbs import correct, extract, forget, review, transfer, undo
from truekeep.engine.verbs.context import Material, packed, template_name
from truekeep.engine.verbs.explain import explain
from truekeep.engine.verbs.feed import Feeds, changes
from truekeep.engine.verbs.listing import item_of, matching, newest, no_item, page
from truekeep.engine.verbs.recall import recall
from truekeep.engine.verbs.remember import remember
from truekeep.engine.verbs.transfer import Tell
from truekeep.engine.verbs.values import Edit, request_of
from truekeep.errors import Conflict, InvalidInput, NotFound
from truekeep.model import (
    JSON,
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
    Quotas,
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
from truekeep.steps import step

from .opened import Opened

_LOOK_EVERY = 0.1  # seconds, while somebody waits for a change


class _Here(TypedDict):
    """What every recipe is told."""

    parts: Parts
    space: SpaceId
    now: datetime


class Local:
    """What a `Memory` handle holds when no server is between it and its store. Arguments are admitted already.

    One that `owns` what was opened for it closes it again; those of a server share it.
    """

    def __init__(
        self,
        opened: Opened,
        space: SpaceId,
        *,
        owns: bool,
        quotas: Quotas = NO_QUOTAS,
        writer: str | None = None,
    ) -> None:
        self.space = space
        self.limits = opened.limits
        self.place = opened.parts.store.location
        self._opened = opened
        self._owns = owns
        self._charged = replace(opened.parts, quotas=quotas, writer=writer)
        self._charged.unfinished.add(space)  # an earlier process may have left some

    @property
    def _parts(self) -> Parts:
        _ = self._opened.parts  # a closed memory says so
        return self._charged

    def _here(self) -> _Here:
        parts = self._parts
        return {"parts": parts, "space": self.space, "now": parts.clock()}

    @step("remember")
    def remember(self, drafts: Sequence[Draft]) -> list[Remembered]:
        parts = self._parts
        kept = remember(drafts, parts=parts, space=self.space, now=parts.clock(), prompt=self._opened.is_inline)
        if parts.unfinished.due():
            self._opened.wake()
        return kept

    @step("recall")
    def recall(self, query: Query) -> Recall:
        return recall(query, **self._here())

    @step("answerable")
    def answerable(self, query: Query) -> float:
        """How likely anything that a recall finds answers the query. Counts as no access."""
        return recall(query, **self._here(), count=False).answerable

    @step("explain")
    def explain(self, query: Query, id: str | None) -> list[Explanation]:
        return explain(query, id, **self._here())

    @step("context")
    def context(
        self, query: Query | None, filters: Filters, *, limit: int, max_tokens: int, template: str, count: CountTokens
    ) -> str:
        return self.shown(query, filters, limit=limit, max_tokens=max_tokens, template=template, count=count)[0]

    def shown(
        self, query: Query | None, filters: Filters, *, limit: int, max_tokens: int, template: str, count: CountTokens
    ) -> tuple[str, frozenset[str]]:
        """The text of a context, and the ids of the items that it shows."""
        template = template_name(template)  # before anything counts as recalled
        material = gather(query, filters, limit=limit, **self._here())
        return packed(material, template=template, max_tokens=max_tokens, count_tokens=count)

    def material(self, query: Query | None, filters: Filters, *, limit: int, found: Recall | None = None) -> Material:
        """What a context would be packed from; a client with a tokeniser of its own packs it itself."""
        return gather(query, filters, limit=limit, **self._here(), found=found)

    @step("extract")
    def extract(
        self, messages: Sequence[Message], *, session: str | None, wait: bool, idempotency_key: str | None
    ) -> Extraction:
        parts, now = self._parts, self._parts.clock()
        if wait:
            done = extract.extract(
                messages, session=session, parts=parts, space=self.space, now=now, once=idempotency_key
            )
            self._opened.wake()
            return done
        messages = hygiene.cleaned_messages(messages, parts.redact)
        if idempotency_key is not None:
            heard.claim(idempotency_key, messages, session, parts=parts, space=self.space, now=now)
        job = extract.new_job(
            messages,
            session=session,
            idempotency_key=idempotency_key,
            quotas=parts.quotas,
            writer=parts.writer,
            space=self.space,
            now=now,
        )
        try:
            parts.store.add_job(job, charge=parts.charge())
        except Conflict:  # a retry: the job is there already
            return Extraction(job=self.job(job.id))
        self._opened.wake()
        return Extraction(job=job)

    def job(self, id: str) -> Job:
        job = self._parts.store.job(self.space, id)
        if job is None:
            raise NotFound(f"no job {id!r} in the space {self.space.name!r}")
        return job

    @step("forget")
    def forget(self, ids: list[str], *, dry_run: bool = False) -> Receipt:
        if dry_run:
            return forget.preview(ids, reopen=False, **self._here())
        receipt = forget.forget(ids, **self._here())
        if not receipt.erased:
            forget.refuse_texts(ids, self.space)
        return receipt

    @step("forget_matching")
    def forget_matching(self, filters: Filters, *, dry_run: bool = False) -> Receipt:
        return forget.forget_matching(filters, dry_run=dry_run, **self._here())

    def forget_everything(self) -> Receipt:
        return forget.forget_everything(**self._here())

    def review(self, *, limit: int) -> Review:
        return review.review(limit=limit, **self._here())

    def resolve(self, older: str, newer: str, keep: Keep) -> Suspicion:
        return review.resolve(older, newer, keep, **self._here())

    def release(self, id: str) -> MemoryItem:
        return review.release(id, **self._here())

    def history(self, id: str) -> list[MemoryItem]:
        versions = self._parts.store.history(self.space, id)
        if not versions:
            raise no_item(id, self.space)
        following = [*versions[1:], None]
        # What was filed for a checkpoint alone tells nothing new of the item.
        return [
            one
            for one, next in zip(versions, following, strict=True)
            if next is None or (one.id, one.version) != (next.id, next.version)
        ]

    def checkpoint(self, name: str) -> Checkpoint:
        parts = self._parts
        return parts.store.add_checkpoint(self.space, name, now=parts.clock())

    def checkpoints(self) -> list[Checkpoint]:
        return self._parts.store.checkpoints(self.space)

    def drop_checkpoint(self, name: str) -> None:
        self._parts.store.drop_checkpoint(self.space, name)

    def diff(self, since: str, until: str | None) -> Diff:
        return undo.diff(since, until, **self._here())

    def restore(self, name: str, *, dry_run: bool) -> Restoration:
        restored = undo.restore(name, dry_run=dry_run, **self._here())
        self._opened.wake()
        return restored

    def fork(self, name: str, at: str | None) -> Checkpoint:
        target = SpaceId(self.space.tenant, name)
        forked = undo.fork(target, at, **self._here())
        self._parts.unfinished.add(target)
        self._opened.wake()
        return forked

    @step("correct")
    def correct(
        self, id: str, edits: Mapping[str, Any], ttl: timedelta | None, *, idempotency_key: str | None
    ) -> MemoryItem:
        return correct.correct(id, edits, ttl=ttl, once=idempotency_key, **self._here())

    def items(self, filters: Filters, *, limit: int, offset: int = 0) -> list[MemoryItem]:
        return newest(filters, limit=limit, offset=offset, **self._here())

    def count(self, filters: Filters) -> int:
        """How many items the filters let through."""
        return len(matching(filters, **self._here()))

    @step("page")
    def page(self, filters: Filters, *, limit: int, cursor: str | None) -> Page:
        return page(filters, limit=limit, cursor=cursor, **self._here())

    def item(self, id: str) -> MemoryItem:
        return item_of(id, parts=self._parts, space=self.space)

    def changes(self, after: int, *, limit: int) -> Changes:
        return changes(self._parts.store, self.space, after, limit=limit)

    def feed(self, reader: str, *, limit: int, wait: timedelta) -> Feed:
        ends = time.monotonic() + wait.total_seconds()
        while not (found := self._feeds.read(reader, limit=limit, now=self._parts.clock())).events:
            if time.monotonic() >= ends:
                break
            time.sleep(min(_LOOK_EVERY, max(0.0, ends - time.monotonic())))
        return found

    def acknowledge(self, reader: str, positions: Mapping[str, int] | None) -> Reader:
        return self._feeds.acknowledge(reader, positions, now=self._parts.clock())

    def readers(self) -> list[Reader]:
        return self._feeds.readers(self._parts.clock())

    def drop_reader(self, reader: str) -> None:
        self._feeds.drop(reader, now=self._parts.clock())

    @property
    def _feeds(self) -> Feeds:
        return Feeds(self._parts.store, self.space.tenant)

    def sessions(self) -> list[Session]:
        return self._parts.indexes.refreshed(self.space).sessions()

    def value(self, key: str) -> Value | None:
        parts = self._parts
        return parts.store.value(self.space, key, now=parts.clock())

    def keys(self) -> list[str]:
        parts = self._parts
        return parts.store.keys(self.space, now=parts.clock())

    @step("edit_value")
    def edit_value(self, key: str, edit: Edit, ttl: timedelta | None, *, idempotency_key: str | None) -> Value | None:
        parts, now = self._parts, self._parts.clock()
        once = None if idempotency_key is None else (idempotency_key, request_of(key, edit, ttl))
        return parts.store.edit_value(self.space, key, edit, now=now, ttl=ttl, charge=parts.charge(now), answer=once)

    def delete_value(self, key: str) -> bool:
        parts = self._parts
        found: list[Value | None] = []

        def edit(present: Value | None) -> JSON:
            found.append(present)
            return None

        now = parts.clock()
        parts.store.edit_value(self.space, key, edit, now=now, ttl=None, charge=parts.charge(now))
        if found[-1] is None and is_id(key) and parts.store.get(self.space, [key]):
            raise InvalidInput("key", "is the id of an item, and delete is for values; forget(id) erases an item")
        return found[-1] is not None

    def export(self, tell: Tell | None = None) -> Iterator[str]:
        return transfer.export(**self._here(), tell=tell)

    def import_(self, lines: Iterable[str], tell: Tell | None = None) -> Imported:
        restored = transfer.import_(lines, **self._here(), tell=tell)
        self._parts.unfinished.add(self.space)
        self._opened.wake()
        return restored

    def backup(self, target: Path) -> None:
        parts = self._parts
        parts.accesses.flush(parts.store, parts.clock())
        parts.store.backup(target)

    @step("stats")
    def stats(self) -> Stats:
        parts = self._parts
        view = parts.indexes.refreshed(self.space)
        return Stats(
            space=self.space.name,
            path=parts.store.location,
            items=view.live,
            current=len(view.rows(view.select(Filters(), parts.clock()))),
            pending=view.pending_count,
            values=len(self.keys()),
            jobs=parts.store.waiting_jobs(self.space),
            failures=self._opened.failures,
            bytes=parts.store.size(),
            embedder=parts.embedder.name,
            multilingual=parts.multilingual.name if parts.multilingual else None,
            judge=parts.judge.name,
            judge_failures=parts.judge.failures,
            kinds=view.kinds_count(),
            set_aside=parts.aside.reasons(self.space, lambda: view.pending(view.pending_count)),
            unjudged=view.counts.unjudged,
        )

    def check(self) -> list[str]:
        return self._parts.store.check()

    def flush(self, limit: timedelta) -> bool:
        return self._opened.flush(limit)

    def abandon(self) -> None:
        if self._owns:
            self._opened.abandon()

    def close(self) -> None:
        if self._owns:
            self._opened.close()
