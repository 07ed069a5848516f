"""Arguments that nobody should accept, by the name of the argument."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from truekeep import Source

NAIVE = datetime(2026, 1, 1)
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]

BAD_TEXT: dict[str, Any] = {
    "empty": "",
    "blank": " \t\n\u2003",
    "a lone surrogate": "tea \ud800",
    "NUL": "tea\x00",
    "bytes": b"tea",
    "a number": 5,
    "a list": ["tea"],
}
BAD_NAMES: dict[str, Any] = {
    **BAD_TEXT,
    "300 characters": "n" * 300,
    "a control character": "a\x07b",
    "a newline": "a\nb",
}
BAD_JSON: dict[str, Any] = {
    "NaN": math.nan,
    "infinity": math.inf,
    "an object": object(),
    "a set": {1},
    "bytes": b"x",
    "a date": datetime(2026, 1, 1, tzinfo=UTC),
    "a lone surrogate": "\udfff",
    "too deep": DEEP,
}
BAD_TTLS: dict[str, Any] = {
    "negative": -1,
    "negative span": timedelta(seconds=-1),
    "zero": 0,
    "NaN": math.nan,
    "infinite": math.inf,
    "too long": 1e300,
    "too long a span": timedelta.max,
    "text": "1h",
    "a flag": True,
}
BAD_TIMES: dict[str, Any] = {
    "naive": NAIVE,
    "text": "2026-01-01",
    "number": 0,
    "out of range in UTC": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
}
BAD_LIMITS: dict[str, Any] = {"0": 0, "negative": -1, "1e9": 10**9, "a float": 1e9, "text": "5", "a flag": True}
BAD_TAGS: dict[str, Any] = {
    "10,000": [f"t{n}" for n in range(10_000)],
    "text": "red",
    "a number": 5,
    "an empty tag": [""],
    "a number as a tag": [5],
    "too long a tag": ["t" * 200],
    "a control character": ["a\x1bb"],
    "a lone surrogate": ["\ud800"],
    "a generator": (tag for tag in "ab"),
}
BAD_KINDS: dict[str, Any] = {
    "capitals": "Fact",
    "blank": "a b",
    "too long": "k" * 65,
    "empty": "",
    "number": 1,
    "NUL": "a\x00",
}

REMEMBER: list[tuple[str, dict[str, Any]]] = [
    ("content", BAD_TEXT | {"more than 64 KiB": "x" * (64 * 1024 + 1), "64 KiB in bytes": "é" * (32 * 1024 + 1)}),
    ("kind", BAD_KINDS),
    ("tags", BAD_TAGS),
    (
        "metadata",
        {name: {"k": value} for name, value in BAD_JSON.items()}
        | {
            "a list": [1],
            "text": "x",
            "a key that is a number": {1: 2},
            "NUL": {"k": "\x00"},
            "too much": {"k": "x" * 70_000},
        },
    ),
    ("session", BAD_NAMES),
    ("speaker", BAD_NAMES),
    (
        "source",
        BAD_NAMES
        | {
            "unknown trust": Source(name="x", trust="god"),  # type: ignore[arg-type]
            "bad role": Source(role="\x00"),
            "bad message": Source(message=5),  # type: ignore[arg-type]
            "unknown field": {"colour": "red"},
        },
    ),
    ("key", BAD_NAMES),
    ("ttl", BAD_TTLS),
    ("pinned", {"number": 1, "text": "yes"}),
    ("when", BAD_TIMES),
    ("idempotency_key", BAD_NAMES),
]
FILTERS: list[tuple[str, dict[str, Any]]] = [
    (
        "kinds",
        {name: [value] for name, value in BAD_KINDS.items()}
        | {"text": "fact", "10,000": [f"k{n}" for n in range(10_000)]},
    ),
    ("tags", {name: value for name, value in BAD_TAGS.items()} | {"zero": 0, "empty text": ""}),
    ("session", BAD_NAMES),
    ("speaker", BAD_NAMES),
    ("source", BAD_NAMES),
]
TIMES_AND_TRUST: list[tuple[str, dict[str, Any]]] = [
    ("since", BAD_TIMES),
    ("until", BAD_TIMES),
    ("as_of", BAD_TIMES),
    ("min_trust", {"unknown": "god", "number": 3, "list": ["user"]}),
    ("include_superseded", {"number": 1, "text": "yes"}),
]


def cases(table: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    return [
        pytest.param(argument, value, id=f"{argument}: {name}")
        for argument, values in table
        for name, value in values.items()
    ]
