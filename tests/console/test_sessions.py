"""Logging in: the session is signed, ends with its key, works on every worker, and no other site can use it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.served import OPERATOR, Served, at, serving
from truekeep.engine.access import digest
from truekeep.server.console.forms import COOKIE, LASTS, Sessions
from truekeep.server.console.pages import HEADERS
from truekeep.server.console.rendering import FOLDER
from truekeep.server.settings import ServerSettings, handed_over, take_over
from truekeep.stores.sqlite import SqliteStore

from .visitor import Visitor

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
KEY = digest("tk_some-key")
NONE_ENDED = SqliteStore(":memory:")


@pytest.fixture
def key(served: Served) -> str:
    made: str = served.new_key()["key"]
    return made


@pytest.fixture
def visitor(served: Served, key: str) -> Iterator[Visitor]:
    with closing(Visitor(served, key)) as visitor:
        yield visitor


def test_a_session_names_its_key_until_it_ends() -> None:
    sessions = Sessions("x" * 32)
    cookie = sessions.begin(KEY, NOW)

    assert sessions.digest_in(cookie, NONE_ENDED, NOW) == KEY
    assert sessions.digest_in(cookie, NONE_ENDED, NOW + LASTS - timedelta(seconds=1)) == KEY
    assert sessions.digest_in(cookie, NONE_ENDED, NOW + LASTS) is None
    assert Sessions("x" * 32).digest_in(cookie, NONE_ENDED, NOW) == KEY
    assert Sessions("y" * 32).digest_in(cookie, NONE_ENDED, NOW) is None
    assert Sessions().digest_in(cookie, NONE_ENDED, NOW) is None


@given(st.integers(0, 87), st.integers(1, 255))
def test_a_session_that_was_changed_anywhere_is_none(place: int, change: int) -> None:
    sessions = Sessions("x" * 32)
    raw = bytearray(base64.urlsafe_b64decode(sessions.begin(KEY, NOW)))
    raw[place] ^= change

    assert sessions.digest_in(base64.urlsafe_b64encode(raw).decode(), NONE_ENDED, NOW) is None


@given(st.text() | st.binary(max_size=200).map(lambda raw: base64.urlsafe_b64encode(raw).decode()) | st.none())
def test_anything_else_is_no_session(cookie: str | None) -> None:
    assert Sessions().digest_in(cookie, NONE_ENDED, NOW) is None


def test_a_form_of_one_session_is_no_form_of_another() -> None:
    sessions = Sessions()
    one, other = sessions.begin(KEY, NOW), sessions.begin(digest("tk_other"), NOW)

    assert sessions.is_token(sessions.token(one), one)
    assert not sessions.is_token(sessions.token(one), other)
    assert not sessions.is_token(sessions.token(None), one)
    assert not sessions.is_token(None, one)
    assert not sessions.is_token("é", one)


def test_workers_share_the_secret_and_two_servers_do_not() -> None:
    with handed_over(ServerSettings()):
        one, other = take_over().session_secret, take_over().session_secret
    with handed_over(ServerSettings()):
        another = take_over().session_secret

    assert one is not None
    assert one == other != another
    assert "x" * 32 not in str(ServerSettings(session_secret="x" * 32).model_dump())  # type: ignore[arg-type]


def test_the_cookie_is_guarded_and_does_not_hold_the_key(served: Served, key: str) -> None:
    with closing(Visitor(served)) as visitor:
        answer = visitor.log_in(key)
        secure = visitor.client.post(
            "/console/login", data={"key": key}, headers={"Origin": f"https://127.0.0.1:{served.port}"}
        )

    told = answer.headers["set-cookie"]
    assert told.startswith(f"{COOKIE}=")
    for guard in ("HttpOnly", "SameSite=strict", "Path=/console", f"Max-Age={12 * 3600}"):
        assert guard in told
    assert key not in told
    assert "Secure" not in told
    assert "Secure" in secure.headers["set-cookie"]


def test_a_wrong_key_is_refused_and_not_shown(served: Served) -> None:
    with closing(Visitor(served)) as visitor:
        for wrong in ("tk_wrong", "", "  ", "<script>", "é" * 5_000):
            answer = visitor.log_in(wrong)

            assert answer.status_code == 401
            assert "set-cookie" not in answer.headers
            assert not wrong.strip() or wrong not in answer.text


def test_without_a_session_one_is_sent_to_the_login_and_back(served: Served, key: str) -> None:
    with closing(Visitor(served)) as visitor:
        sent = visitor.get("/console/spaces/a%2Fb%3F/items?query=tea%26milk")
        login = visitor.get(sent.headers["location"])
        wanted = login.text.split('name="next" value="')[1].split('"')[0]
        back = visitor.log_in(key, next=wanted)

    assert sent.status_code == 303
    assert back.headers["location"] == "/console/spaces/a%2Fb%3F/items?query=tea%26milk"


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/v1/spaces", "/console/\n/x",
     "/consolevil", "/console\\@evil", ""],
)  # fmt: skip
def test_after_logging_in_one_stays_here(served: Served, key: str, wanted: str) -> None:
    with closing(Visitor(served)) as visitor:
        assert visitor.log_in(key, next=wanted).headers["location"] == "/console"


def test_a_revoked_key_ends_its_sessions_at_once(served: Served) -> None:
    made = served.new_key()
    with closing(Visitor(served, made["key"])) as visitor, served.caller(OPERATOR) as operator:
        assert visitor.get("/console").status_code == 200

        operator.delete(f"/v1/keys/{made['id']}")

        assert visitor.get("/console").status_code == 303
        assert visitor.post("/console/keys", name="x").status_code in (401, 403)


def test_a_rotated_key_ends_its_sessions_at_once(served: Served) -> None:
    made = served.new_key()
    with closing(Visitor(served, made["key"])) as visitor, served.caller(OPERATOR) as operator:
        operator.post(f"/v1/keys/{made['id']}/rotate")

        assert visitor.get("/console").status_code == 303


def test_a_session_ends_after_twelve_hours(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR) as served, closing(Visitor(served, OPERATOR)) as visitor:
        served.clock.advance(LASTS - timedelta(seconds=1))
        assert visitor.get("/console").status_code == 200

        served.clock.advance(timedelta(seconds=1))
        assert visitor.get("/console").status_code == 303


def test_logging_out_takes_the_cookie_away(visitor: Visitor) -> None:
    answer = visitor.post("/console/logout")

    assert answer.status_code == 303
    assert visitor.cookie is None
    assert visitor.get("/console").status_code == 303


def test_a_cookie_that_was_copied_ends_with_its_session_on_every_worker(tmp_path: Path) -> None:
    shared: dict[str, Any] = {"admin_key": OPERATOR, "session_secret": "s" * 32}
    with serving(tmp_path, **shared) as first, serving(tmp_path, **shared) as second:
        with closing(Visitor(first, OPERATOR)) as visitor, closing(Visitor(first, OPERATOR)) as other:
            copied = {"Cookie": f"{COOKIE}={visitor.cookie}"}
            before = [visits(served, copied) for served in (first, second)]
            visitor.post("/console/logout")
            after = [visits(served, copied) for served in (first, second)]

            assert (before, after) == ([200, 200], [303, 303])
            assert other.get("/console").status_code == 200
        assert first.opened.parts.store.tenants() == []  # what is noted of it is nobody's


def visits(served: Served, headers: dict[str, str]) -> int:
    with served.caller(None) as caller:
        return caller.get("/console", headers=headers).status_code


def test_the_session_opens_nothing_but_the_console(served: Served, visitor: Visitor) -> None:
    cookie = visitor.cookie
    assert cookie is not None

    for headers in ({"Cookie": f"{COOKIE}={cookie}"}, {"Authorization": f"Bearer {cookie}"}, {"X-API-Key": cookie}):
        assert visitor.client.get("/v1/spaces", headers=headers).status_code == 401


def test_a_key_in_a_header_does_not_open_the_console(served: Served, key: str) -> None:
    """A page must depend on the cookie alone: that is what SameSite guards."""
    with served.caller(key) as caller:
        assert caller.get("/console").status_code == 303


FORM = {"content": "planted"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "SELF", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "SELF", "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
    ids=str,
)
def test_a_form_from_another_site_is_refused(
    visitor: Visitor, key: str, served: Served, headers: dict[str, str]
) -> None:
    sent = {name: served.url if value == "SELF" else value for name, value in headers.items()}
    token = visitor.token()

    for data in ({**FORM, "token": token}, {"key": key}):
        path = "/console/spaces/bot/items" if "token" in data else "/console/login"
        assert visitor.client.post(path, data=data, headers=sent).status_code == 403

    with served.caller(key) as caller:
        assert caller.get(at("bot", "memories")).json()["items"] == []


@pytest.mark.parametrize("token", [None, "", "0" * 64, "é"])
def test_a_form_without_the_token_of_the_session_is_refused(
    visitor: Visitor, served: Served, key: str, token: str | None
) -> None:
    data = FORM if token is None else {**FORM, "token": token}

    answer = visitor.client.post("/console/spaces/bot/items", data=data, headers={"Origin": served.url})

    assert answer.status_code == 403
    with served.caller(key) as caller:
        assert caller.get(at("bot", "memories")).json()["items"] == []


def test_other_bodies_than_forms_are_refused(visitor: Visitor, served: Served) -> None:
    def sent(kind: str, body: bytes) -> int:
        headers = {"Origin": served.url, "Content-Type": kind}
        return visitor.client.post("/console/spaces/bot/items", content=body, headers=headers).status_code

    form = "application/x-www-form-urlencoded"
    assert sent("application/json", b"{}") == 415
    assert sent("multipart/form-data; boundary=x", b"--x--") == 415
    assert sent(form, b"content=\xff") == 400
    assert sent(form, b"a=b&" * 5_000) == 400
    assert sent(form, b"x" * 2_000_000) == 413


def test_every_answer_carries_the_headers_that_keep_a_browser_safe(visitor: Visitor) -> None:
    answers = [
        visitor.get(path) for path in ("/console", "/console/login", "/console/spaces/bot/items/none", "/console/")
    ]
    answers.append(visitor.client.post("/console/keys"))

    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_without_any_key_nobody_logs_in_and_the_first_key_closes_the_door(tmp_path: Path) -> None:
    with serving(tmp_path) as served, closing(Visitor(served)) as visitor:
        assert visitor.get("/console").status_code == 200
        assert visitor.get("/console/login").headers["location"] == "/console"
        token = visitor.token("/console/keys")

        made = visitor.client.post(
            "/console/keys", data={"token": token, "name": "first"}, headers={"Origin": served.url}
        )

        assert made.status_code == 201
        assert "first key" in made.text
        assert visitor.get("/console").status_code == 303
        secret = made.text.split('id="secret">')[1].split("<")[0]
        assert visitor.log_in(secret).status_code == 303
        assert visitor.get("/console").status_code == 200


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_without_any_key_no_other_site_reaches_it(tmp_path: Path, headers: dict[str, str]) -> None:
    with serving(tmp_path) as served, closing(Visitor(served)) as visitor:
        assert visitor.get("/console", **headers).status_code == 403


def test_files_are_kept_by_browsers_for_as_long_as_they_are_the_same(visitor: Visitor) -> None:
    page = visitor.get("/console").text
    style = page.split('rel="stylesheet" href="')[1].split('"')[0]

    answer = visitor.get(style)

    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]
    assert "immutable" not in visitor.get("/console/static/older/style.css").headers["cache-control"]
    for missing in ("nothing.css", "..%2Fpages.py", "%2e%2e", "%2e", "%2Fetc%2Fpasswd", "%00", "n" * 300):
        assert visitor.get(f"/console/static/x/{missing}").status_code == 404


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_a_file_is_sent_once_and_safely(visitor: Visitor, name: str) -> None:
    kind = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}

    first = visitor.get(f"/console/static/x/{name}")
    again = visitor.get(f"/console/static/x/{name}", **{"If-None-Match": first.headers["etag"]})

    assert (first.status_code, first.content) == (200, (FOLDER / name).read_bytes())
    assert first.headers["content-type"] == kind[name.partition(".")[2]]
    assert (again.status_code, again.content) == (304, b"")
    for answer in (first, again):
        assert HEADERS.items() <= {key.title(): value for key, value in answer.headers.items()}.items()
