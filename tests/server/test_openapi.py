"""The OpenAPI document is complete, is what the server shows, and changes only with the reviewed file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.docs.openapi_page import PAGE, document, page

from .route_cases import CASES
from .served import Served

DOCUMENT = document()
OPERATIONS = [
    pytest.param(operation, id=f"{method.upper()} {path}")
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]


def test_the_reviewed_file_is_the_document_of_now() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "review and write it anew: python tests/docs/openapi_page.py"


def test_the_server_shows_it(served: Served) -> None:
    shown = httpx.get(f"{served.url}/openapi.json", trust_env=False)

    assert shown.json() == DOCUMENT


def test_every_route_is_documented() -> None:
    told = {(method.upper(), path) for path, operations in DOCUMENT["paths"].items() for method in operations}
    there = {(method, path.replace(":path}", "}")) for method, path in CASES if path != "/openapi.json"}

    assert told == there


def test_operations_have_ids_of_their_own() -> None:
    ids = [operation["operationId"] for operations in DOCUMENT["paths"].values() for operation in operations.values()]

    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_tells_what_it_does_and_what_can_go_wrong(operation: dict[str, Any]) -> None:
    public = operation.get("security") == []

    assert operation["summary"]
    assert len(operation["tags"]) == 1
    assert public or {"400", "401", "403", "422", "503"} <= operation["responses"].keys()
    assert any(status.startswith("2") for status in operation["responses"])
    for status, given in operation["responses"].items():
        response = resolved(given)
        assert response["description"]
        if not status.startswith("2"):
            problem = response["content"]["application/problem+json"]
            assert problem["schema"] == {"$ref": "#/components/schemas/Problem"}
            assert problem["example"]["status"] == int(status)
    for parameter in operation.get("parameters", ()):
        assert "null" not in str(parameter["schema"].get("type"))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_body_comes_with_an_example_and_says_how_large_it_may_be(operation: dict[str, Any]) -> None:
    if "requestBody" not in operation:
        return

    [content] = operation["requestBody"]["content"].values()

    assert "413" in operation["responses"]
    assert all(examples_of(schema) for schema in options(content["schema"])) or "example" in content


def options(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for option in schema.get("anyOf", [schema]):
        yield resolved(option)


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    found: Any = DOCUMENT
    for step in schema["$ref"].split("/")[1:] if "$ref" in schema else ():
        found = found[step]
    return schema if found is DOCUMENT else dict(found)


def examples_of(schema: dict[str, Any]) -> list[Any]:
    examples: list[Any] = schema.get("examples", [])
    return examples


def test_every_reference_leads_somewhere() -> None:
    found = set(references(DOCUMENT))

    there = {
        f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in DOCUMENT["components"][kind]
    }
    assert found == there


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_a_key_can_be_sent_in_three_ways_and_none_is_needed_where_there_are_none() -> None:
    assert DOCUMENT["components"]["securitySchemes"].keys() == {"bearer", "header", "basic"}
    assert DOCUMENT["security"] == [{"bearer": []}, {"header": []}, {"basic": []}, {}]
