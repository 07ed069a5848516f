"""Whatever a source holds: records come out, or an error that says what is wrong with it."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep import InvalidInput
from truekeep.importers import Entry, LeftOut, Statement, read

from . import stores

NAMES = ["content", "text", "memory", "data", "when", "created_at", "updated_at", "expires", "expiration_date", "tags"]
NAMES += ["metadata", "role", "speaker", "user_id", "kind", "categories", "id", "results", "docstore", "memory_type"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("2025-03-01")
KEYS = st.sampled_from(NAMES) | st.text(max_size=3)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


def take_all(format: str, path: Path) -> None:
    with suppress(InvalidInput):
        for record in read(format, path):
            assert isinstance(record, Statement | Entry | LeftOut)


@settings(deadline=None)
@given(JSON)
def test_any_json_is_read_or_refused(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file.json"
        for told in (value, [value], {"text": value, "when": value}):
            file.write_text(json.dumps(told))
            take_all("jsonl", file)
            take_all("mem0", file)
            for format in ("claude-code", "codex", "chatgpt", "claude"):
                take_all(format, file)


@settings(deadline=None)
@given(JSON)
def test_any_message_is_read(value: Any) -> None:
    message = {"uuid": "1", "sender": "human", "content": value, "author": {"role": "user"}, "text": value}
    talks = [{"chat_messages": [message, value], "mapping": {"a": {"message": message, "parent": value}, "b": value}}]
    line = {"type": "user", "message": message, "payload": {**message, "type": "message"}, "timestamp": value}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file.json"
        for told, formats in ((talks, ("chatgpt", "claude")), (line, ("claude-code", "codex"))):
            file.write_text(json.dumps(told))
            for format in formats:
                take_all(format, file)


@settings(deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_bytes(data)
        for format in (
            "jsonl",
            "csv",
            "markdown",
            "mem0",
            "chroma",
            "langgraph",
            "teachability",
            "claude-code",
            "claude",
        ):
            take_all(format, file)


@settings(deadline=None)
@given(st.text(alphabet="#-*+ \n`~=<!>1.)[]:ab\t", max_size=60))
def test_any_page_is_read(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.md"
        file.write_text(text)

        assert all(isinstance(record, Statement | LeftOut) for record in read("markdown", file))


@settings(deadline=None)
@given(st.lists(JSON, min_size=1, max_size=3))
def test_any_value_of_langgraph_and_any_payload_of_qdrant_are_read(values: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [("a", str(number), value, None) for number, value in enumerate(values)]
        take_all("langgraph", stores.langgraph(Path(folder) / "store.db", *rows))
        payloads = [value if isinstance(value, dict) else {"data": value} for value in values]
        points = [stores.point(str(number), payload) for number, payload in enumerate(payloads)]
        take_all("mem0", stores.qdrant(Path(folder) / "qdrant", *points))


@pytest.mark.parametrize("format", ["chroma", "langgraph", "mem0"])
@settings(deadline=None)
@given(data=st.data())
def test_a_damaged_database_is_read_or_refused(format: str, data: st.DataObject) -> None:
    name, sound = sound_database(format)
    damaged = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(damaged)
        take_all(format, Path(folder) / name)


@cache
def sound_database(format: str) -> tuple[str, bytes]:
    """Its name and its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "store"
        match format:
            case "chroma":
                file = stores.chroma(place, {"7": "Ana naps", "8": "Bob sings"}, {"n": 1}) / "chroma.sqlite3"
            case "langgraph":
                file = stores.langgraph(place, ("a", "1", {"text": "Ana naps"}, None), ("a", "2", {"n": 1}, None))
            case _:
                points = [stores.point("a", {"data": "Ana naps"})]
                file = stores.qdrant(place, *points) / "collection" / "mem0" / "storage.sqlite"
        return file.name, file.read_bytes()
