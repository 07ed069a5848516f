"""`/livez` and `/readyz`: told from what was found last, whatever else the process is doing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep.errors import StoreError
from truekeep.testing.fakes import FakeEmbedder

from .served import OPERATOR, Served, at, detail, serving

PLACE = "postgresql://zebra@db.internal/zebras cannot be reached"
PATIENCE = 30  # seconds


def ready(served: Served) -> httpx.Response:
    with served.caller(key=None) as nobody:
        return nobody.get("/readyz")


def wait_for(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_server_that_can_read_write_and_embed_is_ready_for_anybody_who_asks(served: Served) -> None:
    wait_for(lambda: ready(served).is_success)

    with served.caller(key=None) as nobody:
        for probe in ("/livez", "/readyz"):
            answer = nobody.get(probe, headers={"Host": "10.0.0.7:8420"})  # as a kubelet asks
            assert answer.json() == {"status": "ok"}


def test_probes_of_an_open_server_are_answered_under_any_name(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.caller(key=None) as nobody:
        wait_for(lambda: ready(served).is_success)

        answers = [nobody.get(path, headers={"Host": "10.0.0.7"}) for path in ("/livez", "/readyz", "/health")]

    assert [answer.status_code for answer in answers] == [200, 200, 403]


def test_a_store_that_cannot_be_read_or_written_makes_it_not_ready_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> bool:
        raise StoreError(PLACE, retryable=True)

    with serving(tmp_path, admin_key=OPERATOR) as served:
        wait_for(lambda: ready(served).is_success)
        with monkeypatch.context() as patch:
            patch.setattr(served.opened.parts.store, "try_write", fails)
            wait_for(lambda: not ready(served).is_success)
            answer = ready(served)
            with served.caller(key=None) as nobody:
                assert nobody.get("/livez").status_code == 200
        wait_for(lambda: ready(served).is_success)

    assert detail(answer, 503)["detail"].startswith("the store cannot be read or written; ")
    assert answer.headers["retry-after"] == "1"
    assert caplog.text.count(PLACE) == 1  # the log says why, once
    assert "ready again" in caplog.text


def test_a_store_that_does_not_answer_is_noticed_without_waiting_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truekeep.server.readiness._STALE", 0.2)
    back = threading.Event()
    with serving(tmp_path, admin_key=OPERATOR) as served, monkeypatch.context() as patch:
        wait_for(lambda: ready(served).is_success)
        patch.setattr(served.opened.parts.store, "try_write", lambda: back.wait(PATIENCE))

        wait_for(lambda: not ready(served).is_success)
        answer = ready(served)
        back.set()

    assert detail(answer, 503)["detail"].startswith("the store does not answer; ")


def test_a_store_that_lets_nobody_in_is_not_waited_for_as_long_as_one_that_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truekeep.server.readiness._STALE", 2 * PATIENCE)
    back, looked = threading.Event(), threading.Event()
    pool = SimpleNamespace(pool=dict, give_up=lambda: None, is_away=False)

    def hangs() -> None:
        looked.set()
        back.wait(PATIENCE)

    with serving(tmp_path, admin_key=OPERATOR) as served, monkeypatch.context() as patch:
        wait_for(lambda: ready(served).is_success)
        patch.setattr(served.opened.parts.store, "try_write", hangs)
        patch.setattr(served.app.state.desk.readiness, "_store", pool)
        wait_for(lambda: ready(served).is_success and looked.is_set())
        time.sleep(0.6)
        slow = ready(served)
        pool.is_away = True
        away = ready(served)
        back.set()

    assert slow.is_success
    assert detail(away, 503)["detail"].startswith("the store does not answer; ")


def test_a_model_that_is_not_loaded_yet_makes_it_not_ready(tmp_path: Path) -> None:
    class Slow(FakeEmbedder):
        loaded = threading.Event()

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            assert self.loaded.wait(PATIENCE)
            return super().embed(texts)

    with serving(tmp_path, admin_key=OPERATOR, embedder=Slow()) as served:
        before = ready(served)
        Slow.loaded.set()
        wait_for(lambda: ready(served).is_success)

    assert detail(before, 503)["detail"].startswith("it is starting; ")


def test_probes_are_answered_while_every_thread_waits_for_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, back = threading.Event(), threading.Event()

    def hangs(*_: object) -> None:
        waiting.set()
        assert back.wait(PATIENCE)
        raise StoreError(PLACE, retryable=True)

    with serving(tmp_path, admin_key=OPERATOR, concurrency=1) as served, ThreadPoolExecutor(1) as threads:
        wait_for(lambda: ready(served).is_success)
        with served.tenant() as caller, served.caller(key=None) as nobody, monkeypatch.context() as patch:
            patch.setattr(served.opened.parts.store, "access_key", hangs)
            asked = threads.submit(caller.get, at("bot", "memories"))
            assert waiting.wait(PATIENCE)

            answers = [nobody.get(probe).status_code for probe in ("/livez", "/readyz")]

            is_hanging = not asked.done()
            back.set()
            asked.result(PATIENCE)

    assert answers == [200, 200]
    assert is_hanging


def test_a_server_that_drains_is_not_ready_and_hangs_up_after_each_answer(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR) as served, served.tenant() as caller:
        wait_for(lambda: ready(served).is_success)
        before = caller.get(at("bot"))

        served.app.state.desk.readiness.drain()
        after = caller.get(at("bot"))

        assert detail(ready(served), 503)["detail"].startswith("it is stopping; ")
    assert (before.status_code, after.status_code) == (200, 200)
    assert "connection" not in before.headers
    assert after.headers["connection"] == "close"


def test_while_nobody_asks_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truekeep.server.readiness._EVERY", 0.01)
    looks = threading.Semaphore(0)

    with serving(tmp_path, admin_key=OPERATOR) as served, monkeypatch.context() as patch:
        wait_for(lambda: ready(served).is_success)
        patch.setattr(served.opened.parts.store, "try_write", looks.release)
        ready(served)
        readiness = served.app.state.desk.readiness
        wait_for(lambda: readiness._looking is None and not readiness._asked.is_set())  # it looked for all who asked
        while looks.acquire(blocking=False):
            pass

        assert not looks.acquire(timeout=0.5)
        ready(served)
        assert looks.acquire(timeout=PATIENCE)
