from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.embedders.openai_compatible import OpenAICompatible, overlapping
from truekeep.errors import ConfigurationError, EmbedderError

KEY = "sk-very-secret-0123456789"
Reply = Callable[[list[str]], tuple[int, bytes]]


def vector(text: str, dimension: int = 4) -> list[float]:
    return [float(len(text) + place) for place in range(dimension)]


def well(texts: list[str]) -> tuple[int, bytes]:
    data = [{"index": index, "embedding": vector(text)} for index, text in enumerate(texts)]
    return 200, json.dumps({"data": data}).encode()


def answer(body: object) -> Reply:
    return lambda texts: (200, body if isinstance(body, bytes) else json.dumps(body).encode())


def status(code: int) -> Reply:
    return lambda texts: (code, b'{"error": "bad key ' + KEY.encode() + b'"}')


class Endpoint:
    """A real server on loopback that misbehaves as told: each request takes the next reply, the last one stays."""

    def __init__(self) -> None:
        self.replies: list[Reply] = [well]
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.release = threading.Event()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append({"path": self.path, **request})
                endpoint.keys.append(self.headers["Authorization"])
                reply = endpoint.replies.pop(0) if len(endpoint.replies) > 1 else endpoint.replies[0]
                code, body = reply(request["input"])
                try:
                    self.send_response(code)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True  # the client gave up, as it should

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def hang(self, texts: list[str]) -> tuple[int, bytes]:
        self.release.wait(30)
        return well(texts)

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def embedder(endpoint: Endpoint) -> Iterator[OpenAICompatible]:
    client = OpenAICompatible(
        endpoint.url, "small", key=KEY, dimension=4, batch=3, retries=2, timeout=timedelta(seconds=20)
    )
    yield client
    client.close()


