"""`/docs`: the whole API on a page of our own, that needs nothing from elsewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from html import unescape
from typing import Any

import httpx
import pytest

from tests.docs.openapi_page import document
from truekeep.server.console import docs
from truekeep.server.console.docs import Operation, Word

from .route_cases import CASES, Ask
from .served import OPERATOR, Served, serving

DOCUMENT = document()
OPERATIONS = [operation for operations in docs.groups(DOCUMENT).values() for operation in operations]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), admin_key=OPERATOR, webhooks=["example.org"]) as running:
        yield running


@pytest.fixture(scope="module")
def page(served: Served) -> httpx.Response:
    return httpx.get(f"{served.url}/docs", trust_env=False, timeout=60)  # without a key


def test_everybody_may_read_it_and_its_policy_is_that_of_the_console(page: httpx.Response) -> None:
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in page.headers["content-security-policy"]


def test_nothing_on_it_is_inline_or_comes_from_elsewhere(served: Served, page: httpx.Response) -> None:
    loaded = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="([^"]*)"', page.text)

    assert re.findall(r"<script(?![^>]*\bsrc=)", page.text) == []
    assert re.findall(r"<style|\bstyle=|\bon\w+=", page.text) == []
    assert loaded
    for path in loaded:
        assert path.startswith("/console/static/")
        assert httpx.get(f"{served.url}{path}", trust_env=False).status_code == 200


def test_it_tells_every_operation(page: httpx.Response) -> None:
    told = {unescape(text) for text in re.findall(r"<summary><code>([A-Z]+ [^<]*)</code>", page.text)}

    assert told == {f"{method.upper()} {path}" for path, methods in DOCUMENT["paths"].items() for method in methods}


def test_what_the_document_marks_as_code_is_shown_as_such(page: httpx.Response) -> None:
    assert "<code>Idempotency-Key</code> on" in " ".join(page.text.split())
    assert "`" not in page.text.partition("<nav")[0]


def test_every_link_on_it_leads_somewhere(page: httpx.Response) -> None:
    targets = re.findall(r'\bid="([^"]*)"', page.text)

    assert len(targets) == len(set(targets))
    assert {target for target in re.findall(r'href="#([^"]*)"', page.text)} <= set(targets)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: f"{operation.method} {operation.path}")
def test_an_example_is_a_request_that_the_server_understands(served: Served, operation: Operation) -> None:
    method, path, headers, body = asked(operation)

    is_operators = CASES.get((method, operation.path), Ask()).operator
    with served.caller() if is_operators else served.tenant() as caller:  # a tenant of its own, where nothing is yet
        answer = caller.request(method, path, headers=headers, content=body)

    assert method == operation.method
    assert answer.status_code < 300 or answer.status_code in (404, 409), answer.text  # no such item, key or doubt


def asked(operation: Operation) -> tuple[str, str, dict[str, str], bytes | None]:
    """What curl would send."""
    before, after = operation.example
    program, *words = shlex.split(f"{before}http://server{after}")
    assert program == "curl"
    options: dict[str, list[str]] = {"-X": [], "-H": [], "-d": []}
    addresses = []
    while words:
        word = words.pop(0)
        if word in options:
            options[word].append(words.pop(0))
        else:
            addresses.append(word)
    [address] = addresses
    headers = {name: value for name, _, value in (header.partition(": ") for header in options["-H"])}
    method = options["-X"][0] if options["-X"] else "GET"
    return method, address.removeprefix("http://server"), headers, options["-d"][0].encode() if options["-d"] else None


@pytest.mark.parametrize(
    ("schema", "called"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date-time"}, "date-time"),
        ({"$ref": "#/components/schemas/Problem"}, "Problem"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Problem"}}, "list of Problem"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "object of integer"),
        ({"enum": ["on", "off"], "type": "string"}, '"on" | "off"'),
        ({"const": "ok", "type": "string"}, '"ok"'),
        ({}, "anything"),
    ],
    ids=str,
)
def test_a_type_is_called_in_words(schema: dict[str, Any], called: str) -> None:
    words = docs.words(schema)

    assert "".join(word.text for word in words) == called
    assert [word for word in words if word.schema] == [Word("Problem", "Problem")] * called.count("Problem")
