"""Waiting for changes without holding a thread: one task looks at all spaces that somebody waits for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict

from truekeep.model import SpaceId
from truekeep.ports import Ear, Store, Waking

from .desk import Desk

log = logging.getLogger(__name__)

_INTERVAL = 0.1  # seconds between two looks: other processes write to the same store, too
_SELDOM = 1.0  # where the store tells of changes
_REST = 0.02  # between two looks at what was told


def place_of(store: Store, space: SpaceId) -> int:
    """How far the space has come. A tenant's own stands for all of its spaces: a number, in this process alone, that is
    another one when any of them has moved."""
    return hash(tuple(store.heads(space.tenant).items())) if space.is_hidden else store.head(space).seq


class Watcher:
    """Wakes those who wait for a space when its head has moved."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._waiting: defaultdict[SpaceId, dict[asyncio.Future[None], int]] = defaultdict(dict)
        self._begun = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._waking = desk.store if isinstance(desk.store, Waking) else None
        self._ear: Ear | None = None
        self._heard: set[str] = set()  # marks of spaces that may have changed
        self._news = asyncio.Event()
        self._closed = False
        self.loop = asyncio.get_running_loop()

    async def moved(self, space: SpaceId, after: int, seconds: float) -> bool:
        """Whether the space has left the place `after` within so many seconds."""
        if self._closed:
            return False
        if self._task is None:
            self._task = asyncio.create_task(self._look())
            if self._waking is not None:
                self._ear = self._waking.listen(self._hear)
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[space][woken] = after
        self._begun.set()
        if self._waking is not None:
            self._note(self._waking.mark(space))  # it may have changed since whoever waits has looked
        try:
            await asyncio.wait_for(woken, seconds)
        except TimeoutError:
            return False
        finally:
            self._waiting[space].pop(woken, None)
            if not self._waiting[space]:
                del self._waiting[space]
        return True

    def _hear(self, mark: str) -> None:
        """Called by the store, outside of the loop."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self.loop.call_soon_threadsafe(self._note, mark)

    def _note(self, mark: str) -> None:
        self._heard.add(mark)
        self._news.set()

    async def _look(self) -> None:
        while True:
            await self._begun.wait()
            while self._waiting:
                try:
                    await self._wake(list(self._waiting))
                    await self._follow(_SELDOM if self._ear is not None and self._ear.hears else _INTERVAL)
                except Exception:  # those who wait must be looked after until the server ends
                    log.exception("looking for changes failed")
                    await asyncio.sleep(_INTERVAL)
            self._begun.clear()

    async def _follow(self, seconds: float) -> None:
        """For so long, look only at what the store tells of."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    await self._news.wait()
                    self._news.clear()
                    heard, self._heard = self._heard, set()
                    if self._waking is not None:
                        mark = self._waking.mark
                        await self._wake([one for one in self._waiting if one.is_hidden or mark(one) in heard])
                    await asyncio.sleep(_REST)

    async def _wake(self, spaces: list[SpaceId]) -> None:
        if not spaces:
            return
        places = await self._desk.run(lambda: [place_of(self._desk.store, space) for space in spaces])
        for space, place in zip(spaces, places, strict=True):
            for woken, after in list(self._waiting.get(space, {}).items()):
                if place != after and not woken.done():
                    woken.set_result(None)

    def release(self) -> None:
        """Let everybody go, from now on: they get what there is."""
        self._closed = True
        for waiting in list(self._waiting.values()):
            for woken in list(waiting):
                if not woken.done():
                    woken.set_result(None)

    async def close(self) -> None:
        self.release()
        if self._ear is not None:
            await asyncio.to_thread(self._ear.close)
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
