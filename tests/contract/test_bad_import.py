"""Bad lines of an import get an InvalidInput that names the line, and nothing is written."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from truekeep import InvalidInput, Memory

HEADER = json.dumps({"type": "header", "format": "truekeep", "version": 1, "space": "bot"})
TIME = "2026-01-01T12:00:00+00:00"
ITEM: dict[str, Any] = {
    "type": "item",
    "id": "i1",
    "content": "Ben likes coffee",
    "kind": "fact",
    "created": TIME,
    "updated": TIME,
    "when": TIME,
}
VALUE: dict[str, Any] = {"type": "value", "key": "k2", "value": 1, "created": TIME, "updated": TIME}
BAD_ITEMS: list[dict[str, Any]] = [
    {"type": "thing"},
    {"colour": "red"},
    *({"id": value} for value in ("", "x" * 300, None, 5, "a\x00")),
    *({"content": value} for value in ("", None, 5, "\ud800", "\x00", "x" * 70_000)),
    *({"kind": value} for value in ("", None, "Not A Slug")),
    *({"tags": value} for value in ("red", [5], ["t"] * 10_000, {"a": 1}, 5)),
    *({"metadata": value} for value in ([1], "x", {"k": math.nan}, {"k": "\x00"})),
    *({"source": value} for value in (5, {"trust": "god"}, {"name": 5}, {"colour": 1}, {"speaker": "\ud800"})),
    *({"key": value} for value in (5, "", "\ud800", "x" * 300)),
    *({"pinned": value} for value in ("yes", 1, None)),
    *({name: value} for name in ("created", "updated", "when") for value in (None, "x", 5, "2026-01-01T12:00:00")),
    *({name: value} for name in ("until", "retired", "expires") for value in ("x", 5, "2026-01-01T12:00:00")),
    *({"superseded_by": value} for value in (5, "\x00")),
    *({"reason": value} for value in (5, "\ud800")),
    *({name: value} for name in ("version", "reinforced", "accesses") for value in (-1, "1", 1.5, True, None, 10**30)),
    *({"redacted": value} for value in ("abc", [5], 5)),
    {"seq": 5},
]
BAD_VALUES: list[dict[str, Any]] = [
    *({"key": value} for value in ("", None, 5, "\ud800", "x" * 300)),
    {"value": math.nan},
    {"value": "\ud800"},
    {"colour": "red"},
    *({"created": value} for value in ("x", 5, "2026-01-01T12:00:00", None)),
    *({"updated": value} for value in ("x", 5, None)),
    {"expires": 5},
]


@pytest.mark.parametrize(
    "bad",
    [json.dumps(ITEM | change) for change in BAD_ITEMS]
    + [json.dumps(VALUE | change) for change in BAD_VALUES]
    + [json.dumps({"type": "item"}), json.dumps({"type": "value"}), "[]", "5", "null", "{", "x", "[" * 100_000],
    ids=range(len(BAD_ITEMS) + len(BAD_VALUES) + 8),
)
def test_import_names_the_line(memory: Memory, bad: str) -> None:
    good = json.dumps(ITEM | {"id": "i0", "content": "Eve likes cocoa"})
    before = list(memory.export())

    with pytest.raises(InvalidInput, match="line 3"):
        memory.import_([HEADER, good, bad])

    assert list(memory.export()) == before


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [""],
        ["x"],
        [json.dumps(ITEM)],
        [json.dumps({"type": "header", "format": "truekeep", "version": 2})],
        HEADER,
        5,
        [5],
        [HEADER, b"{}"],
        None,
    ],
    ids=range(10),
)
def test_import_as_a_whole(memory: Memory, lines: Any) -> None:
    before = list(memory.export())

    with pytest.raises(InvalidInput, match="line"):
        memory.import_(lines)

    assert list(memory.export()) == before
