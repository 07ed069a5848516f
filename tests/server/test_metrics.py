"""What /metrics tells: of all workers together, of the store, and to whom."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import httpx
import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from truekeep.testing.fakes import FailingEmbedder

from .processes import PATIENCE, Running, running
from .served import OPERATOR, POSTGRES, Served, at, detail, serving


def families(answer: httpx.Response) -> dict[str, Metric]:
    assert answer.status_code == 200, answer.text
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


def value(found: dict[str, Metric], name: str, **labels: str) -> float:
    """Of the sample of this name with at least these labels; 0 where there is none."""
    samples = (sample for family in found.values() for sample in family.samples)
    return sum(one.value for one in samples if one.name == name and labels.items() <= one.labels.items())


def scrape(served: Served) -> dict[str, Metric]:
    with served.caller() as operator:
        return families(operator.get("/metrics"))


def told_by(server: Running, worker: int) -> float:
    """How often the server was asked for spaces."""
    asked = {"method": "GET", "route": "/v1/spaces", "status": "200"}
    with server.only(worker):
        return value(families(server.ask("GET", "/metrics")), "truekeep_requests_total", **asked)


def test_the_store_is_told_what_waits_how_large_it_is_and_what_room_it_has(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR, background=False, embedder=FailingEmbedder()) as served:
        with served.tenant() as caller:
            caller.post(at("bot", "memories"), json={"items": ["Ana prefers tea", "Bo naps at noon"]})
            caller.post(at("bot", "recall"), json={"query": "what does Ana prefer?"})
        found = scrape(served)

    assert value(found, "truekeep_waiting", what="vectors") == 2
    assert value(found, "truekeep_index_bytes") > 0
    assert value(found, "truekeep_store_bytes") > 0
    assert {sample.labels["state"] for sample in found["truekeep_jobs"].samples} == {
        *("waiting", "running", "done", "failed")
    }
    assert ("truekeep_disk_free_bytes" in found) is not POSTGRES
    assert ("truekeep_pool_connections" in found and value(found, "truekeep_pool_connections") > 0) is POSTGRES


def test_recalls_and_commits_are_timed(served: Served) -> None:
    before = scrape(served)

    with served.tenant() as caller:
        caller.post(at("bot", "memories"), json={"content": "Ana prefers tea"})
        caller.post(at("bot", "recall"), json={"query": "what does Ana prefer?"})

    after = scrape(served)
    for name in ("truekeep_recall_seconds_count", "truekeep_commit_seconds_count"):
        assert value(after, name) > value(before, name)


def test_refusals_are_counted_by_reason_and_quota(served: Served) -> None:
    before = scrape(served)
    with served.tenant(quotas={"recalls_per_month": 0, "memories": 0}) as caller, served.caller(key=None) as nobody:
        caller.post(at("bot", "recall"), json={"query": "anything?"})
        caller.post(at("bot", "memories"), json={"content": "Ana prefers tea"})
        caller.get(at("bot", "memories", "missing"))
        caller.post(at("bot", "memories"), json={"content": 5})
        nobody.get("/v1/spaces")
    after = scrape(served)

    def grown(**labels: str) -> float:
        name = "truekeep_refusals_total"
        return value(after, name, **labels) - value(before, name, **labels)

    assert grown(reason="quota-exceeded", quota="recalls_per_month") == 1
    assert grown(reason="quota-exceeded", quota="memories") == 1
    assert [grown(reason=reason, quota="") for reason in ("not-found", "invalid-input", "unauthorized")] == [1, 1, 1]


def test_a_key_with_the_scope_metrics_reads_them_and_nothing_else(served: Served) -> None:
    with served.tenant(scopes=["metrics"]) as monitor:
        told = monitor.get("/metrics")
        other = monitor.get("/v1/spaces")

    assert "truekeep_ready" in families(told)
    detail(other, 403)


def test_nobody_has_that_scope_who_did_not_ask_for_it_or_could_not_hand_it_on(served: Served) -> None:
    admin = served.new_key(scopes=["read", "write", "admin"])
    with served.caller(admin["key"]) as caller:
        asked = caller.post("/v1/keys", json={"name": "monitor", "scopes": ["metrics"]})

        detail(asked, 403)
        detail(caller.get("/metrics"), 403)
    assert "metrics" not in served.new_key()["scopes"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_any_worker_tells_what_all_of_them_did(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2") as server:
        workers = server.wait_for_workers(2)
        for worker in workers:
            with server.only(worker):
                for _ in range(3):
                    assert server.ask("GET", "/v1/spaces").status_code == 200

        deadline = time.monotonic() + PATIENCE
        for worker in workers:
            while (told := told_by(server, worker)) != 6:  # notes follow answers: the others may not be done with them
                assert time.monotonic() < deadline, f"{told} requests"
                time.sleep(0.05)
        found = Path(tempfile.gettempdir()).glob("truekeep-metrics-*")
        mine = [one for one in found if list(one.glob(f"*_{workers[0]}.db"))]
        folder = max(mine, key=lambda one: one.stat().st_mtime)  # a killed server may have left one of that number
        server.end()

    assert not folder.exists()
