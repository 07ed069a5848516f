"""Spaces as a whole, over HTTP: listing, statistics, sessions, export and import, upkeep, and the operator's tools."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import httpx
import pytest

from truekeep import EmbedderError, Memory
from truekeep.testing.fakes import ChoosyEmbedder, FakeEmbedder

from .served import OPERATOR, Served, at, detail, on_a_file, serving


def filled(caller: httpx.Client, space: str) -> None:
    caller.post(
        at(space, "memories"),
        json=[
            {"content": "Ana likes tea", "key": "ana/drink", "session": "monday", "metadata": {"a": [1]}},
            {"content": "Ana likes coffee", "key": "ana/drink", "session": "tuesday"},
            "The sky is blue \U0001f375",
        ],
    )
    caller.put(at(space, "values", "profile"), json={"value": {"tone": "concise"}})


def exported(caller: httpx.Client, space: str) -> list[dict[str, object]]:
    answer = caller.get(at(space, "export"))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def test_spaces_are_listed_in_pages_with_what_they_hold(ana: httpx.Client) -> None:
    for number in range(5):
        ana.post(at(f"s{number}", "memories"), json=[f"thing {number}"])
    ana.put(at("s0", "values", "k"), json={"value": 1})
    names: list[str] = []
    cursor = None

    while True:
        page = ana.get("/v1/spaces", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        names += [space["name"] for space in page["spaces"]]
        cursor = page["cursor"]
        if cursor is None:
            break

    assert names == [f"s{number}" for number in range(5)]
    first = ana.get("/v1/spaces", params={"limit": 1}).json()["spaces"][0]
    assert (first["items"], first["values"]) == (1, 1)
    assert first["bytes"] > 0


def test_a_space_is_there_when_it_holds_something(ana: httpx.Client) -> None:
    assert ana.get(at("bot")).json()["items"] == 0
    assert ana.get("/v1/spaces").json()["spaces"] == []


def test_numbers_are_for_everybody_and_the_path_is_for_the_operator(served: Served, ana: httpx.Client) -> None:
    filled(ana, "bot")

    mine = ana.get(at("bot")).json()
    with served.caller() as operator:
        theirs = operator.get(at("bot")).json()

    assert (mine["items"], mine["current"], mine["values"]) == (3, 2, 1)
    assert mine["path"] == ""
    assert mine["bytes"] < 10_000  # of the space, not of the store
    assert theirs["path"] == served.opened.parts.store.location


ELSEWHERE = EmbedderError("the embedder at embedder.internal refused: status 400")


def test_texts_that_were_set_aside_are_counted_and_only_the_operator_learns_the_whole_reason(tmp_path: Path) -> None:
    with serving(tmp_path, embedder=ChoosyEmbedder(16, ELSEWHERE), background=False, admin_key=OPERATOR) as served:
        told = []
        for caller in (served.tenant(), served.caller()):
            with caller:
                caller.post(at("bot", "memories"), json=["a poison text", "Ana likes tea"])
                told.append(caller.get(at("bot")).json()["set_aside"])

    assert told == [
        {"the embedder did not take the text": 1},
        {"the embedder at embedder.internal refused: status 400": 1},
    ]


def test_a_whole_space_is_erased(ana: httpx.Client) -> None:
    filled(ana, "bot")
    ana.post(at("other", "memories"), json=["Bo plays chess"])

    receipt = ana.delete(at("bot"))

    assert receipt.status_code == 200
    assert len(receipt.json()["erased"]) == 3
    assert [space["name"] for space in ana.get("/v1/spaces").json()["spaces"]] == ["other"]
    assert ana.delete(at("bot")).json()["erased"] == []


def test_sessions_are_told_with_their_times(ana: httpx.Client) -> None:
    filled(ana, "bot")

    found = ana.get(at("bot", "sessions")).json()["sessions"]

    assert {session["name"]: session["items"] for session in found} == {"monday": 1, "tuesday": 1}
    assert found[0].keys() == {"name", "items", "first", "last"}


def test_an_export_restores_the_space_elsewhere(ana: httpx.Client) -> None:
    filled(ana, "bot")
    lines = ana.get(at("bot", "export")).content

    restored = ana.post(at("copy", "import"), content=lines, headers={"Content-Type": "application/x-ndjson"})

    assert restored.status_code == 200
    assert restored.json() == {"items": 3, "versions": 0, "values": 1, "unchanged": 0, "refused": 0}
    texts = [[line.get("content") for line in exported(ana, space)] for space in ("bot", "copy")]
    assert texts[0] == texts[1]
    assert ana.get(at("copy", "values", "profile")).json()["value"] == {"tone": "concise"}
    again = ana.post(at("copy", "import"), content=lines).json()
    assert (again["items"], again["unchanged"]) == (0, 4)


def test_an_import_with_one_bad_line_leaves_nothing(ana: httpx.Client) -> None:
    filled(ana, "bot")
    lines = ana.get(at("bot", "export")).text

    for bad in (lines + "{not json}\n", lines + '{"type": "item"}\n', lines + "[]\n"):
        problem = detail(ana.post(at("copy", "import"), content=bad.encode()), 422)
        assert "line" in problem["argument"]

    detail(ana.post(at("copy", "import"), content=lines.encode() + b"\xff\n"), 422)
    assert exported(ana, "copy")[1:] == exported(ana, "empty")[1:]
    assert [space["name"] for space in ana.get("/v1/spaces").json()["spaces"]] == ["bot"]


def test_what_was_forgotten_does_not_come_back_by_import(ana: httpx.Client) -> None:
    filled(ana, "bot")
    lines = ana.get(at("bot", "export")).content
    ana.post(at("bot", "forget"), json={"session": "tuesday"})

    restored = ana.post(at("bot", "import"), content=lines).json()

    assert restored["refused"] == 1


def test_an_export_of_many_comes_in_one_piece(ana: httpx.Client) -> None:
    many = [
        {"content": f"statement number {number}", "judged": False} for number in range(1500)
    ]  # others wait for verdicts
    ana.post(at("bot", "memories"), json=many)

    assert len([line for line in exported(ana, "bot") if "content" in line]) == 1500


def test_waiting_work_can_be_done_now(ana: httpx.Client) -> None:
    ana.post(at("bot", "memories"), json=[f"statement number {number}" for number in range(50)])

    assert ana.post(at("bot", "flush"), json={"limit": 60}).json() == {"done": True}
    assert ana.get(at("bot")).json()["pending"] == 0
    detail(ana.post(at("bot", "flush"), json={"limit": 61}), 422)
    detail(ana.post(at("bot", "flush"), json={"limit": 0}), 422)


@pytest.mark.parametrize("path", ["/v1/backup", "/v1/check", "/metrics"])
def test_the_operators_tools_are_not_for_tenants(ana: httpx.Client, path: str) -> None:
    detail(ana.get(path), 403)


@on_a_file
def test_a_backup_is_a_complete_store(served: Served, ana: httpx.Client, tmp_path: Path) -> None:
    filled(ana, "bot")
    with served.caller() as operator:
        operator.post(at("mine", "memories"), json=["The operator naps"])

        copy = operator.get("/v1/backup")

    assert copy.status_code == 200
    (tmp_path / "copy.db").write_bytes(copy.content)
    with Memory("mine", at=tmp_path / "copy.db", embedder=FakeEmbedder(), background=False) as memory:
        assert "The operator naps" in [item.content for item in memory.items()]
    with sqlite3.connect(tmp_path / "copy.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_a_sound_store_has_no_problems(served: Served) -> None:
    with served.caller() as operator:
        assert operator.get("/v1/check").json() == {"problems": []}


def test_metrics_name_routes_and_never_what_users_chose(served: Served, ana: httpx.Client) -> None:
    ana.post(at("very-secret-space", "memories"), json=["Ana likes tea"])
    ana.request("BREW", at("very-secret-space"))
    with served.caller() as operator:
        text = operator.get("/metrics").text

    assert 'route="/v1/spaces/{space}/memories",status="201"' in text
    assert "very-secret" not in text
    assert "BREW" not in text


def test_health_needs_no_key(served: Served) -> None:
    with served.caller(None) as stranger:
        answer = stranger.get("/health")

    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"


def test_a_request_keeps_the_id_it_came_with(served: Served, ana: httpx.Client) -> None:
    assert ana.get("/health", headers={"X-Request-ID": "trace-1"}).headers["x-request-id"] == "trace-1"
    assert ana.get("/health", headers={"X-Request-ID": "bad id <script>"}).headers["x-request-id"] != "bad id <script>"
    assert len(ana.get("/nowhere").headers["x-request-id"]) == 32


def test_an_unknown_path_and_method_are_problems_too(ana: httpx.Client) -> None:
    detail(ana.get("/nowhere"), 404)
    refused = ana.request("DELETE", at("bot", "memories"))
    detail(refused, 405)
    assert refused.headers["allow"] == "GET, HEAD, POST"


def test_what_was_acknowledged_is_there_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as first, first.caller(None) as caller:
        id = caller.post(at("bot", "memories"), json={"content": "Ana likes tea"}).json()["id"]

    with serving(tmp_path) as second, second.caller(None) as caller:
        assert caller.get(at("bot", "memories", id)).json()["content"] == "Ana likes tea"


def test_one_flush_at_a_time_holds_a_thread(served: Served, ana: httpx.Client) -> None:
    with served.app.state.desk.one_flush() as is_ours:
        busy = ana.post(at("bot", "flush"), json={"limit": 60})
    free = ana.post(at("bot", "flush"), json={"limit": 60})

    assert is_ours
    assert (busy.json(), free.json()) == ({"done": False}, {"done": True})
