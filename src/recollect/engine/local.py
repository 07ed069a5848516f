"""A memory on a store that this process opens itself: the recipes, with the clock read and the upkeep woken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from recollect.errors import NotFound, StoreError
from recollect.model import (
    JSON,
    Draft,
    Explanation,
    Extraction,
    Filters,
    Imported,
    Job,
    MemoryItem,
    Message,
    Query,
    Recall,
    Receipt,
    Remembered,
    Session,
    SpaceId,
    Stats,
    Value,
)

from . import correct, extract, forget, transfer
from .background import BACKGROUND
from .context import CountTokens, Entry, Material, pack, template_name
from .explain import explain
from .parts import Parts
from .recall import recall
from .remember import remember
from .upkeep import Upkeep


class Local:
    """What a `Memory` handle holds when no server is between it and its store. Arguments are admitted already."""

    def __init__(self, parts: Parts, space: SpaceId, *, background: bool, release: Callable[[], None]) -> None:
        self.space = space
        self.limits = parts.limits
        self._open_parts: Parts | None = parts
        self._release = release
        self._inline = not background
        self._upkeep = Upkeep(parts)
        parts.unfinished.add(space)  # an earlier process may have left some
        BACKGROUND.add(self._upkeep, thread=background)

    @property
    def _parts(self) -> Parts:
        if self._open_parts is None:
            raise StoreError("this memory is closed; open it again with Memory(...)")
        if BACKGROUND.stopped:
            BACKGROUND.wake()
        return self._open_parts

    def _wake(self) -> None:
        if self._inline:
            self._upkeep.drain(timedelta(minutes=10))
        else:
            BACKGROUND.wake()

    def remember(self, drafts: Sequence[Draft]) -> list[Remembered]:
        parts = self._parts
        kept = remember(drafts, parts=parts, space=self.space, now=parts.clock())
        if parts.unfinished:
            self._wake()
        return kept

    def recall(self, query: Query) -> Recall:
        parts = self._parts
        return recall(query, parts=parts, space=self.space, now=parts.clock())

    def explain(self, query: Query, id: str | None) -> list[Explanation]:
        parts = self._parts
        return explain(query, id, parts=parts, space=self.space, now=parts.clock())

    def context(
        self, query: Query | None, filters: Filters, *, limit: int, max_tokens: int, template: str, count: CountTokens
    ) -> str:
        parts, template = self._parts, template_name(template)  # before anything counts as recalled
        pinned = self._pinned(filters, limit)
        if query is None:  # nothing to go by: the newest
            items, lessons = self.items(filters, limit=limit), []
        else:
            found = recall(query, parts=parts, space=self.space, now=parts.clock())
            items, lessons = [match.item for match in found], [match.item for match in found.lessons]
        shown = list({item.id: item for item in (*pinned, *items)}.values())[:limit]
        warnings = {item.id: item for item in (*lessons, *(item for item in shown if item.kind == "lesson"))}
        return pack(
            Material(
                entries=[self._entry(item) for item in shown if item.id not in warnings],
                lessons=[self._entry(item) for item in warnings.values()],
                query="" if query is None else query.text,
            ),
            template=template,
            max_tokens=max_tokens,
            count_tokens=count,
        )

    def _entry(self, item: MemoryItem) -> Entry:
        if item.key is None:
            return Entry(item=item)
        earlier = self._parts.store.replaced_by(self.space, item.id)
        return Entry(item=item, earlier=tuple(other.content for other in earlier))

    def extract(self, messages: Sequence[Message], *, session: str | None, wait: bool) -> Extraction:
        parts, now = self._parts, self._parts.clock()
        if wait:
            kept = extract.extract(messages, session=session, parts=parts, space=self.space, now=now)
            self._wake()
            return Extraction(remembered=tuple(one for one in kept if one.outcome != "refused"))
        job = extract.new_job(messages, session=session, space=self.space, now=now)
        parts.store.add_job(job)
        self._wake()
        return Extraction(job=job)

    def job(self, id: str) -> Job:
        job = self._parts.store.job(self.space, id)
        if job is None:
            raise NotFound(f"no job {id!r} in the space {self.space.name!r}")
        return job

    def forget(self, ids: list[str]) -> Receipt:
        parts = self._parts
        return forget.forget(ids, parts=parts, space=self.space, now=parts.clock())

    def forget_matching(self, filters: Filters) -> Receipt:
        parts, now = self._parts, self._parts.clock()
        # Waiting extractions of the session first: what they would bring is to be forgotten too.
        wiped = filters.session is None or parts.store.erase_jobs(self.space, session=filters.session)
        ids = forget.matching(filters, parts=parts, space=self.space, now=now)
        # Rolling a source back is as if it had never spoken.
        receipt = forget.forget(ids, parts=parts, space=self.space, now=now, reopen=filters.source is not None)
        return receipt if wiped else replace(receipt, pending=True)

    def forget_everything(self) -> Receipt:
        return forget.forget_everything(parts=self._parts, space=self.space)

    def history(self, id: str) -> list[MemoryItem]:
        versions = self._parts.store.history(self.space, id)
        if not versions:
            raise NotFound(f"no item {id!r} in the space {self.space.name!r}")
        return versions

    def correct(self, id: str, edits: Mapping[str, Any], ttl: timedelta | None) -> MemoryItem:
        parts = self._parts
        return correct.correct(id, edits, ttl=ttl, parts=parts, space=self.space, now=parts.clock())

    def items(self, filters: Filters, *, limit: int, offset: int = 0) -> list[MemoryItem]:
        parts = self._parts
        view = parts.indexes.refreshed(self.space)
        mask = view.select(filters, parts.clock())
        return parts.store.get(self.space, view.ids(view.newest(mask, limit, offset)))

    def _pinned(self, filters: Filters, limit: int) -> list[MemoryItem]:
        parts = self._parts
        view = parts.indexes.refreshed(self.space)
        allowed = view.rows(view.select(filters, parts.clock()))
        mask = np.zeros(view.size, dtype=np.bool_)
        mask[allowed[view.is_pinned(allowed)]] = True
        return parts.store.get(self.space, view.ids(view.newest(mask, limit)))

    def sessions(self) -> list[Session]:
        return self._parts.indexes.refreshed(self.space).sessions()

    def value(self, key: str) -> Value | None:
        parts = self._parts
        return parts.store.value(self.space, key, now=parts.clock())

    def keys(self) -> list[str]:
        parts = self._parts
        return parts.store.keys(self.space, now=parts.clock())

    def edit_value(self, key: str, edit: Callable[[Value | None], JSON], ttl: timedelta | None) -> Value | None:
        parts = self._parts
        return parts.store.edit_value(self.space, key, edit, now=parts.clock(), ttl=ttl)

    def export(self) -> Iterator[str]:
        parts = self._parts
        return transfer.export(parts=parts, space=self.space, now=parts.clock())

    def import_(self, lines: Sequence[str]) -> Imported:
        parts = self._parts
        restored = transfer.import_(lines, parts=parts, space=self.space, now=parts.clock())
        parts.unfinished.add(self.space)
        self._wake()
        return restored

    def backup(self, target: Path) -> None:
        parts = self._parts
        parts.accesses.flush(parts.store, parts.clock())
        parts.store.backup(target)

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
            failures=self._upkeep.failures + parts.embedder.failures,
            bytes=parts.store.size(),
            embedder=parts.embedder.name,
            kinds=view.kinds_count(),
        )

    def check(self) -> list[str]:
        return self._parts.store.check()

    def flush(self, limit: timedelta) -> bool:
        """Do the waiting work now; whether all of it is done."""
        _ = self._parts  # a closed memory says so
        return BACKGROUND.drain(self._upkeep, limit)

    def abandon(self) -> None:
        """Called by the garbage collector when the handle was dropped without `close`: must not take a lock."""
        BACKGROUND.abandon(self.close)

    def close(self) -> None:
        parts, self._open_parts = self._open_parts, None
        if parts is not None:
            BACKGROUND.remove(self._upkeep, parts.exit_limit)
            self._upkeep.drain(parts.exit_limit)
            self._release()
