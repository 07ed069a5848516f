"""Every page and every form, by two tenants with the same names: neither sees, changes or even detects the other's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from tests.server.route_cases import CONSOLE, MISSING, Names, Route, console_routes_of, name_of
from tests.server.served import OPERATOR, Served, at
from tests.server.test_isolation import Tenant, alike
from truekeep.server.app import create_app
from truekeep.server.settings import ServerSettings

from .visitor import Visitor

ROUTES = list(console_routes_of(create_app(ServerSettings())))
GUARDED = [route for route in ROUTES if not CONSOLE[route].public]


def path_of(route: Route, names: Names) -> str:
    pattern = route[1].replace("{version}", "x").replace("{name}", "style.css")
    query = CONSOLE[route].query.replace("ID", names.id)
    return names.path((route[0], pattern)) + (f"?{query}" if query else "")


def ask(visitor: Visitor, route: Route, names: Names) -> httpx.Response:
    if route[0] == "GET":
        return visitor.get(path_of(route, names))
    return visitor.post(path_of(route, names), **names.body(CONSOLE[route].body))


@pytest.fixture
def tenants(served: Served) -> Iterator[tuple[Tenant, Tenant]]:
    one, other = Tenant(served, "alphamark"), Tenant(served, "betamark")
    with closing(one.caller), closing(other.caller):
        yield one, other


def test_every_route_has_a_case() -> None:
    assert set(ROUTES) == set(CONSOLE)


@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_a_page_keeps_tenants_apart(served: Served, tenants: tuple[Tenant, Tenant], route: Route) -> None:
    one, other = tenants
    before = other.everything()
    foreign_names = Names(space="bot", id=other.names.id, value="profile", job=other.names.job, key=other.names.key)
    missing = Names(space="bot", id=MISSING, value="nothing", job=MISSING, key=MISSING)

    with closing(Visitor(served, one.caller.headers["Authorization"].removeprefix("Bearer "))) as visitor:
        foreign, nothing = (ask(visitor, route, names) for names in (foreign_names, missing))

    assert other.everything() == before
    assert "betamark" not in foreign.text
    assert other.tenant not in foreign.text
    assert foreign.status_code < 500
    if "{id}" in route[1] or "ID" in f"{CONSOLE[route].query}{CONSOLE[route].body}":
        assert foreign.status_code == nothing.status_code == 404
        assert alike(foreign, other) == alike(nothing, other)


@pytest.mark.parametrize("route", GUARDED, ids=name_of)
def test_a_page_wants_a_session(served: Served, route: Route) -> None:
    names = Names(space="bot", id=MISSING, value="v", job=MISSING, key=MISSING)

    with closing(Visitor(served)) as stranger:
        answer = ask(stranger, route, names)

    if route[0] == "GET":
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/console/login?next=")
    else:
        assert answer.status_code in (401, 403)


@pytest.mark.parametrize("route", GUARDED, ids=name_of)
def test_a_page_wants_the_right_scope_and_space(served: Served, route: Route) -> None:
    reader = served.new_key(scopes=["read"])
    elsewhere = served.new_key(spaces=["other-*"])
    names = Names(space="bot", id=MISSING, value="v", job=MISSING, key=MISSING)
    changes = route[0] == "POST" and not route[1].endswith("/logout")
    needs_more = changes or route[1].endswith(("/edit", "/forget", "/restore", "/keys", "/tenants", "/audit"))

    with closing(Visitor(served, reader["key"])) as visitor:
        assert (ask(visitor, route, names).status_code == 403) == needs_more
    with closing(Visitor(served, elsewhere["key"])) as visitor:
        is_there = "{space}" in route[1] or route[1].endswith("/open") or CONSOLE[route].operator
        assert (ask(visitor, route, names).status_code == 403) == is_there


def test_a_key_for_some_spaces_does_not_even_see_the_others(served: Served) -> None:
    tenant = served.new_key()["tenant"]
    whole, part = served.new_key(tenant=tenant), served.new_key(tenant=tenant, spaces=["team-*"])
    with served.caller(whole["key"]) as caller:
        for space in ("team-a", "private"):
            caller.post(at(space, "memories"), json={"content": f"said in {space}"})
            caller.post(at(space, "recall"), json={"query": "anything"})
            caller.post(at(space, "extract"), json={"messages": "Ana: I prefer tea."})

    with closing(Visitor(served, part["key"])) as visitor:
        pages = [visitor.get(f"/console{path}").text for path in ("", "?search=a", "/jobs", "/usage", "/audit")]

    assert all("team-a" in page for page in pages)
    assert not any("private" in page for page in pages)


def test_a_reader_is_offered_nothing_that_is_refused(served: Served) -> None:
    made = served.new_key()
    reader = served.new_key(tenant=made["tenant"], scopes=["read"])
    with served.caller(made["key"]) as caller:
        id = caller.post(at("bot", "memories"), json={"content": "Ana likes tea"}).json()["id"]
        caller.put(at("bot", "values", "v"), json={"value": 1})
        caller.post(at("bot", "checkpoints"), json={"name": "before"})

    with closing(Visitor(served, reader["key"])) as visitor:
        paths = ("items", f"items/{id}", "review", "history", "values", "values/v")
        pages = [visitor.get(f"/console/spaces/bot/{path}").text for path in paths]

    for page in pages:
        assert page.count('method="post"') - page.count('action="bulk"') == 1  # logging out
        assert "Forget" not in page
        assert "Restore" not in page
        assert "/console/keys" not in page
        assert "/console/audit" not in page
        assert "was told" not in page


def test_the_operator_sees_figures_of_tenants_and_never_contents(served: Served) -> None:
    made = served.new_key(tenant="menagerie", quotas={"memories": 4321})
    with served.caller(made["key"]) as caller, closing(Visitor(served, OPERATOR)) as operator:
        caller.post(at("cage", "memories"), json={"content": "Ana keeps a zebra"})
        page = operator.get("/console/tenants")
        with closing(Visitor(served, made["key"])) as tenant:
            elsewhere = tenant.get("/console/usage").text

    assert page.status_code == 200
    assert "menagerie" in page.text
    assert "1 of 4,321" in page.text
    assert "zebra" not in page.text
    assert "/console/tenants" not in elsewhere


def test_the_operator_sees_receipts_of_erased_persons_and_no_name(served: Served) -> None:
    made = served.new_key(tenant="archive")
    with served.caller(made["key"]) as caller, closing(Visitor(served, OPERATOR)) as operator:
        caller.post(at("cage", "memories"), json={"content": "I keep a zebra", "speaker": "wilhelmina"})
        receipt = caller.post("/v1/erasures", json={"speakers": ["wilhelmina"]}).json()
        page = operator.get("/console/tenants").text

    assert receipt["items"] == 1
    assert receipt["id"] in page
    assert "wilhelmina" not in page
    assert receipt["persons"][0] not in page


def test_an_item_tells_its_administrator_who_wrote_and_who_read_it(served: Served) -> None:
    author = served.new_key(name="author of it")
    reader = served.new_key(name="reader of it", tenant=author["tenant"], scopes=["read"])
    with served.caller(author["key"]) as one, served.caller(reader["key"]) as other:
        id = one.post(at("bot", "memories"), json={"content": "Ana likes tea"}).json()["id"]
        told = other.post(at("bot", "recall"), json={"query": "tea"}).headers["x-request-id"]

    with closing(Visitor(served, author["key"])) as visitor, closing(Visitor(served, OPERATOR)) as operator:
        item = visitor.get(f"/console/spaces/bot/items/{id}").text
        found = visitor.get(f"/console/audit?request={told}").text
        seen = operator.get(f"/console/audit?item={id}&tenant={author['tenant']}")
        refused = visitor.get("/console/audit?tenant=local")

    assert 'Written by</dt><dd dir="auto">author of it' in item
    audit = item.partition("Who wrote, changed and was told this")[2]
    assert "reader of it" in audit
    assert "remember" in audit
    assert id in found
    assert "reader of it" in found
    assert "reader of it" in seen.text
    assert refused.status_code == 403
