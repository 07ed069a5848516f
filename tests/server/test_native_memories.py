"""Memories over HTTP: remembering, reading, listing, correcting, forgetting."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from .served import Served, at, detail

ITEM_FIELDS = {
    *("id", "content", "kind", "tags", "metadata", "source", "key", "pinned", "created", "updated", "when", "until"),
    *("retired", "expires", "superseded_by", "suspected_by", "quarantined", "reason", "version", "reinforced"),
    *("redacted", "restated", "unjudged", "written_by", "seq"),
}
ODD_NAMES = [
    "team/ana",
    "50%",
    "100%25",
    "a%2Fb",
    "...",
    ".hidden",
    "..%2F..",
    "été 日本",
    "a b",
    "+",
    "a?b#c",
    "~",
    "'\"",
    "\U0001f375",
]


def remember(caller: httpx.Client, space: str, content: str, **more: object) -> dict[str, Any]:
    answer = caller.post(at(space, "memories"), json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_what_is_remembered_is_there_as_it_was_said(served: Served, ana: httpx.Client) -> None:
    said = {
        "content": "Ana  prefers\tTypeScript \U0001f375",
        "kind": "preference",
        "tags": ["ana", "code"],
        "metadata": {"confidence": 0.5, "path": ["a", None]},
        "session": "monday",
        "speaker": "Ana",
        "source": {"name": "crawler", "role": "user", "message": "m1", "trust": "tool"},
        "key": "ana/language",
        "ttl": 3600,
        "pinned": True,
        "when": "2025-06-01T12:00:00+02:00",
    }

    kept = ana.post(at("bot", "memories"), json=said)

    assert kept.status_code == 201
    answer = kept.json()
    assert answer["outcome"] == "added"
    assert not answer["replayed"]
    item = ana.get(at("bot", "memories", answer["id"])).json()
    meanwhile = {"seq": item["seq"], "unjudged": item["unjudged"]}  # it may have been judged by now
    assert item == answer["item"] | meanwhile
    assert item.keys() == ITEM_FIELDS
    assert {name: item[name] for name in ("content", "kind", "tags", "metadata", "key", "pinned")} == {
        name: said[name] for name in ("content", "kind", "tags", "metadata", "key", "pinned")
    }
    assert item["when"] == "2025-06-01T10:00:00+00:00"
    assert item["expires"] == (served.clock() + timedelta(hours=1)).isoformat()
    assert item["source"] == {
        "name": "crawler",
        "speaker": "Ana",
        "role": "user",
        "session": "monday",
        "message": "m1",
        "trust": "tool",
    }


def test_another_statement_under_the_same_key_supersedes(ana: httpx.Client) -> None:
    first = remember(ana, "bot", "Ana likes tea", key="ana/drink")

    second = remember(ana, "bot", "Ana likes coffee", key="ana/drink")

    assert second["outcome"] == "superseded"
    assert [old["id"] for old in second["superseded"]] == [first["id"]]
    versions = ana.get(at("bot", "memories", str(second["id"]), "history")).json()["versions"]
    assert [version["content"] for version in versions] == ["Ana likes tea", "Ana likes coffee"]
    listed = ana.get(at("bot", "memories")).json()["items"]
    assert [item["content"] for item in listed] == ["Ana likes coffee"]
    both = ana.get(at("bot", "memories"), params={"include_superseded": "true"}).json()["items"]
    assert len(both) == 2


@pytest.mark.parametrize("shape", ["object", "array"])
def test_a_batch_is_remembered_in_order(ana: httpx.Client, shape: str) -> None:
    items = ["Ana likes tea", {"content": "Bo likes coffee", "kind": "preference"}]

    kept = ana.post(at("bot", "memories"), json={"items": items} if shape == "object" else items)

    assert kept.status_code == 201
    assert [one["item"]["content"] for one in kept.json()["remembered"]] == ["Ana likes tea", "Bo likes coffee"]


def test_a_batch_with_one_bad_element_leaves_nothing(ana: httpx.Client) -> None:
    refused = ana.post(at("bot", "memories"), json={"items": ["Ana likes tea", {"content": " "}]})

    assert detail(refused, 422)["argument"] == "items[1].content"
    assert ana.get(at("bot", "memories")).json() == {"items": [], "cursor": None}
    assert ana.get("/v1/spaces").json()["spaces"] == []


@pytest.mark.parametrize("body", [["Ana likes tea"], {"content": "Ana likes tea"}], ids=["batch", "single"])
def test_a_blank_idempotency_key_is_refused(ana: httpx.Client, body: object) -> None:
    refused = ana.post(at("bot", "memories"), json=body, headers={b"Idempotency-Key": b"\xa0"})

    assert detail(refused, 422)["detail"] == "Idempotency-Key: is empty"


def test_the_same_idempotency_key_makes_no_second_memory(ana: httpx.Client) -> None:
    first = ana.post(at("bot", "memories"), json={"content": "Ana likes tea"}, headers={"Idempotency-Key": "once"})

    again = ana.post(at("bot", "memories"), json={"content": "Ana likes tea"}, headers={"Idempotency-Key": "once"})

    assert again.status_code == 201
    assert again.json()["id"] == first.json()["id"]
    assert again.json()["replayed"]
    other = ana.post(at("bot", "memories"), json={"content": "Bo likes tea"}, headers={"Idempotency-Key": "once"})
    assert detail(other, 409)["type"] == "urn:truekeep:conflict"
    assert len(ana.get(at("bot", "memories")).json()["items"]) == 1


def test_a_batch_is_replayed_element_by_element(ana: httpx.Client) -> None:
    body = {"items": ["Ana likes tea", "Bo likes coffee"]}
    first = ana.post(at("bot", "memories"), json=body, headers={"Idempotency-Key": "batch"}).json()["remembered"]

    again = ana.post(at("bot", "memories"), json=body, headers={"Idempotency-Key": "batch"}).json()["remembered"]

    assert [one["id"] for one in again] == [one["id"] for one in first]
    assert all(one["replayed"] for one in again)


def test_the_key_in_the_body_goes_before_that_in_the_header(ana: httpx.Client) -> None:
    body = {"content": "Ana likes tea", "idempotency_key": "body"}
    ana.post(at("bot", "memories"), json=body, headers={"Idempotency-Key": "header"})

    free = ana.post(at("bot", "memories"), json={"content": "Bo naps"}, headers={"Idempotency-Key": "header"})

    assert free.status_code == 201
    assert not free.json()["replayed"]


def test_a_correction_keeps_the_former_version(ana: httpx.Client) -> None:
    id = str(remember(ana, "bot", "Ana likes tea")["id"])

    corrected = ana.patch(at("bot", "memories", id), json={"content": "Ana likes green tea", "tags": ["tea"]})

    assert corrected.status_code == 200
    assert corrected.json()["version"] == 2
    assert corrected.json()["tags"] == ["tea"]
    versions = ana.get(at("bot", "memories", id, "history")).json()["versions"]
    assert [version["content"] for version in versions] == ["Ana likes tea", "Ana likes green tea"]


def test_a_correction_of_nothing_is_refused(ana: httpx.Client) -> None:
    id = str(remember(ana, "bot", "Ana likes tea")["id"])

    detail(ana.patch(at("bot", "memories", id), json={}), 422)
    detail(ana.patch(at("bot", "memories", id), json={"colour": "red"}), 422)
    detail(ana.patch(at("bot", "memories", "nobody"), json={"content": "x"}), 404)


def test_a_memory_that_is_deleted_is_gone(ana: httpx.Client) -> None:
    id = str(remember(ana, "bot", "Ana likes tea")["id"])

    receipt = ana.delete(at("bot", "memories", id))

    assert receipt.status_code == 200
    done = {"erased": [id], "remaining": 0, "pending": False}
    assert receipt.json() == {**done, "dry_run": False, "going": [], "revived": []}
    for answer in (
        ana.get(at("bot", "memories", id)),
        ana.get(at("bot", "memories", id, "history")),
        ana.delete(at("bot", "memories", id)),
    ):
        detail(answer, 404)
    assert ana.post(at("bot", "recall"), json={"query": "tea"}).json()["matches"] == []


def test_forgetting_by_filters_tells_what_was_erased(ana: httpx.Client) -> None:
    ids = [remember(ana, "bot", f"Ana said {number}", session="monday")["id"] for number in range(3)]
    remember(ana, "bot", "The sky is blue")

    receipt = ana.post(at("bot", "forget"), json={"session": "monday"})

    assert receipt.status_code == 200
    assert sorted(receipt.json()["erased"]) == sorted(ids)
    assert ana.post(at("bot", "forget"), json={"session": "monday"}).json()["erased"] == []
    assert len(ana.get(at("bot", "memories")).json()["items"]) == 1


@pytest.mark.parametrize("body", [{}, {"id": None}, {"id": "a", "session": "b"}, {"everything": False}, {"kinds": []}])
def test_forgetting_asks_what(ana: httpx.Client, body: dict[str, object]) -> None:
    remember(ana, "bot", "Ana likes tea")

    detail(ana.post(at("bot", "forget"), json=body), 422)

    assert len(ana.get(at("bot", "memories")).json()["items"]) == 1


def test_forgetting_everything_erases_the_values_too(ana: httpx.Client) -> None:
    remember(ana, "bot", "Ana likes tea")
    ana.put(at("bot", "values", "k"), json={"value": 1})

    ana.post(at("bot", "forget"), json={"everything": True})

    assert ana.get("/v1/spaces").json()["spaces"] == []
    detail(ana.get(at("bot", "values", "k")), 404)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_name_is_one_segment_whatever_is_in_it(ana: httpx.Client, name: str) -> None:
    kept = remember(ana, name, f"this is {name}")
    ana.put(at(name, "values", name), json={"value": name})

    assert [space["name"] for space in ana.get("/v1/spaces").json()["spaces"]] == [name]
    assert ana.get(at(name)).json()["space"] == name
    assert ana.get(at(name, "memories", str(kept["id"]))).json()["content"] == f"this is {name}"
    assert ana.get(at(name, "values")).json()["keys"] == [name]
    assert ana.get(at(name, "values", name)).json()["value"] == name
    detail(ana.get(at(f"{name}x", "values", name)), 404)


def test_a_slash_that_is_not_encoded_is_another_path(ana: httpx.Client) -> None:
    remember(ana, "team/ana", "Ana likes tea")

    detail(ana.get("/v1/spaces/team/ana/memories"), 404)


def test_a_missing_id_and_a_bad_one_are_told_apart(ana: httpx.Client) -> None:
    detail(ana.get(at("bot", "memories", "nobody")), 404)
    detail(ana.get(at("bot", "memories", "n" * 300)), 422)
    detail(ana.get(at("bot", "memories", "a\x07b")), 422)
