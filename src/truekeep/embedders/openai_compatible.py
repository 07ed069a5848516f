"""`OpenAICompatible`: meaning from any endpoint that speaks OpenAI's embeddings."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from truekeep.errors import ConfigurationError, EmbedderError
from truekeep.patience import TooLate, TooMuch, seconds_asked, whole

if TYPE_CHECKING:
    import httpx
    import numpy as np
    from numpy.typing import NDArray

BACKOFF = 0.2  # seconds before the first retry; doubled for each further one
MOST_ANSWER_BYTES = 64 * 1024 * 1024
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class OpenAICompatible:
    """Asks `POST {base_url}/embeddings`.

    Args:
        base_url: up to and without `/embeddings`: `http://localhost:11434/v1`.
        model: as the endpoint calls it.
        key: sent as a bearer token; shown nowhere.
        dimension: of the model's vectors. Without it the endpoint is asked once, when the number is first needed;
            give it so that a memory opens while the endpoint is out of reach.
        timeout: for one request of at most `batch` texts, its retries included.
        passage_bytes: how much text the model sees whole; 6,000 bytes stay under 8,192 tokens in every script.
    """

    in_process = False

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        dimension: int | None = None,
        timeout: timedelta = timedelta(seconds=10),
        batch: int = 64,
        retries: int = 2,
        passage_bytes: int = 6_000,
    ) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ConfigurationError("base_url of the embedder must look like https://host/v1")
        if key is not None and (not key.isascii() or not key.isprintable() or " " in key):
            raise ConfigurationError("key of the embedder must be printable ASCII without spaces")
        if not model or batch < 1 or retries < 0 or passage_bytes < 100 or timeout <= timedelta(0):
            raise ConfigurationError("the embedder needs a model, batch >= 1, retries >= 0 and a timeout")
        if dimension is not None and dimension < 1:
            raise ConfigurationError(f"dimension of the embedder must be at least 1, not {dimension}")
        self.model = model
        self._host = address.hostname
        self._url = base_url.rstrip("/") + "/embeddings"
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._dimension = dimension
        self._timeout = timeout.total_seconds()
        self._batch = batch
        self._retries = retries
        self._passage_bytes = passage_bytes
        self._clients: dict[int, httpx.Client] = {}  # by process: a forked child must not share its parent's sockets

    @property
    def name(self) -> str:
        return f"openai-compatible/{self.model}/{self.dimension}"

    @property
    def dimension(self) -> int:
        """Raises EmbedderError when it was not given and the endpoint does not answer."""
        if self._dimension is None:
            self._dimension = self._ask(["dimension"]).shape[1]
        return self._dimension

    def passages(self, text: str) -> list[str]:
        size = len(text) * self._passage_bytes // max(1, len(text.encode("utf-8", "surrogatepass")))
        return overlapping(text, size)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), self._batch):
            vectors[start : start + self._batch] = self._ask(texts[start : start + self._batch])
        return vectors

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        client = self._clients.pop(os.getpid(), None)
        if client is not None:
            client.close()

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of one request, as long as the model makes them; tried again while there is hope and time."""
        try:
            request = json.dumps({"model": self.model, "input": list(texts), "encoding_format": "float"})
            body = request.encode()
        except (TypeError, ValueError) as error:
            raise EmbedderError("the texts cannot be sent as JSON") from error
        gives_up_at = time.monotonic() + self._timeout
        for attempt in range(self._retries + 1):
            wait = BACKOFF * 2**attempt
            try:
                return _vectors(self._post(body, gives_up_at), len(texts), self._dimension)
            except _Later as later:
                wait = max(wait, later.wait)
                problem = later
            if attempt == self._retries or time.monotonic() + wait >= gives_up_at:
                break
            time.sleep(wait)
        raise EmbedderError(f"the embedder at {self._host} failed: {problem}", retryable=True) from problem.__cause__

    def _post(self, body: bytes, gives_up_at: float) -> bytes:
        import httpx

        headers = {**self._headers, "Content-Type": "application/json"}
        left = max(0.001, gives_up_at - time.monotonic())
        try:
            with self._connected().stream("POST", self._url, content=body, headers=headers, timeout=left) as response:
                if response.status_code in RETRIED:
                    raise _Later(f"status {response.status_code}", seconds_asked(response.headers.get("Retry-After")))
                if response.status_code != 200:
                    # Only the status: what the endpoint writes beside it may quote the key or the text.
                    raise EmbedderError(f"the embedder at {self._host} refused: status {response.status_code}")
                return _read(response, gives_up_at)
        except httpx.TimeoutException as error:
            raise EmbedderError(
                f"the embedder at {self._host} did not answer within {self._timeout:g} s", retryable=True
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _Later(type(error).__name__) from error

    def _connected(self) -> httpx.Client:
        client = self._clients.get(os.getpid())
        if client is None:
            import httpx

            client = self._clients.setdefault(os.getpid(), httpx.Client())
        return client

    def __repr__(self) -> str:
        return f"OpenAICompatible(host={self._host!r}, model={self.model!r}, dimension={self._dimension})"


class _Later(Exception):
    """A failure that may pass."""

    def __init__(self, problem: str, wait: float = 0.0) -> None:
        super().__init__(problem)
        self.wait = wait


def _read(response: httpx.Response, gives_up_at: float) -> bytes:
    try:
        return whole(response.iter_bytes(), gives_up_at, most=MOST_ANSWER_BYTES)
    except TooMuch:
        raise EmbedderError(f"the embedder's answer is larger than {MOST_ANSWER_BYTES} bytes") from None
    except TooLate:
        raise EmbedderError("the embedder's answer came too slowly", retryable=True) from None


def _vectors(answer: bytes, count: int, dimension: int | None) -> NDArray[np.float32]:
    """The unit vectors in the order of the texts, whatever the order of the answer."""
    import numpy as np

    try:
        items = json.loads(answer)["data"]
        by_index = {item.get("index", place): item["embedding"] for place, item in enumerate(items)}
        matrix = np.array([by_index[index] for index in range(count)], dtype=np.float64)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise EmbedderError("the embedder's answer is not a list of embeddings", retryable=True) from error
    if len(items) != count or matrix.ndim != 2 or matrix.size == 0:
        raise EmbedderError(f"the embedder gave {len(items)} embeddings for {count} texts", retryable=True)
    if dimension is not None and matrix.shape[1] != dimension:
        raise EmbedderError(
            f"the embedder's model gives {matrix.shape[1]} dimensions, not {dimension}: correct dimension= or model="
        )
    with np.errstate(all="ignore"):  # absurd numbers are told apart below
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (np.isfinite(norms) & (norms > 0)).all():
        raise EmbedderError("the embedder gave a vector of zeros or of numbers that are not finite", retryable=True)
    return np.asarray(matrix / norms, dtype=np.float32)


def overlapping(text: str, size: int) -> list[str]:
    """Pieces of at most `size` characters that overlap by about a quarter, cut at white space where there is some."""
    pieces = []
    start = 0
    while len(text) - start > size:
        end = _after_space(text, start + size * 3 // 4, start + size)
        pieces.append(text[start:end])
        start = _after_space(text, end - size // 4, end - size // 8)
    pieces.append(text[start:])
    return pieces


def _after_space(text: str, earliest: int, latest: int) -> int:
    """The last place in this stretch that follows white space; its end where there is none."""
    return next((place for place in range(latest, earliest, -1) if text[place - 1].isspace()), latest)
