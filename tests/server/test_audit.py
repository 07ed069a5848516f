"""The audit: which key wrote, corrected, erased, exported or was told which ids, and when; never what they say."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from truekeep.model import AuditFilters

from .served import OPERATOR, Served, at, serving
from .test_native_recall import finished


class Holder(NamedTuple):
    """Somebody with a key."""

    id: str
    caller: httpx.Client


@pytest.fixture
def two(served: Served) -> Iterator[tuple[Holder, Holder]]:
    """Two keys of one tenant that is new."""
    first = served.new_key()
    second = served.new_key(tenant=first["tenant"])
    with served.caller(first["key"]) as one, served.caller(second["key"]) as other:
        yield Holder(first["id"], one), Holder(second["id"], other)


def remember(holder: Holder, content: str, **more: Any) -> dict[str, Any]:
    answer = holder.caller.post(at("bot", "memories"), json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    kept: dict[str, Any] = answer.json()["item"]
    return kept


def test_each_version_of_an_item_names_the_key_that_wrote_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    item = remember(one, "Ana drinks tea")
    remember(other, "Ana drinks tea")

    other.caller.patch(at("bot", "memories", item["id"]), json={"content": "Ana drinks cocoa"})

    assert item["written_by"] == one.id
    versions = one.caller.get(at("bot", "memories", item["id"], "history")).json()["versions"]
    assert [version["written_by"] for version in versions][:1] == [one.id]
    assert versions[-1]["written_by"] == other.id


def test_what_a_job_keeps_was_written_by_the_key_that_asked_for_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    said = {"messages": "Ana: I prefer tea over coffee."}

    job = one.caller.post(at("bot", "extract"), json=said).json()["job"]["id"]
    ids = [kept["id"] for kept in finished(other.caller, job)["result"]["remembered"]]

    assert ids
    assert {one.caller.get(at("bot", "memories", id)).json()["written_by"] for id in ids} == {one.id}


def test_nobody_can_say_that_another_key_wrote_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    item = remember(one, "Ana drinks tea")
    exported = one.caller.get(at("bot", "export"))
    forged = exported.text.replace('"content"', f'"written_by":"{one.id}","content"', 1)

    said = other.caller.post(at("bot", "memories"), json={"content": "Bo naps", "written_by": one.id})
    claimed = other.caller.post(at("copy", "import"), content=forged)
    other.caller.post(at("copy", "import"), content=exported.text)
    again = one.caller.post(at("copy", "import"), content=exported.text)

    assert (said.status_code, claimed.status_code) == (422, 422)
    assert again.json()["unchanged"] == 1
    assert one.caller.get(at("copy", "memories", item["id"])).json()["written_by"] == other.id


def test_a_retry_with_another_key_of_the_tenant_is_still_a_retry(two: tuple[Holder, Holder]) -> None:
    one, other = two

    first = remember(one, "Ana drinks tea", idempotency_key="once")
    again = remember(other, "Ana drinks tea", idempotency_key="once")

    assert (again["id"], again["written_by"]) == (first["id"], one.id)


def audit(caller: httpx.Client, **asked: Any) -> list[dict[str, Any]]:
    answer = caller.get("/v1/audit", params=asked)
    assert answer.status_code == 200, answer.text
    entries: list[dict[str, Any]] = answer.json()["entries"]
    return entries


def verbs(caller: httpx.Client, **asked: Any) -> list[str]:
    return [entry["verb"] for entry in audit(caller, **asked)]


TALK = {"messages": "Ana: I prefer tea over coffee."}
ASKED: list[tuple[str, str, dict[str, Any] | None, str]] = [
    ("POST", "memories", {"content": "Bo naps"}, "remember"),
    ("POST", "recall", {"query": "what does Ana drink?"}, "recall"),
    ("POST", "context", {"query": "what does Ana drink?"}, "context"),
    ("POST", "context", {"query": "what does Ana drink?", "material": True}, "context"),
    ("POST", "explain", {"query": "what does Ana drink?"}, "explain"),
    ("POST", "extract?wait=true", TALK, "extract"),
    ("GET", "memories", None, "items"),
    ("GET", "memories?offset=0", None, "items"),
    ("GET", "memories/ID", None, "item"),
    ("GET", "memories/ID/history", None, "history"),
    ("PATCH", "memories/ID", {"content": "Ana drinks cocoa"}, "correct"),
    ("GET", "review", None, "review"),
    ("GET", "diff?since=start", None, "diff"),
    ("POST", "restore", {"checkpoint": "start"}, "restore"),
    ("GET", "events", None, "changes"),
    ("GET", "export", None, "export"),
    ("DELETE", "memories/ID", None, "forget"),
    ("POST", "forget", {"speaker": "ana"}, "forget"),
    ("DELETE", "", None, "forget"),
]


@pytest.mark.parametrize(("method", "path", "body", "verb"), ASKED, ids=[f"{one[0]} {one[1]}" for one in ASKED])
def test_a_request_is_noted_with_its_key_and_the_ids_that_it_is_about(
    two: tuple[Holder, Holder], method: str, path: str, body: Any, verb: str
) -> None:
    one, other = two
    item = remember(one, "Ana drinks tea", speaker="ana")
    one.caller.post(at("bot", "checkpoints"), json={"name": "start"})
    remember(one, "Ana drinks matcha", speaker="ana")
    place = f"{at('bot')}/{path.replace('ID', item['id'])}".rstrip("/")

    answer = other.caller.request(method, place, json=body)

    assert answer.status_code < 300, answer.text
    [entry] = audit(one.caller, request=answer.headers["x-request-id"])
    assert (entry["verb"], entry["key"], entry["outcome"]) == (verb, other.id, "done")
    assert entry["space"] == (None if method == "DELETE" and path == "" else "bot")
    assert entry["ids"] or path == "review"
    assert set(entry["ids"]) <= set(ids_in(answer.text)) | {item["id"]} or path == "context"
    assert audit(one.caller, item=item["id"])[-1]["verb"] == "remember"


def ids_in(text: str) -> list[str]:
    return re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)


def test_what_a_recall_answered_is_found_by_the_id_of_its_request(two: tuple[Holder, Holder]) -> None:
    one, other = two
    remember(one, "Ana drinks tea")
    remember(one, "Bo drinks cocoa")

    answer = other.caller.post(at("bot", "recall"), json={"query": "drinks"}, headers={"X-Request-Id": "turn-7"})

    [entry] = audit(one.caller, request="turn-7")
    assert entry["ids"] == [match["id"] for match in answer.json()["matches"]]
    assert len(entry["ids"]) == 2


def test_who_wrote_changed_and_read_an_item_is_found_by_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    item = remember(one, "Ana drinks tea")["id"]
    other.caller.get(at("bot", "memories", item))
    other.caller.delete(at("bot", "memories", item))

    gone = one.caller.get(at("bot", "memories", item))

    found = [(entry["verb"], entry["key"], entry["outcome"]) for entry in audit(one.caller, item=item)]
    assert gone.status_code == 404
    assert found == [
        ("item", one.id, "not-found"),
        ("forget", other.id, "done"),
        ("item", other.id, "done"),
        ("remember", one.id, "done"),
    ]


def test_a_dry_run_is_told_from_what_was_done(two: tuple[Holder, Holder]) -> None:
    one, _ = two
    item = remember(one, "Ana drinks tea", speaker="ana")["id"]

    one.caller.post(at("bot", "forget"), json={"speaker": "ana", "dry_run": True})

    [entry, _] = audit(one.caller, item=item)
    assert (entry["verb"], entry["outcome"]) == ("forget", "dry-run")


def test_an_import_and_a_fork_name_what_they_brought(two: tuple[Holder, Holder]) -> None:
    one, other = two
    item = remember(one, "Ana drinks tea")["id"]
    lines = one.caller.get(at("bot", "export")).text

    other.caller.post(at("copy", "import"), content=lines)
    other.caller.post(at("bot", "fork"), json={"name": "twin"})

    assert [(one["space"], one["key"]) for one in audit(one.caller, item=item, verb="import")] == [("copy", other.id)]
    assert {one["space"] for one in audit(one.caller, verb="fork")} == {"bot", "twin"}


def test_what_a_job_kept_leads_to_the_request_that_asked_for_it(two: tuple[Holder, Holder]) -> None:
    one, other = two
    asked = one.caller.post(at("bot", "extract"), json=TALK)
    job = asked.json()["job"]["id"]
    [kept] = finished(other.caller, job)["result"]["remembered"]

    until(lambda: len(audit(other.caller, item=job)) == 2)

    assert {entry["key"] for entry in audit(other.caller, item=job)} == {one.id}
    assert verbs(other.caller, item=kept["id"]) == ["extract"]
    assert job in audit(other.caller, request=asked.headers["x-request-id"])[0]["ids"]


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(3000):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("it never was so")


def test_the_feed_and_the_dialects_are_noted_too(two: tuple[Holder, Holder]) -> None:
    one, _ = two
    item = remember(one, "Ana drinks tea")["id"]

    one.caller.get("/v1/feed/crm")
    one.caller.post("/v1/memory/remember", json={"content": "Bo naps"})
    one.caller.get("/v1/memory/recall", params={"q": "Bo"})

    assert verbs(one.caller, item=item) == ["feed", "remember"]
    assert verbs(one.caller, space="default") == ["recall", "remember"]


def test_a_tool_of_mcp_is_noted_with_the_request_that_called_it(two: tuple[Holder, Holder]) -> None:
    one, _ = two
    remember(one, "Ana drinks tea")
    call = {"name": "recall", "arguments": {"query": "what does Ana drink?"}}
    headers = {"Accept": "application/json, text/event-stream", "X-Request-Id": "tool-1"}

    called = one.caller.post(
        "/mcp/bot", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}, headers=headers
    )

    assert "Ana drinks tea" in called.text
    assert verbs(one.caller, request="tool-1")[-1:] in (["recall"], ["context"])


def test_values_are_noted_without_their_keys(two: tuple[Holder, Holder]) -> None:
    one, _ = two

    one.caller.put(at("bot", "values", "profile"), json={"value": 1})
    one.caller.get(at("bot", "values", "profile"))
    one.caller.delete(at("bot", "values", "profile"))

    entries = audit(one.caller, space="bot")
    assert [(entry["verb"], entry["ids"]) for entry in entries] == [("delete", []), ("get", []), ("set", [])]


def test_no_text_is_in_the_audit(served: Served, two: tuple[Holder, Holder]) -> None:
    one, _ = two
    mark = "quokkamark"
    item = remember(one, f"Ana likes {mark}", tags=[mark], metadata={mark: mark}, session=mark, speaker=mark, key=mark)
    asked: list[tuple[str, str, Any]] = [
        ("POST", "recall", {"query": mark}),
        ("POST", "context", {"query": mark, "session": mark}),
        ("POST", "explain", {"query": mark, "id": mark}),
        ("GET", f"memories/{mark}", None),
        ("PATCH", f"memories/{item['id']}", {"content": f"Ana loves {mark}"}),
        ("GET", f"memories?session={mark}", None),
        ("PUT", f"values/{mark}", {"value": mark}),
        ("GET", f"values/{mark}", None),
        ("DELETE", f"memories/{mark}", None),
        ("POST", "extract?wait=true", {"messages": f"{mark}: I prefer {mark} over tea."}),
        ("POST", "forget", {"speaker": mark}),
    ]
    for method, path, body in asked:
        assert one.caller.request(method, f"{at('bot')}/{path}", json=body).status_code < 500

    entries = audit(one.caller)

    assert len(entries) >= len(asked)
    assert mark not in repr(entries)
    kept = served.opened.parts.store.audit(audit_tenant(served, one), AuditFilters(), limit=1000).entries
    assert mark not in repr([asdict(entry) for entry in kept])


def audit_tenant(served: Served, holder: Holder) -> str:
    with served.caller() as operator:
        keys = operator.get("/v1/keys").json()["keys"]
    tenants: dict[str, str] = {key["id"]: key["tenant"] for key in keys}
    return tenants[holder.id]


def test_tenants_are_apart_and_the_operator_names_one(served: Served, two: tuple[Holder, Holder]) -> None:
    one, _ = two
    item = remember(one, "Ana drinks tea")["id"]
    tenant = audit_tenant(served, one)

    with served.tenant() as stranger, served.caller() as operator:
        for asked in ({}, {"item": item}, {"key": one.id}, {"space": "bot"}):
            assert audit(stranger, **asked) == []
        named = stranger.get("/v1/audit", params={"tenant": tenant})
        missing = stranger.get("/v1/audit", params={"tenant": "nobody"})
        assert audit(operator, item=item) == []
        assert verbs(operator, item=item, tenant=tenant) == ["remember"]

    assert (named.status_code, missing.status_code) == (403, 403)
    assert named.json()["detail"] == missing.json()["detail"]


def test_a_key_sees_what_was_done_in_spaces_that_it_covers(served: Served, two: tuple[Holder, Holder]) -> None:
    one, _ = two
    ids = {
        space: one.caller.post(at(space, "memories"), json={"content": "Ana drinks tea"}).json()["id"]
        for space in ("team-a", "board")
    }
    one.caller.delete(at("board"))
    for _ in range(3):
        one.caller.get(at("board", "memories"))
    team = served.new_key(tenant=audit_tenant(served, one), scopes=["admin"], spaces=["team-*"])
    reader = served.new_key(tenant=team["tenant"], scopes=["read", "write"])

    with served.caller(team["key"]) as caller, served.caller(reader["key"]) as without:
        page = caller.get("/v1/audit", params={"limit": 1}).json()
        assert [entry["ids"] for entry in page["entries"]] == [[ids["team-a"]]]
        assert audit(caller, item=ids["board"]) == []
        assert caller.get("/v1/audit", params={"space": "board"}).status_code == 403
        assert without.get("/v1/audit").status_code == 403


def test_pages_follow_each_other(two: tuple[Holder, Holder]) -> None:
    one, _ = two
    kept = [remember(one, f"fact number {number}")["id"] for number in range(5)]

    seen, cursor = [], None
    while True:
        given: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
        page = one.caller.get("/v1/audit", params={"verb": "remember", "limit": 2, **given}).json()
        seen += [entry["ids"][0] for entry in page["entries"]]
        cursor = page["cursor"]
        if cursor is None:
            break

    assert seen == kept[::-1]


@pytest.mark.parametrize("asked", ["cursor=x", "item=%00", "since=yesterday", "limit=0", "items=1", "key="])
def test_what_makes_no_sense_is_refused(two: tuple[Holder, Holder], asked: str) -> None:
    assert two[0].caller.get(f"/v1/audit?{asked}").status_code == 422


def test_a_verb_that_there_is_none_of_is_told_which_there_are(two: tuple[Holder, Holder]) -> None:
    said = two[0].caller.get("/v1/audit?verb=remembered")

    assert (said.status_code, said.json()["argument"]) == (422, "verb")
    assert "remember, extract, correct" in said.json()["problem"]


def test_the_name_of_an_erased_space_goes_and_the_ids_stay(served: Served, two: tuple[Holder, Holder]) -> None:
    one, other = two
    item = one.caller.post(at("ana-private", "memories"), json={"content": "Ana drinks tea"}).json()["id"]

    other.caller.delete(at("ana-private"))

    entries = audit(one.caller, item=item)
    assert [(entry["verb"], entry["key"]) for entry in entries] == [("forget", other.id), ("remember", one.id)]
    assert "ana-private" not in one.caller.get("/v1/audit").text
    assert verbs(one.caller, space="ana-private") == ["forget", "remember"]


def test_what_erases_or_hands_out_everything_is_in_the_store_before_it_is_answered(
    served: Served, two: tuple[Holder, Holder]
) -> None:
    one, _ = two
    tenant = audit_tenant(served, one)
    item = remember(one, "Ana drinks tea")["id"]

    one.caller.get(at("bot", "export"))
    one.caller.delete(at("bot", "memories", item))

    kept = served.opened.parts.store.audit(tenant, AuditFilters(item=item)).entries
    assert [entry.verb for entry in kept] == ["forget", "export", "remember"]


def test_all_is_written_when_the_server_stops(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR) as served, served.caller() as operator:
        operator.post(at("bot", "memories"), json={"content": "Ana drinks tea"})
        operator.post(at("bot", "recall"), json={"query": "tea"})

    with serving(tmp_path, admin_key=OPERATOR, audit_days=30) as served, served.caller() as operator:
        assert verbs(operator, space="bot") == ["recall", "remember"]


def test_without_days_nothing_is_noted_and_what_was_noted_goes(tmp_path: Path) -> None:
    with serving(tmp_path, admin_key=OPERATOR) as served, served.caller() as operator:
        operator.post(at("bot", "memories"), json={"content": "Ana drinks tea"})

    with serving(tmp_path, admin_key=OPERATOR, audit_days=0) as served, served.caller() as operator:
        served.clock.advance(timedelta(seconds=1))
        served.app.state.desk.flush()
        operator.post(at("bot", "recall"), json={"query": "tea"})
        assert audit(operator) == []
