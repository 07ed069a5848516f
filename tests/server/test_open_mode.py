"""Without any key: loopback only, as the tenant `local`, not for those who send a key, and safe from web pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.contract.memory_contract.opening import NOON
from truekeep import Limits, Memory
from truekeep.assembly import open_store
from truekeep.engine.access import digest, new_key
from truekeep.errors import ConfigurationError
from truekeep.server.run import serve
from truekeep.server.settings import ServerSettings
from truekeep.testing.fakes import FakeEmbedder

from .served import Served, at, detail, place_of, serving


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("open"), allowed_hosts=["memory.internal"]) as running:
        yield running


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic !!!"},
        {"Authorization": "Digest x"},
    ],
    ids=str,
)
def test_whoever_sends_no_key_is_the_local_tenant(open_server: Served, headers: dict[str, str]) -> None:
    with open_server.caller(None) as caller:
        caller.post(at("bot", "memories"), json={"content": "Ana likes tea"}, headers=headers)

        assert caller.get(at("bot", "memories"), headers=headers).json()["items"][0]["content"] == "Ana likes tea"
        assert caller.get("/v1/usage", headers=headers).json()["tenant"] == "local"


@pytest.mark.parametrize("headers", [{"Authorization": "Bearer tk_of-another"}, {"X-API-Key": "anything"}], ids=str)
def test_a_key_that_nobody_made_here_is_refused(open_server: Served, headers: dict[str, str]) -> None:
    with open_server.caller(None) as caller:
        for path in ("/v1/spaces", at("bot", "memories")):
            problem = detail(caller.get(path, headers=headers), 401)

            assert "this server has no access keys" in problem["detail"]


def test_the_file_is_shared_with_embedded_use(tmp_path: Path) -> None:
    with serving(tmp_path) as running, running.caller(None) as caller:
        caller.post(at("bot", "memories"), json={"content": "Ana likes tea"})

        with Memory("bot", at=place_of(tmp_path), embedder=FakeEmbedder(), background=False) as memory:
            assert [item.content for item in memory.items()] == ["Ana likes tea"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8420", "LOCALHOST", "[::1]:8420", "memory.internal"])
def test_names_of_loopback_and_allowed_ones_are_served(open_server: Served, host: str) -> None:
    assert httpx.get(f"{open_server.url}/v1/spaces", headers={"Host": host}, trust_env=False).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8420",
        "",
        "[::1",
        "[::1].evil.example",
        "[::1]x",
        "localhost:x",
    ],
)
def test_other_names_are_refused(open_server: Served, host: str) -> None:
    for method, path in (("GET", "/v1/spaces"), ("POST", at("bot", "recall")), ("GET", "/nowhere"), ("GET", "/health")):
        answer = httpx.request(method, open_server.url + path, headers={"Host": host}, trust_env=False)

        detail(answer, 403)


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "file://", "http://["]
)
def test_web_pages_of_other_origins_are_refused(open_server: Served, origin: str) -> None:
    with open_server.caller(None) as caller:
        answer = caller.post(at("bot", "memories"), json={"content": "injected"}, headers={"Origin": origin})
        detail(answer, 403)

        found = caller.post(at("bot", "recall"), json={"query": "injected"}).json()

    assert "injected" not in [match["content"] for match in found["matches"]]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_elsewhere_cannot_ask_for_a_picture_here(open_server: Served, site: str) -> None:
    picture = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    with open_server.caller(None) as caller:
        detail(caller.get("/v1/memory/recall?q=tea", headers=picture), 403)

        assert caller.get("/console", headers=link).status_code == 200
        assert caller.get("/v1/spaces", headers={**picture, "Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_a_page_of_our_own_origin_is_served(open_server: Served) -> None:
    with open_server.caller(None) as caller:
        assert caller.get("/v1/spaces", headers={"Origin": open_server.url}).status_code == 200


def test_a_page_cannot_send_json_disguised_as_a_form(open_server: Served) -> None:
    with open_server.caller(None) as caller:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            answer = caller.post(at("x", "memories"), content=b'{"content": "x"}', headers={"Content-Type": kind})

            detail(answer, 415)


def test_making_a_key_closes_the_door_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as running, running.caller(None) as stranger:
        assert stranger.get("/v1/spaces").status_code == 200

        made = stranger.post("/v1/keys", json={"name": "first", "tenant": "local"})

        assert made.status_code == 201
        detail(stranger.get("/v1/spaces"), 401)
        with running.caller(made.json()["key"]) as holder:
            assert holder.get("/v1/spaces").status_code == 200


def test_with_keys_any_host_may_ask(served: Served) -> None:
    with served.caller() as operator:
        assert operator.get("/v1/spaces", headers={"Host": "memory.example", "Origin": "https://a.example"}).is_success


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_another_address_without_a_key_refuses_to_start(tmp_path: Path, host: str) -> None:
    with pytest.raises(ConfigurationError, match="key"):
        serve(ServerSettings(host=host, port=0, at=str(tmp_path / "m.db")), print)


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_last_key_cannot_be_revoked_over_http(tmp_path: Path, host: str) -> None:
    with open_store(place_of(tmp_path)) as store:
        store.add_access_key(new_key(tenant="acme", name="k", now=NOON, limits=Limits()), digest("tk_only"))
    with serving(tmp_path, host=host) as running, running.caller("tk_only") as caller:
        (key,) = caller.get("/v1/keys").json()["keys"]

        assert "last key" in detail(caller.delete(f"/v1/keys/{key['id']}"), 409)["detail"]

        assert caller.get("/v1/spaces").status_code == 200
        other = caller.post("/v1/keys", json={"name": "second"}).json()
        assert caller.delete(f"/v1/keys/{other['id']}").status_code == 200


def test_a_store_whose_keys_were_all_revoked_stays_closed_until_the_operator_opens_it(tmp_path: Path) -> None:
    with serving(tmp_path) as running, running.caller(None) as stranger:
        made = stranger.post("/v1/keys", json={"name": "first"}).json()
        running.opened.parts.store.remove_access_key(None, made["id"])  # as the command line does

        for path in ("/v1/spaces", "/v1/keys", "/v1/backup", "/metrics"):
            detail(stranger.get(path), 401)
        detail(stranger.post("/v1/keys", json={"name": "x", "tenant": "acme"}), 401)

        running.opened.parts.store.open_again()
        assert stranger.get("/v1/spaces").status_code == 200
