"""Whether this process should be asked. A thread looks, and what it found last is told at once, whatever goes on."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from truekeep.engine.parts import Parts
from truekeep.engine.runtime.opened import Opened
from truekeep.errors import EmbedderError, described
from truekeep.ports import PROBE, Pooled

log = logging.getLogger(__name__)

_EVERY = 1.0  # seconds at least between two looks: each waits for the disk
_SELDOM = 60.0  # and at most; it is looked so seldom while nobody asks, lest an idle server keep a disk awake
_STALE = 5.0  # seconds: a look that takes longer says that the store does not answer,
_STALE_AWAY = 0.5  # and so long where no connection to it can be made: a disk that is slow is none that is away

_STARTING = "it is starting"
_NO_MODEL = "the model cannot be loaded"
_NO_STORE = "the store cannot be read or written"


class Readiness:
    """What a balancer wants to know of one process."""

    def __init__(self, opened: Opened, why_unwritable: Callable[[], str | None]) -> None:
        self._opened = opened
        self._store = opened.parts.store
        self._why_unwritable = why_unwritable
        self._found: str | None = _STARTING
        self._looking: float | None = time.monotonic()  # since when; None between two looks
        self._has_model = False
        self._asked = threading.Event()
        self._ended = threading.Event()
        self.is_draining = False
        threading.Thread(target=self._keep_looking, name="truekeep-ready", daemon=True).start()

    @property
    def problem(self) -> str | None:
        """Why nobody should ask here now; None when everybody may. Waits for nobody: it tells of the last look."""
        self._asked.set()
        if self.is_draining:
            return "it is stopping"
        if self._found is None and not self.has_store:
            return "the store does not answer"
        return self._found

    @property
    def has_store(self) -> bool:
        """Whether the store could be read and written a moment ago."""
        since = self._looking
        stale = _STALE_AWAY if isinstance(self._store, Pooled) and self._store.is_away else _STALE
        return self._found != _NO_STORE and (since is None or time.monotonic() - since < stale)

    def drain(self) -> None:
        """Be asked nothing new from now on."""
        self.is_draining = True

    def close(self) -> None:
        """Look no more. A look that waits for a store that is away is not waited for."""
        self._ended.set()
        self._asked.set()

    def _keep_looking(self) -> None:
        while not self._ended.is_set():
            self._looking = time.monotonic()
            self._asked.clear()
            found, why = self._look()
            if not self._ended.is_set():
                self._note(found, why)
            self._looking = None
            self._ended.wait(_EVERY)
            if self._found is None:
                self._asked.wait(_SELDOM)

    def _look(self) -> tuple[str | None, str]:
        """What is wrong, for everybody, and why, for the log."""
        try:
            if why := self._why_unwritable():
                return _NO_STORE, why
        except Exception as error:  # whatever it is, the next look may find otherwise
            return _NO_STORE, described(error)
        try:
            self._has_model = self._has_model or _loaded(self._opened.parts)
        except Exception as error:
            return _NO_MODEL, described(error)
        return None, ""

    def _note(self, found: str | None, why: str) -> None:
        """What changed is worth a line; what lasts is not."""
        if found is not None and found != self._found:
            log.error("not ready: %s: %s", found, why)
        elif found is None and self._found not in (None, _STARTING):
            log.warning("ready again")
        self._found = found


def _loaded(parts: Parts) -> bool:
    """Whether what answers by meaning is in memory. One that is elsewhere may be away: then words answer alone."""
    try:
        parts.embedder.embed([PROBE])
    except EmbedderError:
        if parts.embedder.in_process:
            raise
    parts.judge.relevance(PROBE, [PROBE])
    return True
