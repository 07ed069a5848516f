"""A key with `write` alone is told ids, versions and outcomes, and nothing of what others keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import httpx
import pytest

from truekeep.cli.output import plain
from truekeep.model import (
    Checkpoint,
    Diff,
    Edited,
    EditedValue,
    Extraction,
    MemoryItem,
    Receipt,
    Remembered,
    Restoration,
    Suspicion,
    Value,
)
from truekeep.server.audit import withheld
from truekeep.server.desk import Caller
from truekeep.testing.samples import NOW

from .served import Served, at

HIDDEN = "zebra"


@pytest.fixture
def callers(served: Served) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """One who may do everything, and one who may write."""
    first = served.new_key()
    writer = served.new_key(tenant=first["tenant"], scopes=["write"])
    with served.caller(first["key"]) as owner, served.caller(writer["key"]) as writes:
        yield owner, writes


def test_writes_do_not_tell_what_was_there(callers: tuple[httpx.Client, httpx.Client]) -> None:
    owner, writes = callers
    secret = {"content": f"Ana lives in {HIDDEN} street", "key": "home", "metadata": {"m": HIDDEN}, "tags": [HIDDEN]}
    owner.put(at("bot", "values", "list"), json={"value": [HIDDEN]})
    owner.put(at("bot", "values", "n"), json={"value": 41})
    first = owner.post(at("bot", "memories"), json=secret).json()["id"]
    owner.post(at("bot", "checkpoints"), json={"name": "before"})

    answers = {
        "again": writes.post(at("bot", "memories"), json={"content": secret["content"]}),
        "claim": writes.post(at("bot", "memories"), json={"content": "Ana moved", "key": "home"}),
        "batch": writes.post(at("bot", "memories"), json=[{"content": "Ana moved on", "key": "home"}]),
        "pin": writes.patch(at("bot", "memories", first), json={"pinned": True}),
        "append": writes.post(at("bot", "values", "list", "append"), json={"element": 1}),
        "increment": writes.post(at("bot", "values", "n", "increment"), json={"by": 1}),
        "memstore": writes.post("/v1/memory/remember", json={"content": "Bo naps"}),
        "kronvex": writes.post("/api/v1/agents/bot/remember", json={"content": secret["content"]}),
        "preview": writes.post(at("bot", "forget"), json={"id": first, "dry_run": True}),
        "restore": writes.post(at("bot", "restore"), json={"checkpoint": "before"}),
        "extract": writes.post(at("bot", "extract") + "?wait=true", json={"messages": "Ana: I prefer tea."}),
        "job": writes.post(at("bot", "extract"), json={"messages": "Ana: I prefer tea."}),
    }

    told = {name: (answer.status_code, answer.text) for name, answer in answers.items()}
    assert {name: status for name, (status, text) in told.items() if status >= 300} == {}
    assert [name for name, (_, text) in told.items() if HIDDEN in text] == []
    assert "42" not in answers["increment"].text
    assert answers["claim"].json()["superseded"][0]["id"] == first
    assert answers["claim"].json()["outcome"] == "superseded"
    assert answers["append"].json()["version"] > 1


def test_a_writer_makes_no_copy_of_what_it_may_not_read(callers: tuple[httpx.Client, httpx.Client]) -> None:
    _, writes = callers

    answer = writes.post(at("bot", "fork"), json={"name": "copy"})

    assert (answer.status_code, "read" in answer.json()["detail"]) == (403, True)


def test_a_copy_goes_only_where_the_key_may_write(served: Served) -> None:
    made = served.new_key(spaces=["team-*"])
    with served.caller(made["key"]) as caller:
        caller.post(at("team-a", "memories"), json={"content": "Ana drinks tea"})

        assert caller.post(at("team-a", "fork"), json={"name": "elsewhere"}).status_code == 403
        assert caller.post(at("team-a", "fork"), json={"name": "team-b"}).status_code == 201


def test_the_handle_of_a_writer_shows_no_item_to_any_tool(served: Served) -> None:
    made = served.new_key(scopes=["write"])
    key = next(key for key in served.opened.parts.store.access_keys(made["tenant"]))
    memory = Caller(key, served.app.state.desk).memory("bot")
    kept = memory.remember(f"Ana keeps a {HIDDEN}")

    assert memory.item(kept.id).content == ""  # what MCP would show before it forgets
    assert memory.forget(kept.id).erased == (kept.id,)


def item(id: str) -> MemoryItem:
    return MemoryItem(id=id, content=HIDDEN, tags=(HIDDEN,), key=HIDDEN, created=NOW, updated=NOW, when=NOW, version=7)


@pytest.mark.parametrize(
    "answer",
    [
        item("a"),
        [item("a")],
        (item("a"), 1),
        Remembered(item=item("a"), outcome="added", superseded=(item("b"),), suspected=(item("c"),)),
        Suspicion(older=item("a"), newer=item("b")),
        Extraction(remembered=(Remembered(item=item("a"), outcome="added"),)),
        Extraction(remembered=cast(Any, [Remembered(item=item("a"), outcome="added")])),  # no leak for want of a tuple
        Value(key="k", value=[HIDDEN], version=1, created=NOW, updated=NOW),
        Receipt(dry_run=True, going=(item("a"),), revived=(item("b"),)),
        EditedValue(key="k", after=Value(key="k", value=HIDDEN, version=1, created=NOW, updated=NOW)),
        Restoration(
            checkpoint=Checkpoint(name="c", seq=1, at=NOW),
            undone=Diff(
                since="c",
                added=(item("a"),),
                changed=(Edited(before=item("b"), after=item("b")),),
                superseded=(item("c"),),
            ),
        ),
    ],
    ids=lambda answer: type(answer).__name__,
)
def test_every_kind_of_answer_is_emptied(answer: Any) -> None:
    assert HIDDEN in repr(plain(answer))
    assert HIDDEN not in repr(plain(withheld(answer)))
