"""Two tenants with the same names: for every route, neither sees, counts, changes or even detects the other's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest

from truekeep import Limits
from truekeep.engine.webhooks import Webhooks
from truekeep.server.app import create_app
from truekeep.server.settings import ServerSettings

from .route_cases import CASES, NATIVE, Names, Route, name_of, routes_of
from .served import Served, at, detail
from .test_native_recall import finished

SPACES = ("bot", "default")  # the second is where the dialects put what names no space
MISSING = "00000000-0000-7000-8000-000000000000"
ROUTES = list(routes_of(create_app(ServerSettings())))


class Tenant:
    """One with a full house, every text of which carries a mark."""

    def __init__(self, served: Served, mark: str) -> None:
        self.mark = mark
        made = served.new_key(name=f"{mark} key")
        self.tenant = made["tenant"]
        self.caller = served.caller(made["key"])
        ids, jobs = [], []
        for space in SPACES:
            self.caller.post(at(space, "checkpoints"), json={"name": "start"})
            draft = {"content": f"{mark} likes tea", "key": "who/drink", "session": "monday", "speaker": mark}
            headers = {"Idempotency-Key": "once"}
            kept = self.caller.post(at(space, "memories"), json={**draft, "tags": [mark]}, headers=headers)
            ids.append(kept.json()["id"])
            self.caller.put(at(space, "values", "profile"), json={"value": [mark]})
            talk = {"messages": f"Ana: I prefer {mark} over coffee.", "session": "monday"}
            self.caller.post("/v1/feed/crm", json={})
            jobs.append(self.caller.post(at(space, "extract"), json=talk).json()["job"]["id"])
        for job in jobs:
            assert finished(self.caller, job)["state"] == "done"
        for space in SPACES:  # what changes in the background would be seen, too
            assert self.caller.post(at(space, "flush"), json={}).json() == {"done": True}
        webhooks = Webhooks(served.opened.parts.store, self.tenant)
        webhook, _ = webhooks.add(f"https://{mark}.example.org", now=served.clock(), limits=Limits())
        self.names = Names(space="bot", id=ids[0], value="profile", job=jobs[0], key=made["id"], webhook=webhook.id)

    def everything(self) -> list[Any]:
        """All that the tenant can see of itself, but for what its own looking changes: counts and uses of its keys.

        Those reach the store now and then, in the background, so they may differ between two looks.
        """
        paths = ("/v1/spaces", "/v1/feed", "/v1/feed/crm", "/v1/webhooks", "/v1/erasures")
        seen: list[Any] = [self._get(path) for path in paths]
        seen.append({**self._get("/v1/usage"), "usage": None})
        for key in self._get("/v1/keys")["keys"]:
            seen.append({**key, "last_used": None})
        seen.append(self._get(f"/v1/jobs/{self.names.job}"))
        for space in SPACES:
            for rest in ("memories", "values", "sessions", "events", "checkpoints"):
                seen.append(self._get(at(space, rest)))
            seen.append(self._get(at(space, "values", "profile")))
            seen.append(self._get(f"{at(space, 'diff')}?since=start"))
            seen.append(self._get(at(space)))
        return seen

    def _get(self, path: str) -> Any:
        answer = self.caller.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def ask(self, route: Route, names: Names) -> httpx.Response:
        given = CASES[route]
        path = names.path(route) + (f"?{given.query}" if given.query else "")
        body = names.body(given.body)
        return self.caller.request(route[0], path, **({} if body is None else {"json": body}))


@pytest.fixture
def tenants(served: Served) -> Iterator[tuple[Tenant, Tenant]]:
    one, other = Tenant(served, "alphamark"), Tenant(served, "betamark")
    with closing(one.caller), closing(other.caller):
        yield one, other


def test_every_route_has_a_case() -> None:
    assert set(ROUTES) == set(CASES)


@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_a_route_keeps_tenants_apart(tenants: tuple[Tenant, Tenant], route: Route) -> None:
    one, other = tenants
    before = other.everything()
    missing = Names(space="bot", id=MISSING, value="nothing", job=MISSING, key=MISSING, webhook=MISSING)

    foreign = one.ask(route, other.names)
    nothing = one.ask(route, missing)

    assert other.everything() == before
    assert "betamark" not in foreign.text
    assert other.tenant not in foreign.text
    if CASES[route].operator:
        assert foreign.status_code == 403
    elif "{id}" in route[1] or "{job_id}" in route[1]:
        assert foreign.status_code == nothing.status_code
        assert alike(foreign, other) == alike(nothing, other)
    else:
        assert foreign.status_code < 500


def alike(answer: httpx.Response, other: Tenant) -> str:
    """The answer without the id that was asked for: a foreign id and a missing one shall not be told apart."""
    text = answer.text
    for id in (other.names.id, other.names.job, other.names.key, other.names.webhook):
        text = text.replace(id, MISSING)
    return text


@pytest.mark.parametrize("route", [route for route in ROUTES if not CASES[route].public], ids=name_of)
def test_a_route_wants_a_key(served: Served, route: Route) -> None:
    names = Names(space="bot", id=MISSING, value="v", job=MISSING, key=MISSING)
    given = CASES[route]

    with served.caller(None) as stranger:
        body = names.body(given.body)
        path = names.path(route) + (f"?{given.query}" if given.query else "")
        answer = stranger.request(route[0], path, **({} if body is None else {"json": body}))

    if route in NATIVE:
        detail(answer, 401)
    assert answer.status_code == 401
    assert answer.json()["detail"]


def test_an_idempotency_key_is_the_tenants_own(tenants: tuple[Tenant, Tenant]) -> None:
    one, _ = tenants
    body = {"content": "something quite different", "session": "monday"}

    for space, expected in (("bot", 409), ("fresh", 201)):
        answer = one.caller.post(at(space, "memories"), json=body, headers={"Idempotency-Key": "once"})
        assert answer.status_code == expected  # by what this tenant did, and nobody else


def test_the_same_job_name_is_two_jobs(served: Served) -> None:
    jobs = set()
    for _ in range(2):
        with served.tenant() as caller:
            talk, headers = {"messages": "Ana: I prefer tea."}, {"Idempotency-Key": "job"}
            jobs.add(caller.post(at("bot", "extract"), json=talk, headers=headers).json()["job"]["id"])

    assert len(jobs) == 2


def test_a_cursor_of_another_tenant_leads_nowhere_else(tenants: tuple[Tenant, Tenant]) -> None:
    one, other = tenants
    other.caller.post(at("bot", "memories"), json=[f"betamark number {number}" for number in range(5)])
    cursor = other.caller.get(at("bot", "memories"), params={"limit": 1}).json()["cursor"]

    page = one.caller.get(at("bot", "memories"), params={"cursor": cursor})

    assert page.status_code == 200
    assert "betamark" not in page.text


def test_events_of_another_tenant_wake_nobody(served: Served, tenants: tuple[Tenant, Tenant]) -> None:
    one, other = tenants
    cursor = one.caller.get(at("bot", "events")).json()["cursor"]
    other.caller.post(at("bot", "memories"), json={"content": "betamark again"})

    feed = one.caller.get(at("bot", "events"), params={"after": cursor, "wait": 0.5}).json()

    assert feed["events"] == []
    assert feed["cursor"] == cursor


def test_quotas_are_used_up_by_ones_own_alone(served: Served) -> None:
    with served.tenant(quotas={"memories": 1}) as one, served.tenant(quotas={"memories": 1}) as other:
        assert one.post(at("bot", "memories"), json={"content": "a thing"}).status_code == 201
        assert other.post(at("bot", "memories"), json={"content": "a thing"}).status_code == 201


def test_what_others_say_does_not_change_the_ranking(served: Served) -> None:
    with served.tenant() as one, served.tenant() as other:
        one.post(at("bot", "memories"), json=["Ana likes tea", "The sky is blue"])
        ask = {"query": "who likes tea?"}
        before = one.post(at("bot", "explain"), json=ask).json()

        other.post(at("bot", "memories"), json=[f"somebody likes tea number {number}" for number in range(200)])

        assert one.post(at("bot", "explain"), json=ask).json() == before