def test_texts_become_unit_vectors_in_order_over_several_requests(
    endpoint: Endpoint, embedder: OpenAICompatible
) -> None:
    texts = ["a" * length for length in range(1, 8)]

    vectors = embedder.embed(texts)

    expected = np.array([vector(text) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(vectors, expected, atol=1e-6)
    assert vectors.dtype == np.float32
    assert [len(request["input"]) for request in endpoint.requests] == [3, 3, 1]
    assert endpoint.requests[0]["path"] == "/v1/embeddings"
    assert endpoint.requests[0]["model"] == "small"
    assert set(endpoint.keys) == {f"Bearer {KEY}"}


def test_an_answer_in_another_order_is_put_right(endpoint: Endpoint, embedder: OpenAICompatible) -> None:
    straight = embedder.embed(["a", "bb", "ccc"])
    endpoint.replies = [
        lambda texts: (
            200,
            json.dumps({"data": list(reversed(json.loads(well(texts)[1])["data"]))}).encode(),
        )
    ]

    assert np.array_equal(embedder.embed(["a", "bb", "ccc"]), straight)


def test_nothing_to_embed_asks_nobody(endpoint: Endpoint, embedder: OpenAICompatible) -> None:
    assert embedder.embed([]).shape == (0, 4)
    assert endpoint.requests == []


def test_the_dimension_is_asked_once_when_it_was_not_given(endpoint: Endpoint) -> None:
    embedder = OpenAICompatible(endpoint.url, "small")

    assert embedder.dimension == 4
    assert embedder.name == "openai-compatible/small/4"
    assert embedder.embed(["tea"]).shape == (1, 4)
    assert len(endpoint.requests) == 2
    embedder.close()


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_passing_failure_is_tried_again(endpoint: Endpoint, embedder: OpenAICompatible, code: int) -> None:
    endpoint.replies = [status(code), well]

    assert embedder.embed(["tea"]).shape == (1, 4)
    assert len(endpoint.requests) == 2


def test_a_lasting_failure_ends_after_the_retries(endpoint: Endpoint, embedder: OpenAICompatible) -> None:
    endpoint.replies = [status(500)]

    with pytest.raises(EmbedderError, match="status 500") as caught:
        embedder.embed(["tea"])

    assert caught.value.retryable
    assert len(endpoint.requests) == 3


def test_a_refusal_is_not_tried_again_and_shows_no_key(endpoint: Endpoint, embedder: OpenAICompatible) -> None:
    endpoint.replies = [status(401)]

    with pytest.raises(EmbedderError, match="status 401") as caught:
        embedder.embed(["tea"])

    assert not caught.value.retryable
    assert len(endpoint.requests) == 1
    assert KEY not in str(caught.value) + repr(embedder)


def test_an_endpoint_that_hangs_is_given_up(endpoint: Endpoint) -> None:
    endpoint.replies = [endpoint.hang]
    embedder = OpenAICompatible(endpoint.url, "small", dimension=4, timeout=timedelta(seconds=0.2))

    with pytest.raises(EmbedderError, match=r"within 0\.2 s") as caught:
        embedder.embed(["tea"])

    assert caught.value.retryable
    assert len(endpoint.requests) == 1
    embedder.close()


def test_an_endpoint_that_is_not_there_is_an_embedder_error(endpoint: Endpoint, embedder: OpenAICompatible) -> None:
    endpoint.close()

    with pytest.raises(EmbedderError, match="ConnectError") as caught:
        embedder.embed(["tea"])

    assert caught.value.retryable


@pytest.mark.parametrize(
    "body",
    [
        b"<html>not today</html>",
        b"\xff\xfe\x00",
        b"[" * 200_000,
        b"",
        [],
        {"data": None},
        {"data": "embedding"},
        {"data": {"0": 1}},
        {"data": [{"embedding": None}]},
        {"data": [{"embedding": {"a": 1}}]},
        {"data": [{"embedding": ["x", "y", "z", "w"]}]},
        {"data": [{"embedding": 4}]},
        {"data": [{"index": 7, "embedding": [1, 2, 3, 4]}]},
        {"data": []},
        {"data": [{"index": 0, "embedding": [1, 2, 3, 4]}, {"index": 1, "embedding": [1, 2, 3, 4]}]},
        {"data": [{"embedding": [0, 0, 0, 0]}]},
        {"data": [{"embedding": [1, 2, 3, float("nan")]}]},
        {"data": [{"embedding": [1e308, 1e308, 1e308, 1e308]}]},
        {"data": [{"embedding": [10**400, 1, 1, 1]}]},
    ],
)
def test_a_nonsensical_answer_is_an_embedder_error(
    endpoint: Endpoint, embedder: OpenAICompatible, body: object
) -> None:
    endpoint.replies = [answer(body)]

    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["tea"])

    assert caught.value.retryable


def test_another_dimension_says_what_to_change(endpoint: Endpoint) -> None:
    embedder = OpenAICompatible(endpoint.url, "small", dimension=8)

    with pytest.raises(EmbedderError, match="4 dimensions, not 8: correct dimension="):
        embedder.embed(["tea"])

    embedder.close()


@pytest.mark.parametrize(
    "arguments",
    [
        {"base_url": "ftp://host"},
        {"base_url": "localhost:11434"},
        {"base_url": ""},
        {"model": ""},
        {"key": "two words"},
        {"key": "line\nbreak"},
        {"dimension": 0},
        {"batch": 0},
        {"retries": -1},
        {"timeout": timedelta(0)},
    ],
)
def test_a_wrong_setting_fails_at_once_without_showing_the_key(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        OpenAICompatible(**{"base_url": "http://localhost/v1", "model": "small", **arguments})

    assert "two words" not in str(caught.value)


def test_passages_follow_the_size_of_the_text_in_bytes() -> None:
    embedder = OpenAICompatible("http://localhost/v1", "small", dimension=4)

    assert embedder.passages("short") == ["short"]
    assert max(map(len, embedder.passages("word " * 5_000))) <= 6_000
    assert max(len(piece.encode()) for piece in embedder.passages("日本語" * 5_000)) <= 6_000


@given(st.text(alphabet="ab \n", max_size=2_000), st.integers(50, 400))
def test_pieces_overlap_cover_the_text_and_keep_to_their_size(text: str, size: int) -> None:
    pieces = overlapping(text, size)

    assert all(len(piece) <= size for piece in pieces)
    covered = 0
    for piece in pieces:
        place = text.find(piece, max(0, covered - size))
        assert 0 <= place <= covered
        covered = max(covered, place + len(piece))
    assert covered == len(text)


def test_pieces_break_at_white_space() -> None:
    pieces = overlapping("gorse heather bracken " * 100, 120)

    assert all(piece.split()[0] in ("gorse", "heather", "bracken") for piece in pieces)
    assert all(piece.split()[-1] in ("gorse", "heather", "bracken") for piece in pieces)
