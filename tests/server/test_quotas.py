"""Quotas over HTTP: each of the five, exact among many callers, with a time to come back and room after a delete."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from truekeep.testing.fakes import FixedClock

from .served import OPERATOR, Served, at, detail, serving


def used_up(answer: httpx.Response) -> int:
    """How many seconds to wait."""
    assert detail(answer, 429)["type"] == "urn:truekeep:quota-exceeded"
    return int(answer.headers["retry-after"])


def remember(caller: httpx.Client, content: str, space: str = "bot") -> httpx.Response:
    return caller.post(at(space, "memories"), json={"content": content})


def statuses(caller: httpx.Client, number: int, path: str, body: Any, method: str = "POST") -> list[int]:
    """Of so many requests from sixteen threads."""
    with ThreadPoolExecutor(16) as threads:
        return list(threads.map(lambda n: caller.request(method, path, json=body(n)).status_code, range(number)))


def test_operations_a_month_are_writes_and_recalls(served: Served) -> None:
    with served.tenant(quotas={"operations_per_month": 4}) as caller:
        assert remember(caller, "Ana likes tea").status_code == 201
        assert caller.post(at("bot", "recall"), json={"query": "tea"}).status_code == 200
        assert caller.post(at("bot", "context"), json={"query": "tea"}).status_code == 200
        assert caller.put(at("bot", "values", "k"), json={"value": 1}).status_code == 200

        used_up(remember(caller, "Bo likes coffee"))
        used_up(caller.post(at("bot", "recall"), json={"query": "tea"}))
        assert caller.get(at("bot", "values", "k")).status_code == 200
        assert caller.get(at("bot", "memories")).status_code == 200
        assert caller.post(at("bot", "forget"), json={"everything": True}).status_code == 200


def test_recalls_a_month_are_exact_among_sixteen_threads(served: Served) -> None:
    with served.tenant(quotas={"recalls_per_month": 25}) as caller:
        remember(caller, "Ana likes tea")

        found = statuses(caller, 60, at("bot", "recall"), lambda _: {"query": "tea"})

        assert sorted(found) == [*[200] * 25, *[429] * 35]
        assert remember(caller, "Bo likes coffee").status_code == 201


def test_an_explanation_is_a_recall(served: Served) -> None:
    with served.tenant(quotas={"recalls_per_month": 1}) as caller:
        remember(caller, "Ana likes tea")

        assert caller.post(at("bot", "explain"), json={"query": "tea"}).status_code == 200
        used_up(caller.post(at("bot", "explain"), json={"query": "tea"}))
        used_up(caller.post(at("bot", "recall"), json={"query": "tea"}))


def test_whether_anything_answers_is_an_operation_and_neither_a_recall_nor_an_access(served: Served) -> None:
    with served.tenant(quotas={"recalls_per_month": 1, "operations_per_month": 4}) as caller:
        remember(caller, "Ana likes tea")

        for _ in range(2):
            assert caller.post(at("bot", "answerable"), json={"query": "tea"}).status_code == 200
        [found] = caller.post(at("bot", "recall"), json={"query": "tea"}).json()["matches"]

        assert found["frequency"] == 0
        used_up(caller.post(at("bot", "answerable"), json={"query": "tea"}))


def test_a_new_month_brings_new_recalls(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 1, 31, 23, 0, tzinfo=UTC))
    ask = {"query": "tea"}
    with (
        serving(tmp_path, clock=clock, admin_key=OPERATOR) as running,
        running.tenant(quotas={"recalls_per_month": 1}) as caller,
    ):
        assert caller.post(at("bot", "recall"), json=ask).status_code == 200
        wait = used_up(caller.post(at("bot", "recall"), json=ask))

        assert wait == 3600
        clock.advance(timedelta(seconds=wait))
        assert caller.post(at("bot", "recall"), json=ask).status_code == 200


def test_memories_are_exact_among_sixteen_threads_and_deleting_makes_room(served: Served) -> None:
    with served.tenant(quotas={"memories": 20}) as caller:
        found = statuses(caller, 40, at("bot", "memories"), lambda n: {"content": f"statement number {n}"})

        assert sorted(found) == [*[201] * 20, *[429] * 20]
        items = caller.get(at("bot", "memories")).json()["items"]
        assert len(items) == 20
        used_up(remember(caller, "one more", space="another space"))
        caller.delete(at("bot", "memories", items[0]["id"]))
        assert remember(caller, "one more").status_code == 201
        used_up(remember(caller, "and another"))


def test_a_batch_beyond_the_quota_leaves_nothing(served: Served) -> None:
    with served.tenant(quotas={"memories": 3}) as caller:
        used_up(caller.post(at("bot", "memories"), json=[f"thing {n}" for n in range(4)]))

        assert caller.get(at("bot", "memories")).json()["items"] == []
        assert caller.post(at("bot", "memories"), json=[f"thing {n}" for n in range(3)]).status_code == 201


def test_writes_a_day_are_per_space_and_exact_among_sixteen_threads(served: Served) -> None:
    with served.tenant(quotas={"writes_per_day": 20}) as caller:
        found = statuses(caller, 40, at("bot", "values", "k"), lambda n: {"value": n}, method="PUT")

        assert sorted(found) == [*[200] * 20, *[429] * 20]
        wait = used_up(remember(caller, "Ana likes tea"))
        assert remember(caller, "Ana likes tea", space="other").status_code == 201
        for _ in range(50):
            assert caller.get(at("bot", "values", "k")).status_code == 200
        assert caller.delete(at("bot", "values", "k")).status_code == 200
        served.clock.advance(timedelta(seconds=wait))
        assert remember(caller, "Ana likes tea").status_code == 201


def test_bytes_of_a_space_are_bound_and_deleting_makes_room(served: Served) -> None:
    with served.tenant(quotas={"bytes_per_space": 10_000}) as caller:
        assert caller.put(at("bot", "values", "k"), json={"value": "x" * 9_000}).status_code == 200
        used_up(caller.put(at("bot", "values", "l"), json={"value": "x" * 2_000}))
        used_up(remember(caller, "y" * 2_000))
        assert caller.get(at("bot", "values")).json()["keys"] == ["k"]

        assert caller.put(at("bot", "values", "k"), json={"value": "x"}).status_code == 200
        assert caller.put(at("bot", "values", "l"), json={"value": "x" * 2_000}).status_code == 200


def test_bytes_are_never_exceeded_by_sixteen_threads(served: Served) -> None:
    with served.tenant(quotas={"bytes_per_space": 10_000}) as caller:
        with ThreadPoolExecutor(16) as threads:
            list(
                threads.map(lambda n: caller.put(at("bot", "values", f"k{n}"), json={"value": "x" * 1_000}), range(32))
            )

        [space] = caller.get("/v1/spaces").json()["spaces"]
        assert 8_000 < space["bytes"] <= 10_000


def test_text_that_waits_in_a_job_takes_room_too(served: Served) -> None:
    said = "Ana: We decided to use a tool for it.\n" + "Bo: and so it was, for all of us here.\n" * 200
    with served.tenant(quotas={"bytes_per_space": 2_000}) as caller:
        used_up(caller.post(at("bot", "extract"), json={"messages": said}))
        used_up(caller.post("/memories/extract", json={"agent_id": "bot", "content": said}))

        assert caller.get("/v1/jobs").json()["jobs"] == []
        assert caller.post(at("bot", "extract"), json={"messages": said[:500]}).status_code == 202


def test_a_quota_of_nothing_is_nothing(served: Served) -> None:
    with served.tenant(quotas={"memories": 0, "recalls_per_month": 0}) as caller:
        used_up(remember(caller, "Ana likes tea"))
        used_up(caller.post(at("bot", "recall"), json={"query": "tea"}))


def test_a_job_is_bound_by_the_quotas_of_who_began_it(served: Served) -> None:
    with served.tenant(quotas={"memories": 0}) as caller:
        caller.post(at("bot", "extract"), json={"messages": "Ana: I prefer tea over coffee."})
        caller.post(at("bot", "flush"), json={"limit": 10})

        assert caller.get(at("bot", "memories")).json()["items"] == []


def test_a_restart_does_not_forget_what_was_used(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR) as running:
        made = running.new_key(quotas={"recalls_per_month": 10})
        with running.caller(made["key"]) as caller:
            for _ in range(4):
                assert caller.post(at("bot", "recall"), json={"query": "tea"}).status_code == 200

    with serving(tmp_path, admin_key=OPERATOR) as running, running.caller(made["key"]) as caller:
        found = statuses(caller, 20, at("bot", "recall"), lambda _: {"query": "tea"})

        assert found.count(200) == 6


def test_settings_bind_keys_that_have_no_quotas_of_their_own(tmp_path: Path) -> None:
    with (
        serving(tmp_path, admin_key=OPERATOR, quotas={"memories": 1, "recalls_per_month": 2}) as running,
        running.tenant() as plain,
        running.tenant(quotas={"memories": 2}) as own,
    ):
        for caller, room in ((plain, 1), (own, 2)):
            found = [remember(caller, f"thing {n}").status_code for n in range(3)]
            assert found == [201] * room + [429] * (3 - room)
        assert own.get("/v1/usage").json()["quotas"]["recalls_per_month"] == 2


def test_settings_bind_use_without_a_key(tmp_path: Path) -> None:
    with serving(tmp_path, quotas={"writes_per_day": 2}) as running, running.caller(None) as caller:
        assert [remember(caller, f"thing {n}").status_code for n in range(3)] == [201, 201, 429]


def test_many_keys_of_a_tenant_have_no_more_than_one(served: Served) -> None:
    maker = served.new_key(quotas={"operations_per_month": 3, "recalls_per_month": 2})["key"]
    with served.caller(maker) as caller:
        keys = [caller.post("/v1/keys", json={"name": "child"}).json()["key"] for _ in range(4)]
    found = []
    for key in (maker, *keys):
        with served.caller(key) as caller:
            found += [caller.post(at("bot", "recall"), json={"query": "tea"}), remember(caller, f"with {key}")]

    statuses = [answer.status_code for answer in found]
    assert (statuses.count(200), statuses.count(201), statuses.count(429)) == (2, 1, 7)


def test_quotas_of_one_tenant_are_not_used_up_by_another(served: Served) -> None:
    for _ in range(2):
        with served.tenant(quotas={"recalls_per_month": 1}) as caller:
            assert caller.post(at("bot", "recall"), json={"query": "tea"}).status_code == 200
            used_up(caller.post(at("bot", "recall"), json={"query": "tea"}))


def test_usage_tells_what_was_counted(served: Served) -> None:
    with served.tenant(quotas={"writes_per_day": 100}) as caller:
        remember(caller, "Ana likes tea")
        caller.put(at("bot", "values", "k"), json={"value": 1})
        caller.post(at("bot", "recall"), json={"query": "tea"})
        for _ in range(5):
            caller.get(at("bot", "values", "k"))

        answer = caller.get("/v1/usage").json()

    counts = {(one["subject"].partition(":")[0], one["counter"]): one["count"] for one in answer["usage"]}
    both = {(kind, counter): n for kind in ("key", "tenant") for counter, n in (("operations", 3), ("recalls", 1))}
    assert counts == {**both, ("space", "writes"): 2, ("space", "recalls"): 1}
    assert answer["quotas"]["writes_per_day"] == 100


@pytest.mark.parametrize("refused", [{"query": ""}, {"query": "x", "limit": 0}])
def test_a_request_that_is_refused_before_the_work_costs_no_memory(served: Served, refused: dict[str, Any]) -> None:
    with served.tenant(quotas={"memories": 1}) as caller:
        detail(caller.post(at("bot", "recall"), json=refused), 422)
        detail(caller.post(at("bot", "memories"), json={"content": ""}), 422)

        assert remember(caller, "Ana likes tea").status_code == 201
