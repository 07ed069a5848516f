"""Keys: who may do what, until when, and that nobody helps themselves to more."""

from __future__ import annotations

import base64
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from truekeep.engine import access
from truekeep.server.callers import OperatorsKeys
from truekeep.server.settings import ServerSettings

from .served import OPERATOR, Served, at, detail, on_a_file, serving

EVERYTHING = {"read", "write", "admin"}


@on_a_file
def test_a_key_is_shown_once_and_is_nowhere_kept(served: Served) -> None:
    made = served.new_key(name="support-bot")

    assert re.fullmatch(r"tk_[\w-]{43}", made["key"])
    assert set(made["scopes"]) == EVERYTHING
    assert made["tenant"].startswith("t-")
    with served.caller() as operator:
        listed = operator.get("/v1/keys").text
    assert made["id"] in listed
    assert made["key"] not in listed
    files = served.opened.parts.store.location
    for file in Path(files).parent.iterdir():
        assert made["key"].encode() not in file.read_bytes()


@pytest.mark.parametrize("way", ["bearer", "lower case", "header", "basic", "basic as the user", "url"])
def test_a_key_is_taken_in_every_documented_way(served: Served, way: str) -> None:
    secret = served.new_key()["key"]
    pair = base64.b64encode(f"agent:{secret}".encode()).decode()
    alone = base64.b64encode(f"{secret}:".encode()).decode()
    headers = {
        "bearer": {"Authorization": f"Bearer {secret}"},
        "lower case": {"Authorization": f"bearer   {secret}"},
        "header": {"X-API-Key": secret},
        "basic": {"Authorization": f"Basic {pair}"},
        "basic as the user": {"Authorization": f"Basic {alone}"},
        "url": {},
    }[way]
    url = served.url.replace("http://", f"http://agent:{secret}@") if way == "url" else served.url

    assert httpx.get(f"{url}/v1/spaces", headers=headers, trust_env=False).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer tk_wrong"},
        {"Authorization": f"Token {OPERATOR}"},
        {"Authorization": "Basic !!!"},
        {"Authorization": "Basic " + base64.b64encode(b"\xff\xfe:x").decode()},
        {"X-API-Key": ""},
        {"X-API-Key": "tk_" + "x" * 8000},
        {"X-API-Key": OPERATOR[:-1]},
        {"X-API-Key": OPERATOR + " x"},
        {"Cookie": f"key={OPERATOR}"},
    ],
    ids=lambda headers: str(headers)[:60],
)
def test_without_a_good_key_there_is_a_challenge_and_nothing_else(served: Served, headers: dict[str, str]) -> None:
    for method, path in (
        ("GET", "/v1/spaces"),
        ("POST", at("bot", "recall")),
        ("GET", "/v1/keys"),
        ("GET", "/metrics"),
    ):
        answer = httpx.request(method, served.url + path, headers=headers, trust_env=False)
        if path.endswith("recall"):
            answer = httpx.post(served.url + path, headers=headers, json={"query": "x"}, trust_env=False)

        detail(answer, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_key_in_the_query_is_no_key(served: Served) -> None:
    with served.caller(None) as stranger:
        detail(stranger.get("/v1/spaces", params={"key": OPERATOR, "api_key": OPERATOR}), 401)


def test_two_keys_without_a_tenant_share_nothing(served: Served) -> None:
    one, other = served.new_key(), served.new_key()

    assert one["tenant"] != other["tenant"]


def test_keys_of_one_tenant_share_its_memories(served: Served) -> None:
    first = served.new_key(tenant="acme-1")
    second = served.new_key(tenant="acme-1")
    with served.caller(first["key"]) as one, served.caller(second["key"]) as other:
        one.post(at("bot", "memories"), json={"content": "Ana likes tea"})

        assert len(other.get(at("bot", "memories")).json()["items"]) == 1


@pytest.mark.parametrize("scopes", [["read"], ["write"], ["admin"], ["read", "write"]], ids=str)
def test_a_key_does_what_its_scopes_say(served: Served, scopes: list[str]) -> None:
    asked: dict[str, list[tuple[str, str, Any]]] = {
        "read": [
            ("GET", at("bot", "memories"), None),
            ("POST", at("bot", "recall"), {"query": "x"}),
            ("POST", at("bot", "context"), {"query": "x"}),
            ("POST", at("bot", "explain"), {"query": "x"}),
            ("GET", at("bot", "values"), None),
            ("GET", at("bot", "events"), None),
            ("GET", at("bot", "export"), None),
            ("GET", "/v1/spaces", None),
            ("GET", "/v1/usage", None),
        ],
        "write": [
            ("POST", at("bot", "memories"), {"content": "x"}),
            ("POST", at("bot", "forget"), {"id": "x"}),
            ("PUT", at("bot", "values", "k"), {"value": 1}),
            ("POST", at("bot", "values", "n", "increment"), {}),
            ("POST", at("bot", "extract"), {"messages": "x"}),
            ("POST", at("bot", "import"), {}),
            ("DELETE", at("bot"), None),
        ],
        "admin": [("GET", "/v1/keys", None), ("POST", "/v1/keys", {"name": "x"})],
    }
    with served.caller(served.new_key(scopes=scopes)["key"]) as caller:
        for scope, requests in asked.items():
            for method, path, body in requests:
                answer = caller.request(method, path, json=body)

                assert (answer.status_code == 403) == (scope not in set(scopes)), (method, path, answer.text)


def test_a_key_for_some_spaces_does_not_even_see_the_others(served: Served) -> None:
    tenant = served.new_key()["tenant"]
    whole = served.new_key(tenant=tenant)
    part = served.new_key(tenant=tenant, spaces=["team-*", "solo"])
    with served.caller(whole["key"]) as all_of_it, served.caller(part["key"]) as some:
        for space in ("team-a", "team-b", "solo", "private"):
            all_of_it.post(at(space, "memories"), json={"content": f"said in {space}"})
        job = all_of_it.post(at("private", "extract"), json={"messages": "Ana: I prefer tea."}).json()["job"]["id"]

        names = [space["name"] for space in some.get("/v1/spaces").json()["spaces"]]
        paged = some.get("/v1/spaces", params={"limit": 2}).json()
        usage = some.get("/v1/usage").json()["usage"]

        assert names == ["solo", "team-a", "team-b"]
        assert [space["name"] for space in paged["spaces"]] == ["solo", "team-a"]
        assert "private" not in str(usage)
        detail(some.get(at("private", "memories")), 403)
        detail(some.post(at("private", "recall"), json={"query": "x"}), 403)
        detail(some.delete(at("private")), 403)
        detail(some.get(f"/v1/jobs/{job}"), 404)
        assert some.get("/v1/jobs").json() == {"jobs": []}
        assert [one["id"] for one in all_of_it.get("/v1/jobs").json()["jobs"]] == [job]
        assert some.get(at("team-zzz", "memories")).status_code == 200


@pytest.mark.parametrize("name", ["team-a/../private", "Team-a", "team", "xteam-a", "private"])
def test_a_pattern_covers_names_as_a_whole(served: Served, name: str) -> None:
    with served.caller(served.new_key(spaces=["team-?"])["key"]) as caller:
        detail(caller.get(at(name, "memories")), 403)


def test_a_key_expires_to_the_second(served: Served) -> None:
    expires = served.clock() + timedelta(hours=1)
    with served.caller(served.new_key(expires=expires.isoformat())["key"]) as caller:
        assert caller.get("/v1/spaces").status_code == 200

        served.clock.advance(timedelta(hours=1) - timedelta(seconds=1))
        assert caller.get("/v1/spaces").status_code == 200
        served.clock.advance(timedelta(seconds=1))
        detail(caller.get("/v1/spaces"), 401)


def test_the_last_use_is_told(served: Served) -> None:
    made = served.new_key()
    assert made["last_used"] is None
    with served.caller(made["key"]) as caller:
        served.clock.advance(timedelta(hours=1))
        caller.get("/v1/spaces")
        [listed] = caller.get("/v1/keys").json()["keys"]

    assert listed["last_used"] == served.clock().isoformat().replace("+00:00", "Z")


def test_a_rotated_key_has_another_secret_at_once(served: Served) -> None:
    made = served.new_key(scopes=["read"], spaces=["team-*"])
    with served.caller() as operator:
        rotated = operator.post(f"/v1/keys/{made['id']}/rotate")

    assert rotated.status_code == 200
    assert rotated.json()["key"] != made["key"]
    assert {**rotated.json(), "key": "", "last_used": None} == {**made, "key": ""}
    with served.caller(made["key"]) as former, served.caller(rotated.json()["key"]) as holder:
        detail(former.get("/v1/spaces"), 401)
        assert holder.get("/v1/spaces").status_code == 200


def test_a_rotated_key_may_keep_its_former_secret_for_a_while(served: Served) -> None:
    made = served.new_key(scopes=["read"], spaces=["team-*"])
    with served.caller() as operator, served.caller(made["key"]) as former:
        rotated = operator.post(f"/v1/keys/{made['id']}/rotate", json={"grace": 60}).json()
        with served.caller(rotated["key"]) as holder:
            together = [caller.get("/v1/spaces").status_code for caller in (former, holder)]
            served.clock.advance(timedelta(seconds=60))
            afterwards = [caller.get("/v1/spaces").status_code for caller in (former, holder)]
        listed = [key for key in operator.get("/v1/keys").json()["keys"] if key["tenant"] == made["tenant"]]

    assert (together, afterwards) == ([200, 200], [401, 200])
    assert [(key["name"], key["spaces"]) for key in listed] == [("test", ["team-*"]), ("test (former)", ["team-*"])]


def test_rotating_refuses_what_it_does_not_know(served: Served) -> None:
    id = served.new_key()["id"]
    with served.caller() as operator:
        for body, argument in (({"quotas": {"memories": 1}}, "quotas"), ({"grace": -1}, "grace")):
            assert detail(operator.post(f"/v1/keys/{id}/rotate", json=body), 422)["argument"] == argument


def test_a_key_is_changed_and_the_next_request_is_held_to_it(served: Served) -> None:
    made = served.new_key(quotas={"memories": 1, "recalls_per_month": 7})
    with served.caller() as operator, served.caller(made["key"]) as caller:
        path, body = at("bot", "memories"), {"name": "renamed", "quotas": {"memories": 2}}
        kept = [caller.post(path, json={"content": f"thing {n}"}).status_code for n in range(2)]
        changed = operator.patch(f"/v1/keys/{made['id']}", json=body).json()
        kept += [caller.post(path, json={"content": f"more {n}"}).status_code for n in range(2)]
        operator.patch(f"/v1/keys/{made['id']}", json={"scopes": ["read"], "quotas": {"memories": None}})
        refused = caller.post(path, json={"content": "and more"})
        unknown = operator.patch(f"/v1/keys/{made['id']}", json={"tenant": "other"})

        assert kept == [201, 429, 201, 429]
        assert changed["name"] == "renamed"
        assert (changed["quotas"]["memories"], changed["quotas"]["recalls_per_month"]) == (2, 7)
        detail(refused, 403)
        assert detail(unknown, 422)["argument"] == "tenant"
        detail(operator.patch("/v1/keys/nobody", json={"name": "x"}), 404)


def test_the_operators_keys_of_a_file_are_rotated_without_a_restart(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, former, new = tmp_path / "admin", f"tk_former-{OPERATOR}", f"tk_new-{OPERATOR}"
    file.write_text(former)
    with serving(tmp_path, admin_key_file=file) as running, running.caller(former) as one, running.caller(new) as other:

        def let_in() -> list[int]:
            return [caller.get("/v1/keys").status_code for caller in (one, other)]

        found = [let_in()]
        for text in (f"{former}\n{new}\n", new, "short", f"{former}\n"):
            file.write_text(text)
            found.append(let_in())

    assert found == [[200, 401], [200, 200], [401, 200], [401, 200], [200, 401]]
    assert "those from before still hold" in caplog.text


def test_who_asks_while_somebody_reads_the_file_anew_is_judged_by_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, former, new = tmp_path / "admin", f"tk_former-{OPERATOR}", f"tk_new-{OPERATOR}"
    file.write_text(former)
    keys = OperatorsKeys(ServerSettings(admin_key_file=file))
    file.write_text(new)
    read = Path.read_text
    meanwhile: list[bool] = []

    def slowly(self: Path, *given: Any, **named: Any) -> str:
        monkeypatch.setattr(Path, "read_text", read)
        meanwhile.extend(keys.know(access.digest(one)) for one in (former, new))  # as another thread would
        return read(self, *given, **named)

    monkeypatch.setattr(Path, "read_text", slowly)

    assert keys.know(access.digest(new))
    assert meanwhile == [False, True]


def test_a_revoked_key_is_refused_at_once(served: Served) -> None:
    made = served.new_key()
    with served.caller(made["key"]) as caller, served.caller() as operator:
        assert caller.get("/v1/spaces").status_code == 200

        assert operator.delete(f"/v1/keys/{made['id']}").json() == {"revoked": True}

        detail(caller.get("/v1/spaces"), 401)
        detail(operator.delete(f"/v1/keys/{made['id']}"), 404)


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "scopes": ["root"]}, "scopes"),
        ({"name": "x", "spaces": "team-*"}, "spaces"),
        ({"name": "x", "spaces": ["a\x00"]}, "spaces"),
        ({"name": "x", "expires": "2000-01-01T00:00:00Z"}, "expires"),
        ({"name": "x", "expires": "soon"}, "expires"),
        ({"name": "x", "quotas": {"memories": -1}}, "quotas"),
        ({"name": "x", "quotas": {"kittens": 1}}, "quotas"),
        ({"name": "x", "tenant": "\x07"}, "tenant"),
    ],
    ids=str,
)
def test_a_wrong_wish_for_a_key_is_named(served: Served, body: dict[str, Any], argument: str) -> None:
    with served.caller() as operator:
        before = len(operator.get("/v1/keys").json()["keys"])

        problem = detail(operator.post("/v1/keys", json=body), 422)

        assert problem["argument"].partition(".")[0] == argument
        assert len(operator.get("/v1/keys").json()["keys"]) == before
