"""What users see when a server refuses, is out of order, or is no Truekeep server at all."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from truekeep.errors import (
    AccessDenied,
    ConfigurationError,
    Conflict,
    EmbedderError,
    ExtractorError,
    InvalidInput,
    NotFound,
    QuotaExceeded,
    StoreError,
    TruekeepError,
)
from truekeep.memory import Memory, handle
from truekeep.remote import Patience, Remote

from .scripted import HTML, Asked, Step, answer, drop, drop_in_the_middle, free_port, problem, scripted

QUICK = Patience(
    connect=timedelta(seconds=2),
    answer=timedelta(seconds=0.3),
    attempts=4,
    span=timedelta(seconds=5),
    first_pause=timedelta(milliseconds=1),
)
KEYS = {"keys": ["a"]}
OUT_OF_ORDER = problem(503, "unavailable", "the disk is full", retryable=True)


@contextmanager
def opened(at: str, *, key: str | None = None, patience: Patience = QUICK) -> Iterator[Memory]:
    with handle(Remote("bot", at=at, key=key, patience=patience)) as memory:
        yield memory


@pytest.mark.parametrize(
    ("status", "slug", "expected"),
    [
        (404, "not-found", NotFound),
        (409, "conflict", Conflict),
        (412, "precondition-failed", Conflict),
        (503, "configuration", ConfigurationError),
        (403, "forbidden", AccessDenied),
        (429, "too-many-tries", AccessDenied),
        (413, "too-large", InvalidInput),
        (431, "head-too-large", InvalidInput),
        (400, "malformed", InvalidInput),
        (503, "unavailable", StoreError),
        (503, "embedder-failed", EmbedderError),
        (503, "extractor-failed", ExtractorError),
        (405, "method-not-allowed", StoreError),
    ],
)
def test_a_problem_is_the_exception_that_an_embedded_memory_raises(
    status: int, slug: str, expected: type[TruekeepError]
) -> None:
    with scripted(problem(status, slug, "what happened")) as server, opened(server.url) as memory:
        with pytest.raises(expected, match="what happened") as caught:
            memory.keys()

        assert type(caught.value) is expected
        assert len(server.asked) == 1


def test_whoever_gives_a_path_of_the_server_is_told_to_leave_it_out() -> None:
    with (
        scripted(problem(404, "no-such-path", "there is no such path")) as server,
        opened(f"{server.url}/v1") as memory,
        pytest.raises(StoreError, match=r"/v1 is a Truekeep server .* the address of the server alone, without /v1"),
    ):
        memory.keys()


@pytest.mark.parametrize(("status", "slug"), [(503, "busy"), (408, "too-slow")])
def test_a_server_that_had_no_room_is_asked_again(status: int, slug: str) -> None:
    with scripted(problem(status, slug, "try again"), answer(200, {"keys": ["k"]})) as server:
        with opened(server.url) as memory:
            assert memory.keys() == ["k"]

        assert len(server.asked) == 2


def test_a_wrong_argument_keeps_its_name_and_its_problem() -> None:
    wrong = problem(422, "invalid-input", "tags: too many", argument="tags", problem="too many")

    with scripted(wrong) as server, opened(server.url) as memory, pytest.raises(InvalidInput) as caught:
        memory.remember("Ana likes tea")

    assert (caught.value.argument, caught.value.problem) == ("tags", "too many")


def test_a_used_up_quota_says_when_to_come_back_and_is_not_asked_again() -> None:
    spent = problem(429, "quota-exceeded", "10 of 10 writes are used", {"Retry-After": "3600"})

    with scripted(spent) as server, opened(server.url) as memory:
        with pytest.raises(QuotaExceeded, match="10 of 10") as caught:
            memory.remember("Ana likes tea")

        assert caught.value.retry_after == timedelta(hours=1)
        assert len(server.asked) == 1


@pytest.mark.parametrize("wait", ["9" * 20, "9" * 400, "1e9", "soon"])
def test_a_wait_that_no_clock_can_tell_is_as_good_as_none(wait: str) -> None:
    spent = problem(429, "quota-exceeded", "10 of 10 writes are used", {"Retry-After": wait})

    with scripted(spent) as server, opened(server.url) as memory, pytest.raises(QuotaExceeded) as caught:
        memory.remember("Ana likes tea")

    assert caught.value.retry_after == timedelta()


@pytest.mark.parametrize(("key", "message"), [(None, "give key=.*keys create"), ("tk_secret", "this key=; this")])
def test_a_missing_or_wrong_key_is_named_and_never_shown(key: str | None, message: str) -> None:
    refused = problem(401, "unauthorized", "this access key is unknown")

    with (
        scripted(refused) as server,
        opened(server.url, key=key) as memory,
        pytest.raises(ConfigurationError, match=message) as caught,
    ):
        memory.keys()

    assert "tk_secret" not in str(caught.value)


@pytest.mark.parametrize(
    "give", [lambda url: (url, "tk_secret"), lambda url: (url.replace("//", "//a:tk_secret@"), None)]
)
def test_the_key_travels_as_a_bearer_token_only(
    give: Callable[[str], tuple[str, str | None]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with scripted(OUT_OF_ORDER, answer(200, KEYS)) as server:
        at, key = give(server.url)

        with opened(at, key=key) as memory:
            memory.keys()

        assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer tk_secret"] * 2
        assert not any("tk_secret" in asked.path or "tk_secret" in asked.headers["host"] for asked in server.asked)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith(("truekeep", "httpx"))]
    assert ours
    assert not any("tk_secret" in text for text in ours)


@pytest.mark.parametrize(
    ("step", "expected", "message"),
    [
        (answer(200, HTML), StoreError, "no Truekeep server"),
        (answer(200, b"[" * 100_000), StoreError, "no Truekeep server"),
        (answer(200, {"other": 1}), StoreError, "not understood"),
        (answer(200, [1]), StoreError, "not understood"),
        (answer(404, HTML), StoreError, "404"),
        (answer(404, {"detail": "Not Found"}), StoreError, "404"),
        (answer(404, {"type": 5, "detail": "x"}), StoreError, "404"),
        (answer(500, HTML), StoreError, "500"),
        (answer(200, b"\xff\xfe", {"Content-Encoding": "gzip"}), StoreError, "broke off"),
        (answer(403, HTML), ConfigurationError, "403"),
        (
            answer(308, b"", {"Location": "https://u:p@new.example.org/x?y"}),
            ConfigurationError,
            r"//new\.example\.org;",
        ),
    ],
)
def test_what_is_no_truekeep_server_is_told_and_not_quoted(
    step: Callable[..., None], expected: type[TruekeepError], message: str
) -> None:
    with scripted(step) as server, opened(server.url) as memory:
        with pytest.raises(expected, match=message) as caught:
            memory.keys()

        assert "hotel" not in str(caught.value)
        assert server.url in str(caught.value)
        assert len(server.asked) == 1


@pytest.mark.parametrize("fault", [OUT_OF_ORDER, answer(502, HTML), answer(504, b""), drop, drop_in_the_middle])
def test_a_read_is_tried_again_until_it_works(fault: Callable[..., None]) -> None:
    with scripted(fault, fault, answer(200, KEYS)) as server, opened(server.url) as memory:
        assert memory.keys() == ["a"]
        assert len(server.asked) == 3


def test_patience_comes_to_an_end() -> None:
    with scripted(OUT_OF_ORDER) as server, opened(server.url) as memory:
        with pytest.raises(StoreError, match="disk is full") as caught:
            memory.keys()

        assert caught.value.retryable
        assert len(server.asked) == QUICK.attempts


def test_what_will_not_pass_is_not_tried_again() -> None:
    damaged = problem(503, "unavailable", "the file is damaged", retryable=False)

    with scripted(damaged) as server, opened(server.url) as memory:
        with pytest.raises(StoreError, match="damaged") as caught:
            memory.keys()

        assert not caught.value.retryable
        assert len(server.asked) == 1


def test_a_server_that_asks_for_more_time_than_there_is_is_not_waited_for() -> None:
    later = problem(503, "unavailable", "restarting", {"Retry-After": "30"}, retryable=True)

    with scripted(later) as server, opened(server.url) as memory:
        with pytest.raises(StoreError, match="restarting"):
            memory.keys()

        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "write",
    [
        lambda memory: memory.remember("Ana likes tea"),
        lambda memory: memory.remember_many(["Ana likes tea", "Ben likes coffee"]),
        lambda memory: memory.set("k", 1),
        lambda memory: memory.append("k", 1),
        lambda memory: memory.increment("k"),
        lambda memory: memory.extract("Ana: I like tea.", wait=False),
        lambda memory: memory.correct("some-id", "new text"),
    ],
)
def test_a_write_carries_the_same_idempotency_key_each_time(write: Callable[[Memory], object]) -> None:
    with scripted(drop) as server, opened(server.url) as memory:
        for _ in range(2):
            with pytest.raises(StoreError):
                write(memory)

    first, second = server.asked[: QUICK.attempts], server.asked[QUICK.attempts :]
    assert len(first) == len(second) == QUICK.attempts
    assert len({_keys_of(asked) for asked in first}) == 1
    assert _keys_of(first[0]) != _keys_of(second[0])
    assert all(_keys_of(first[0]))


def _keys_of(asked: Asked) -> tuple[str, ...]:
    header, body = asked.headers.get("idempotency-key"), asked.json
    return (header,) if header else tuple(one["idempotency_key"] for one in body.get("items", [body]))


def test_the_callers_own_idempotency_keys_are_kept() -> None:
    with scripted(problem(409, "conflict", "used")) as server, opened(server.url) as memory:
        for write in (
            lambda: memory.remember("one", idempotency_key="r1"),
            lambda: memory.remember_many([{"content": "one", "idempotency_key": "r2"}, "two"]),
            lambda: memory.increment("k", idempotency_key="r3"),
            lambda: memory.extract("Ana: I like tea.", idempotency_key="r4"),
        ):
            with pytest.raises(Conflict):
                write()

    assert [_keys_of(asked)[0] for asked in server.asked] == ["r1", "r2", "r3", "r4"]


def test_an_idempotency_key_that_no_header_can_carry_is_sent_as_its_digest() -> None:
    with scripted(problem(409, "conflict", "used")) as server, opened(server.url) as memory:
        for key in ("Überweisung 7", "Überweisung 7", "Überweisung 8"):
            with pytest.raises(Conflict):
                memory.increment("k", idempotency_key=key)

    first, again, other = (_keys_of(asked)[0] for asked in server.asked)
    assert first == again != other
    assert first.isascii()


def test_a_silent_server_is_given_up() -> None:
    def hang(connection: socket.socket, _: Asked) -> None:
        server.released.wait(60)

    with scripted(hang) as server, opened(server.url) as memory:
        with pytest.raises(StoreError, match="did not answer in time") as caught:
            memory.keys()

        assert caught.value.retryable


def test_an_answer_that_trickles_is_given_up() -> None:
    def trickle(connection: socket.socket, _: Asked) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not server.released.wait(0.05):
            connection.sendall(b" ")

    patience = Patience(answer=timedelta(seconds=0.3), attempts=1)
    with (
        scripted(trickle) as server,
        opened(server.url, patience=patience) as memory,
        pytest.raises(StoreError, match="did not answer in time"),
    ):
        memory.keys()


def test_a_server_that_is_not_there_is_told_in_the_words_of_the_system() -> None:
    port = free_port()
    with (
        opened(f"http://127.0.0.1:{port}") as memory,
        pytest.raises(StoreError, match="no server can be reached") as caught,
    ):
        memory.remember("Ana likes tea")

    assert caught.value.retryable
    refused = os.strerror(errno.ECONNREFUSED)
    assert str(caught.value) == f"no server can be reached at http://127.0.0.1:{port} ({refused})"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9", r"needs: pip install 'httpx\[socks\]'"),
        ("ALL_PROXY", "mystery://ana:secret@127.0.0.1:9", "is not the address of a proxy"),
        ("ALL_PROXY", "http://127.0.0.1:nine", "is not the address of a proxy"),
        ("SSL_CERT_FILE", "nowhere.pem", "no certificates can be read where SSL_CERT_FILE"),
    ],
)
def test_an_environment_that_cannot_be_used_is_told_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv(variable, value)

    with opened("https://192.0.2.1") as memory, pytest.raises(ConfigurationError, match=told) as caught:
        memory.recall("tea")

    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_yet_is_waited_for_by_every_call() -> None:
    port = free_port()
    patience = Patience(attempts=8, first_pause=timedelta(milliseconds=50))
    failed: list[Exception] = []

    def correct() -> None:
        with opened(f"http://127.0.0.1:{port}", patience=patience) as memory:
            try:
                memory.correct("some-id", "new text")
            except NotFound as error:
                failed.append(error)

    thread = threading.Thread(target=correct)
    thread.start()
    thread.join(0.2)
    with scripted(problem(404, "not-found", "no item"), port=port) as server:
        thread.join(30)

        assert len(server.asked) == 1
    assert [str(error) for error in failed] == ["no item"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_that_nobody_vouches_for_is_a_matter_of_configuration(tmp_path: Path) -> None:
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout k.pem -out c.pem"
    subprocess.run(make, shell=True, cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "c.pem", tmp_path / "k.pem")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_shake_hands, args=(listener, context))
        thread.start()

        with (
            opened(f"https://127.0.0.1:{listener.getsockname()[1]}") as memory,
            pytest.raises(ConfigurationError, match=r"certificate .* not trusted"),
        ):
            memory.keys()

        thread.join(30)


def _shake_hands(listener: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError):  # the client turns away
        context.wrap_socket(connection, server_side=True).close()


def test_an_export_that_breaks_off_is_never_taken_for_a_whole_one() -> None:
    def cut(connection: socket.socket, _: Asked) -> None:
        connection.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n{"a"}\n\r\n')

    with scripted(cut) as server, opened(server.url) as memory:
        lines = memory.export()

        assert next(lines) == '{"a"}\n'
        with pytest.raises(StoreError, match="broke off"):
            next(lines)


def test_a_backup_that_breaks_off_leaves_no_file(tmp_path: Path) -> None:
    with (
        scripted(drop_in_the_middle) as server,
        opened(server.url) as memory,
        pytest.raises(StoreError, match="broke off"),
    ):
        memory.backup(tmp_path / "copy.db")

    assert list(tmp_path.iterdir()) == []


def test_a_backup_never_overwrites(tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("precious")

    with (
        scripted(answer(200, b"copy")) as server,
        opened(server.url) as memory,
        pytest.raises(InvalidInput, match="never overwrites"),
    ):
        memory.backup(target)

    assert target.read_text() == "precious"
    assert server.asked == []


def test_lines_that_are_none_are_refused_before_they_are_sent() -> None:
    with scripted(answer(200, {})) as server, opened(server.url) as memory:
        for lines in ([5], ['{"a": "\ud800"}']):
            with pytest.raises(InvalidInput, match="line"):
                memory.import_(lines)  # type: ignore[arg-type]  # on purpose


def test_threads_share_the_connections_of_a_handle() -> None:
    found: list[object] = []
    with scripted(answer(200, KEYS)) as server, opened(server.url) as memory:
        threads = [threading.Thread(target=lambda: found.append(memory.keys())) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert found == [["a"]] * 16


def test_the_next_server_is_asked_at_once_when_one_cannot_be_reached() -> None:
    gone = f"http://127.0.0.1:{free_port()}"
    slow_to_try_again = Patience(first_pause=timedelta(seconds=60))

    with scripted(answer(200, KEYS)) as server:
        with opened(f"{gone},{server.url}", key="tk_secret", patience=slow_to_try_again) as memory:
            assert memory.keys() == memory.keys() == ["a"]
            assert f"{gone},{server.url}" in repr(memory)

        assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer tk_secret"] * 2


@pytest.mark.parametrize("fault", [OUT_OF_ORDER, problem(503, "busy", "it stops"), drop, drop_in_the_middle])
def test_a_write_that_failed_at_one_server_is_sent_to_the_next_with_the_same_key(fault: Step) -> None:
    at = "2026-01-01T00:00:00Z"
    value = {"key": "n", "value": 1, "version": 1, "created": at, "updated": at, "expires": None}

    with scripted(fault) as failing, scripted(answer(200, value)) as sound:
        with opened(f"{failing.url}, {sound.url}") as memory:
            assert memory.increment("n").value == 1
            memory.increment("n")

        assert len(failing.asked) == 1  # whoever failed is left until the others fail
        assert failing.asked[0].headers["idempotency-key"] == sound.asked[0].headers["idempotency-key"]


def test_a_server_that_was_left_is_asked_again_when_the_others_fail() -> None:
    with scripted(OUT_OF_ORDER, answer(200, KEYS)) as first, scripted(answer(200, KEYS), drop) as second:
        with opened(f"{first.url},{second.url}") as memory:
            assert memory.keys() == memory.keys() == ["a"]

        assert (len(first.asked), len(second.asked)) == (2, 2)


def test_each_of_several_servers_is_tried_as_often_as_one_alone_would_be() -> None:
    with scripted(OUT_OF_ORDER) as first, scripted(OUT_OF_ORDER) as second:
        with opened(f"{first.url},{second.url}") as memory, pytest.raises(StoreError, match="the disk is full"):
            memory.keys()

        assert (len(first.asked), len(second.asked)) == (4, 4)


def test_what_one_server_refuses_no_other_is_asked() -> None:
    with scripted(problem(409, "conflict", "it has version 2")) as first, scripted(answer(200, KEYS)) as second:
        with opened(f"{first.url},{second.url}") as memory, pytest.raises(Conflict):
            memory.keys()

        assert (len(first.asked), len(second.asked)) == (1, 0)
