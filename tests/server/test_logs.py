"""What a server process logs, and what it never does."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

from truekeep.errors import StoreError
from truekeep.server.logs import OfTheRequest, PlainLines, Seldom, begin, note

from .processes import running

KEY = "tk_canary-of-the-operators-key"


def test_logs_are_json_lines_with_request_ids_and_no_words_of_anybody(tmp_path: Path) -> None:
    canary = "canary"
    with running(tmp_path, TRUEKEEP_ADMIN_KEY=KEY, TRUEKEEP_LOG_LEVEL="debug") as server:
        ids = [
            server.ask(method, path, key=key, headers={"X-Request-ID": f"asked-{number}"}, **more).headers[
                "x-request-id"
            ]
            for number, (method, path, key, more) in enumerate(_talk(canary))
        ]
        own = server.ask("GET", "/health", headers={"X-Request-ID": f"{canary} with spaces"}).headers["x-request-id"]
        server.end()

        lines = [json.loads(line) for line in server.log.splitlines()]
        answered = [line for line in lines if line["message"] == "answered"]
    assert ids == [f"asked-{number}" for number in range(len(ids))]
    assert {line["request_id"] for line in answered} >= {*ids, own}
    assert all({"time", "level", "logger", "method", "route", "status", "ms"} <= line.keys() for line in answered)
    assert all(line["status"] < 500 for line in answered)
    of_spaces = [line for line in answered if line["route"].startswith("/v1/spaces/{space}")]
    known = [
        line for line in of_spaces if line["request_id"] != "asked-10"
    ]  # its query is refused unseen, like its key
    assert {(line["tenant"], line["key"]) for line in known} == {("local", "operator")}
    assert {line.get("reason") for line in known if line["status"] < 300} == {None}
    assert {"invalid-input", "malformed", "not-found"} <= {line.get("reason") for line in known}
    assert {line["reason"] for line in answered if line["status"] == 401} == {"unauthorized"}
    assert canary not in json.dumps(lines)


def test_a_plain_line_tells_how_grave_it_is_and_which_request_it_was() -> None:
    record = logging.LogRecord("truekeep.server", logging.ERROR, "gate.py", 1, "failed: %s", ("KeyError",), None)
    record.request_id = "asked-1"

    line = PlainLines().format(record)

    assert line.partition("  ")[2] == "error: failed: KeyError (request asked-1)"


def _record(level: int, name: str = "truekeep.server", **extra: object) -> logging.LogRecord:
    record = logging.LogRecord(name, level, "somewhere.py", 1, "something happened", (), None)
    record.__dict__.update(extra)
    return record


def test_what_is_away_is_told_once_a_second_with_how_often_it_was_met() -> None:
    now = 0.0
    seldom = Seldom(lambda: now)
    away = StoreError("the database is away", retryable=True)

    told = []
    for now in (0.0, 0.1, 0.5, 0.9, 1.1, 1.2, 3.0):
        record = _record(logging.ERROR, error=away)
        told.append((now, getattr(record, "more", 0)) if seldom.filter(record) else None)

    assert [one for one in told if one] == [(0.0, 0), (1.1, 3), (3.0, 1)]
    assert not seldom.filter(_record(logging.WARNING, "psycopg.pool"))
    assert seldom.filter(_record(logging.ERROR, error=StoreError("the file is damaged")))
    assert seldom.filter(_record(logging.ERROR))


def test_a_line_of_a_request_says_whose_it_is_in_every_thread() -> None:
    known = begin("asked-1")

    def work() -> logging.LogRecord:
        note(tenant="acme", key="k-1")
        record = _record(logging.ERROR)
        OfTheRequest().filter(record)
        return record

    with ThreadPoolExecutor(1) as threads:
        record = threads.submit(copy_context().run, work).result()

    assert known == {"request_id": "asked-1", "tenant": "acme", "key": "k-1"}
    assert known.items() <= record.__dict__.items()


def _talk(canary: str) -> Iterator[tuple[str, str, str | None, dict[str, object]]]:
    """Requests that go well and that fail, with the canary wherever a caller can put words."""
    space = f"/v1/spaces/{canary}-space"
    content = {"content": f"the {canary} is in the memory", "tags": [canary], "session": canary, "source": canary}
    yield "POST", f"{space}/memories", KEY, {"json": content}
    yield "POST", f"{space}/memories", KEY, {"json": {"content": 5, canary: 1}}
    yield "POST", f"{space}/memories", KEY, {"content": f'{{"content": "{canary}'}
    yield "POST", f"{space}/memories", KEY, {"content": b'{"content": "canary \xff"}'}
    yield "POST", f"{space}/recall", KEY, {"json": {"query": f"where is the {canary}?"}}
    yield "POST", f"{space}/context", KEY, {"json": {"query": f"where is the {canary}?", "template": canary}}
    yield "POST", f"{space}/extract?wait=true", KEY, {"json": {"messages": f"Ana: I prefer the {canary}."}}
    yield "POST", f"{space}/extract", KEY, {"json": {"messages": f"Ana: I hate the {canary}.", "session": canary}}
    yield "PUT", f"{space}/values/{canary}", KEY, {"json": {"value": {canary: canary}}}
    yield "POST", f"{space}/values/{canary}/append", KEY, {"json": {"element": canary}}
    yield "GET", f"{space}/memories?cursor={canary}&tags={canary}", KEY, {}
    yield "GET", f"{space}/memories/{canary}", KEY, {}
    yield "GET", f"/{canary}/{canary}?q={canary}", KEY, {}
    yield "GET", "/v1/spaces", f"tk_{canary}", {}
    yield "POST", "/v1/keys", KEY, {"json": {"name": canary}}
    yield "GET", f"/memory/{canary}/{canary}", KEY, {}
    yield "GET", f"/v1/memory/recall?q={canary}", KEY, {}
    yield "POST", f"{space}/import", KEY, {"content": f"{canary}\n"}
    yield "GET", f"{space}/export", KEY, {}
    yield "DELETE", space, KEY, {}
