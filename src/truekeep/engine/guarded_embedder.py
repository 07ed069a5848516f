"""`Guarded`: an embedder that answers or fails in time, whatever the one inside does."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from truekeep.errors import EmbedderError
from truekeep.patience import Breaker, TooLate, within
from truekeep.ports import PROBE, Embedder
from truekeep.steps import step

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)
Result = TypeVar("Result")
LANES = (
    4  # calls to a remote embedder at once; a call that hangs keeps its lane, so no more threads than this get stuck
)
UNIT = 1e-6  # how far the square of a length may be from 1: as exact as float32 gets


class Guarded:
    """What the engine calls in place of a bare embedder.

    Every failure becomes an `EmbedderError`. An embedder that runs in this process is called directly. Any other is
    called in a thread and given up at the deadline; after a failure it rests for the cooldown, in which calls fail at
    once, and then one call may try it again.

    Whose fault a failure is, a plain text tells, which is embedded next. If that goes well, the texts were refused: the
    error is not `retryable`, and there is no rest. If it fails too, the embedder is out of order. It is also what the
    embedder is tried with after a rest, so that one text that it cannot take keeps it from nobody.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        deadline: timedelta = timedelta(seconds=2),
        cooldown: timedelta = timedelta(seconds=30),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failures = 0
        self.in_process = embedder.in_process
        self._embedder = embedder
        self._deadline = deadline
        self._breaker = Breaker(tolerance=1, retry_after=cooldown.total_seconds(), clock=clock)
        self._identity: tuple[str, int] | None = None
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Drop locks and lanes that a thread of the parent process may hold."""
        self._lock = threading.Lock()
        self._lanes = threading.BoundedSemaphore(LANES)
        self._breaker.reset_after_fork()

    @property
    def name(self) -> str:
        """What its vectors are kept under. It ends with the dimension: vectors of two lengths never meet.

        Raises EmbedderError when it depends on an embedder that does not answer.
        """
        return self._known()[0]

    @property
    def dimension(self) -> int:
        """Raises EmbedderError when it depends on an embedder that does not answer."""
        return self._known()[1]

    @property
    def available(self) -> bool:
        """Whether the last call went well, or it is time to try again."""
        return not self._breaker.is_open or (not self.in_process and self._breaker.is_rested)

    def passages(self, text: str) -> list[str]:
        with _foreign():
            passages = list(self._embedder.passages(text))
        if not passages:
            raise EmbedderError("the embedder divides the text into nothing")
        return passages

    @step("embedder.embed")
    def embed(self, texts: Sequence[str], *, deadline: timedelta | None = None) -> NDArray[np.float32]:
        """One unit vector a text, checked; EmbedderError at the deadline at the latest."""
        texts = list(texts)
        if not texts:
            import numpy as np

            return np.zeros((0, self.dimension), dtype=np.float32)
        if self._admit() and (problem := self._problem(deadline)):
            raise self._failed(problem)
        with self._judging(deadline):
            return self._call(partial(self._vectors, texts), deadline)

    def embed_within(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32] | None:
        """The meaning of stretches of a text that was embedded just now; None where asking would cost too much.

        An embedder that cannot tell is given the stretches as a text of their own, if it runs in this process.
        """
        import numpy as np

        if not self.in_process:
            return None
        within = getattr(self._embedder, "embed_within", None)
        if within is None:
            return np.asarray(self.embed([" ".join(text[start:end] for start, end in spans)])[0])
        with self._judging(None), _foreign():
            return np.asarray(_checked([within(text, spans)], 1, self._embedder.dimension)[0])

    def _known(self) -> tuple[str, int]:
        if self._identity is None:
            self._admit()
            try:
                name, dimension = self._call(lambda: (self._embedder.name, self._embedder.dimension), None)
            except EmbedderError as failure:
                self._failed(failure)
                raise
            self._went_well()
            ends_with_it = re.search(rf"(?<!\d){dimension}$", name)
            self._identity = (name if ends_with_it else f"{name}/{dimension}"), dimension
        return self._identity

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        return _checked(self._embedder.embed(texts), len(texts), self._embedder.dimension)

    @contextmanager
    def _judging(self, deadline: timedelta | None) -> Iterator[None]:
        """Of what fails, `retryable` tells whether the embedder is out of order, or only refuses this."""
        try:
            yield
        except EmbedderError as failure:
            if self._problem(min(deadline or self._deadline, self._deadline) / 2):
                raise self._failed(failure) from failure
            self._count()
            raise EmbedderError(str(failure)) from failure
        self._went_well()

    def _problem(self, deadline: timedelta | None) -> EmbedderError | None:
        """What is wrong with the embedder itself; None when a plain text goes well."""
        try:
            self._call(lambda: self._vectors([PROBE]), deadline)
        except EmbedderError as failure:
            return failure
        self._went_well()
        return None

    def _call(self, work: Callable[[], Result], deadline: timedelta | None) -> Result:
        with _foreign():
            return work() if self.in_process else self._in_lane(work, deadline or self._deadline)

    def _in_lane(self, work: Callable[[], Result], deadline: timedelta) -> Result:
        """In a thread, which keeps its lane until it ends, even when nobody waits any more."""
        lanes, seconds = self._lanes, deadline.total_seconds()
        gives_up_at = time.monotonic() + seconds
        if not lanes.acquire(timeout=seconds):
            raise EmbedderError(f"the embedder is busy with earlier calls for more than {seconds:g} s", retryable=True)
        try:
            return within(gives_up_at - time.monotonic(), work, thread="truekeep-embed", ended=lanes.release)
        except TooLate:
            raise EmbedderError(f"the embedder did not answer within {seconds:g} s", retryable=True) from None

    def _admit(self) -> bool:
        """Whether this call is the one that tries an embedder after its rest."""
        if self.in_process or not self._breaker.is_open:
            return False
        if not self._breaker.admits():
            raise EmbedderError("the embedder rests after a failure", retryable=True)
        return True

    def _failed(self, failure: EmbedderError) -> EmbedderError:
        """Begin a rest; what to raise."""
        self._count()
        if self._breaker.failed():
            log.warning("embedder %s failed, recall goes on by words: %s", type(self._embedder).__name__, failure)
        return EmbedderError(str(failure), retryable=True)

    def _went_well(self) -> None:
        if self._breaker.succeeded():
            log.info("embedder %s works again", type(self._embedder).__name__)

    def _count(self) -> None:
        with self._lock:
            self.failures += 1

    def __repr__(self) -> str:
        return f"Guarded({self._embedder!r})"


@contextmanager
def _foreign() -> Iterator[None]:
    """Somebody else's code: whatever comes out of it becomes an EmbedderError."""
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:  # its type alone: messages of foreign exceptions may quote the text
        raise EmbedderError(f"the embedder raised {type(error).__name__}", retryable=True) from error


def _checked(vectors: object, count: int, dimension: int) -> NDArray[np.float32]:
    import numpy as np

    matrix = _numbers(vectors)
    if matrix.shape != (count, dimension):
        raise EmbedderError(f"the embedder gave shape {matrix.shape}, not {(count, dimension)}", retryable=True)
    wide = matrix.astype(np.float64)  # squares in float32 would overflow, or lose small ones
    squares = np.einsum("ij,ij->i", wide, wide)
    if all(abs(square - 1) <= UNIT for square in squares.tolist()):
        return matrix
    if not np.isfinite(squares).all():
        raise EmbedderError("the embedder gave numbers that are not finite", retryable=True)
    if not squares.all():
        raise EmbedderError("the embedder gave a vector of zeros", retryable=True)
    matrix[:] = wide / np.sqrt(squares)[:, None]
    return matrix


def _numbers(vectors: object) -> NDArray[np.float32]:
    """A copy, whatever they came as."""
    import numpy as np

    if isinstance(vectors, np.ndarray) and vectors.dtype == np.float32:
        return vectors.copy()
    try:
        with np.errstate(all="ignore"):  # absurd numbers become infinite, which the caller notices
            return np.array(vectors, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbedderError("the embedder gave something that is not numbers", retryable=True) from error
