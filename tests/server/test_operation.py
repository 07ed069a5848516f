"""The server as an operator runs it: real processes, signals, workers, settings."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder

from .processes import PATIENCE, Running, running, said

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]

KEY = "tk_operation-canary-of-the-operators-key"
TEAM = "/v1/spaces/team"
ORDERLY = (0, -signal.SIGTERM)  # uvicorn ends by the signal that it was sent, once everything is put down


@pytest.fixture(scope="module")
def crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Three workers on one file."""
    with running(tmp_path_factory.mktemp("crew"), "--workers", "3") as server:
        server.wait_for_workers(3)
        yield server


def remember(server: Running, text: str, **more: object) -> str:
    answer = server.ask("POST", f"{TEAM}/memories", json={"content": text, **more})
    assert answer.status_code == 201, answer.text
    id: str = answer.json()["id"]
    return id


def recalled(server: Running, query: str) -> list[str]:
    answer = server.ask("POST", f"{TEAM}/recall", json={"query": query})
    assert answer.status_code == 200, answer.text
    return [match["id"] for match in answer.json()["matches"]]


# --- starting


def test_without_any_setting_it_serves_the_default_file_on_loopback(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        id = remember(server, "Ana prefers TypeScript")

        assert server.url.startswith("http://127.0.0.1:")
        assert recalled(server, "which language does Ana prefer?") == [id]
        assert server.end() in ORDERLY
    with Memory("team", at=tmp_path / "truekeep.db", embedder=FakeEmbedder()) as memory:
        assert [item.id for item in memory.items()] == [id]


def test_another_address_without_a_key_is_refused_with_the_reason(tmp_path: Path) -> None:
    refused = said(tmp_path, "--host", "0.0.0.0", "--port", "0")

    assert refused.returncode != 0
    assert refused.stdout == ""
    assert "without a key" in refused.stderr
    assert "TRUEKEEP_ADMIN_KEY" in refused.stderr


def test_another_address_with_the_operators_key_asks_everybody_for_one(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0", TRUEKEEP_ADMIN_KEY=KEY) as server:
        without, wrong, right = (server.ask("GET", "/v1/spaces", key=key) for key in (None, "tk_wrong", KEY))

        assert [answer.status_code for answer in (without, wrong, right)] == [401, 401, 200]
        assert server.ask("GET", "/health").status_code == 200


def test_a_port_that_is_taken_is_named_and_what_to_do_about_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        refused = said(tmp_path, "--port", str(port))

    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"error: port {port} of 127.0.0.1 is taken")
    assert "choose another one with --port" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_an_address_that_is_not_ours_is_named_and_what_to_do_about_it(tmp_path: Path) -> None:
    refused = said(tmp_path, "--host", "192.0.2.1", "--port", "0", TRUEKEEP_ADMIN_KEY=KEY)

    assert (refused.returncode, refused.stdout) == (2, "")
    assert "192.0.2.1:0" in refused.stderr
    assert "with --host" in refused.stderr


# --- settings


def test_an_argument_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text('port = 1111\nworkers = 2\nlog_level = "warning"\n[quotas]\nmemories = 5\nwrites_per_day = 6\n')
    environment = {"TRUEKEEP_PORT": "2222", "TRUEKEEP_WORKERS": "3", "TRUEKEEP_QUOTAS__MEMORIES": "7"}

    shown = said(tmp_path, "--config", str(file), "--port", "3333", "--print-settings", "--json", **environment)

    settings = json.loads(shown.stdout)
    assert (settings["port"], settings["workers"], settings["log_level"]) == (3333, 3, "warning")
    assert (settings["quotas"]["memories"], settings["quotas"]["writes_per_day"]) == (7, 6)


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["toml", "json"])
def test_printed_settings_show_no_secret(tmp_path: Path, form: tuple[str, ...]) -> None:
    place = "postgresql://ana:canary@db.internal/memory?sslpassword=canary&connect_timeout=5"
    shown = said(tmp_path, "--print-settings", *form, TRUEKEEP_ADMIN_KEY=KEY, TRUEKEEP_AT=place)

    assert shown.returncode == 0
    assert "admin_key" in shown.stdout
    assert "postgresql://ana@db.internal/memory?connect_timeout=5" in shown.stdout
    assert "canary" not in shown.stdout + shown.stderr


@pytest.mark.parametrize(
    ("environment", "file", "named"),
    [
        ({"TRUEKEEP_CONCURRENCY": "many"}, "", "concurrency"),
        ({"TRUEKEEP_WORKERS": "0"}, "", "workers"),
        ({"TRUEKEEP_ADMIN_KEY": "short"}, "", "'admin_key' is wrong: it must have at least 24 characters"),
        ({"TRUEKEEP_QUOTAS__MEMORIES": "-1"}, "", "quotas.memories"),
        ({"TRUEKEEP_WORKRES": "2"}, "", "there is no setting TRUEKEEP_WORKRES; did you mean TRUEKEEP_WORKERS?"),
        ({"TRUEKEEP_QUOTAS__MEMORY": "2"}, "", "did you mean TRUEKEEP_QUOTAS__MEMORIES?"),
        ({"truekeep_zebra": "2"}, "", "there is no setting truekeep_zebra; unset it"),
        ({"TRUEKEEP_PORT": "tcp://10.0.0.1:8420"}, "", "enableServiceLinks: false"),
        ({}, 'logs = "xml"', "logs"),
        ({}, "worker = 2", "worker"),
        ({}, "port = ", "server.toml"),
        ({"TRUEKEEP_EMBEDDER": "unheard-of"}, "", "unheard-of"),
        ({"TRUEKEEP_AT": "ftp://example.org/notes"}, "", "ftp"),
        ({"TRUEKEEP_AT": "http://127.0.0.1:8420"}, "", "at: is the address of a server"),
        ({"TRUEKEEP_THREADS": "few"}, "", "TRUEKEEP_THREADS"),
    ],
)
def test_a_wrong_setting_is_named_before_anything_is_served(
    tmp_path: Path, environment: dict[str, str], file: str, named: str
) -> None:
    config = tmp_path / "server.toml"
    config.write_text(file)

    refused = said(tmp_path, "--port", "0", "--config", str(config), **environment)

    assert refused.returncode != 0
    assert named in refused.stderr
    assert "Traceback" not in refused.stderr
    assert "http://" not in refused.stdout


