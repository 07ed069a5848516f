"""The exchanges of the REST page happen as it says, and it tells every operation."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.run_page import agrees
from truekeep.server import problems

from .route_cases import NATIVE
from .served import serving

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "rest.md"
BLOCK = re.compile(r"^```http\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Part(NamedTuple):
    """A request or an answer."""

    line: str
    headers: dict[str, str]
    body: str


def part(block: str) -> Part:
    head, _, body = block.partition("\n\n")
    line, *headers = head.strip().split("\n")
    pairs = (header.split(": ", 1) for header in headers)
    return Part(line, {name: value for name, value in pairs}, body.strip())


def exchanges() -> list[tuple[Part, Part]]:
    parts = [part(block) for block in BLOCK.findall(PAGE.read_text())]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_the_exchanges_of_the_page_happen_as_it_says(tmp_path: Path) -> None:
    with serving(tmp_path) as running, running.caller(None) as caller:
        for asked, told in exchanges():
            method, path = asked.line.split(" ")

            answer = caller.request(method, path, content=asked.body or None, headers=asked.headers)

            assert told.line == f"HTTP/1.1 {answer.status_code} {answer.reason_phrase}", answer.text
            assert {name: answer.headers.get(name) for name in told.headers} == told.headers
            actual = json.dumps(answer.json(), ensure_ascii=False)
            assert agrees(told.body, actual), f"{asked.line} answered {actual}"


def test_there_are_exchanges() -> None:
    assert len(exchanges()) > 5


@pytest.mark.parametrize("route", [route for route in NATIVE if route[1] != "/openapi.json"], ids=" ".join)
def test_the_page_tells_every_operation(route: tuple[str, str]) -> None:
    method, path = route
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("|") and f"`{path}`" in line]

    assert [row for row in rows if method in row.split("|")[1]]


def test_the_page_tells_every_problem() -> None:

    rows = re.findall(r"^\| (\d{3}) \| (.+?) \|", PAGE.read_text(), re.MULTILINE)
    told = {(int(status), slug) for status, slugs in rows for slug in re.findall(r"`([\w-]+)`", slugs)}
    ours = {(error.status, error.slug) for error in problems.Refused.__subclasses__()} | {(400, "malformed")}

    assert told == {*ours, *problems.STATUS.values(), (405, "method-not-allowed")}
