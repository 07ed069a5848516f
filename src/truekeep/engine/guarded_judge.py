"""`GuardedJudge`: a judge that answers, or says that the rules decide alone."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from truekeep.patience import Breaker
from truekeep.ports import Judge
from truekeep.ports.texts import RELATIONS, SENTENCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)


class GuardedJudge:
    """What the engine calls in place of a bare judge: None where there is none, or where it fails.

    After a failure it is left alone for the cooldown, and then one call tries it again.
    """

    def __init__(
        self,
        judge: Judge | None,
        *,
        cooldown: timedelta = timedelta(seconds=30),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failures = 0
        self._judge = judge
        self._breaker = Breaker(tolerance=1, retry_after=cooldown.total_seconds(), clock=clock)
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Drop locks that a thread of the parent process may hold."""
        self._lock = threading.Lock()
        self._breaker.reset_after_fork()

    @property
    def name(self) -> str:
        return "rules" if self._judge is None else self._judge.name

    @property
    def is_there(self) -> bool:
        """Whether there is a judge that may answer the next question."""
        return self._judge is not None and self._breaker.is_rested

    def relations(self, newer: str, older: Sequence[str]) -> NDArray[np.float32] | None:
        return self._asked(lambda judge: judge.relations(newer, older), (len(older), len(RELATIONS)))

    def relevance(self, question: str, texts: Sequence[str]) -> NDArray[np.float32] | None:
        return self._asked(lambda judge: judge.relevance(question, texts), (len(texts),))

    def sentences(self, before: str, speaker: str, sentences: Sequence[str]) -> NDArray[np.float32] | None:
        shape = (len(sentences), len(SENTENCE))
        return self._asked(lambda judge: judge.sentences(before, speaker, sentences), shape)

    def _asked(self, ask: Callable[[Judge], object], shape: tuple[int, ...]) -> NDArray[np.float32] | None:
        if self._judge is None or not self._breaker.admits():
            return None
        try:
            answer = _checked(ask(self._judge), shape)
        except Exception as error:  # a broken installation, or somebody else's code: anything may come out
            self._failed(error)
            return None
        if self._breaker.succeeded():
            log.info("judge %s works again", type(self._judge).__name__)
        return answer

    def _failed(self, error: Exception) -> None:
        with self._lock:
            self.failures += 1
        if self._breaker.failed():  # the type alone: messages of foreign exceptions may quote the text
            log.warning("judge %s failed, rules decide alone: %s", type(self._judge).__name__, type(error).__name__)

    def __repr__(self) -> str:
        return f"GuardedJudge({self._judge!r})"


def _checked(answer: object, shape: tuple[int, ...]) -> NDArray[np.float32]:
    import numpy as np

    logits = np.asarray(answer, dtype=np.float32)
    if logits.shape != shape:
        raise ValueError(f"shape {logits.shape}, not {shape}")
    if not np.isfinite(logits).all():
        raise ValueError("numbers that are not finite")
    return logits