# --- several workers on one file


def test_what_one_worker_keeps_is_read_at_once_through_every_other(crew: Running) -> None:
    workers = crew.workers()

    found = {}
    for writer in workers:
        with crew.only(writer):
            id = remember(crew, f"Worker {writer} keeps its keys in a blue box")
            crew.ask("PUT", f"{TEAM}/values/box", json={"value": writer})
        for reader in workers:
            with crew.only(reader):
                item = crew.ask("GET", f"{TEAM}/memories/{id}")
                value = crew.ask("GET", f"{TEAM}/values/box")
                in_recall = id in recalled(crew, f"Worker {writer} keeps its keys in a blue box")
                found[writer, reader] = (item.status_code, value.json()["value"], in_recall)

    assert found == {(writer, reader): (200, writer, True) for writer in workers for reader in workers}


def test_fifty_fresh_connections_all_read_what_was_just_written(crew: Running) -> None:
    text = "The staging database is reset on Mondays"

    id = remember(crew, text)
    with ThreadPoolExecutor(10) as threads:
        found = list(threads.map(lambda _: id in recalled(crew, text), range(50)))

    assert found == [True] * 50


def test_what_was_erased_through_one_worker_is_gone_from_all(crew: Running) -> None:
    text = "Ana's former address was 5 Canary Row"
    id = remember(crew, text)
    workers = crew.workers()
    for worker in workers:  # all of them have it in their indexes
        with crew.only(worker):
            assert id in recalled(crew, text)

    with crew.only(workers[0]):
        receipt = crew.ask("DELETE", f"{TEAM}/memories/{id}").json()

    assert receipt["erased"] == [id]
    for worker in workers:
        with crew.only(worker):
            assert crew.ask("GET", f"{TEAM}/memories/{id}").status_code == 404
            assert id not in recalled(crew, text)
            assert id not in [item["id"] for item in crew.ask("GET", f"{TEAM}/memories").json()["items"]]


def test_a_worker_that_is_killed_is_replaced_while_the_others_serve(crew: Running) -> None:
    kept = remember(crew, "This one was acknowledged before the crash")
    victim = crew.workers()[0]

    os.kill(victim, signal.SIGKILL)
    answers = [crew.ask("GET", f"{TEAM}/memories/{kept}").status_code for _ in range(20)]

    assert answers == [200] * 20
    for worker in crew.wait_for_workers(3, without=victim):
        with crew.only(worker):
            assert crew.ask("GET", f"{TEAM}/memories/{kept}").status_code == 200
    lines = [json.loads(line) for line in crew.log.splitlines()]
    [told] = [line for line in lines if line["message"].startswith(f"worker {victim} ended with ")]
    assert told["level"] == "warning"


# --- stopping


@pytest.mark.parametrize("workers", [1, 2])
def test_stopping_answers_those_who_wait_and_loses_nothing_acknowledged(tmp_path: Path, workers: int) -> None:
    environment = {"TRUEKEEP_WORKERS": str(workers), "TRUEKEEP_SHUTDOWN_SECONDS": "20"}
    with running(tmp_path, **environment) as server:
        server.wait_for_workers(workers if workers > 1 else 0)
        writing, polling = ThreadPoolExecutor(50), ThreadPoolExecutor(10)
        acknowledged: list[str] = []
        enough = threading.Event()
        polls = [polling.submit(server.ask, "GET", "/v1/spaces/quiet/events?wait=60") for _ in range(10)]
        _wait_until_running(server, len(polls))
        writers = [writing.submit(_write, server, number, acknowledged, enough) for number in range(50)]
        assert enough.wait(PATIENCE)

        code = server.end()

        for writer in writers:
            writer.result(PATIENCE)
        answers = [poll.result(PATIENCE) for poll in polls]
        writing.shutdown()
        polling.shutdown()
        assert "Traceback" not in server.log
    assert code in ORDERLY
    assert [answer.status_code for answer in answers] == [200] * 10
    with Memory("team", at=tmp_path / "truekeep.db", embedder=FakeEmbedder()) as memory:
        kept = {item.id for item in memory.items(limit=1000)}
    assert len(acknowledged) >= 50
    assert set(acknowledged) <= kept


def _write(server: Running, number: int, acknowledged: list[str], enough: threading.Event) -> None:
    """Remember one thing after the other until the server hangs up."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as client:
        for turn in range(1000):
            try:
                answer = client.post(f"{TEAM}/memories", json={"content": f"Thing {turn} of writer {number}"})
            except httpx.TransportError:
                return
            assert answer.status_code == 201, answer.text
            acknowledged.append(answer.json()["id"])
            if len(acknowledged) >= 50:
                enough.set()


def _wait_until_running(server: Running, requests: int) -> None:
    """Until so many are being answered, beside the one that asks for that."""
    deadline = time.monotonic() + PATIENCE
    while f"truekeep_requests_running {requests + 1}.0" not in server.ask("GET", "/metrics").text:
        assert time.monotonic() < deadline
        time.sleep(0.05)
