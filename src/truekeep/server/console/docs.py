"""`/docs`: the whole API on one page, made here from the OpenAPI document. Nothing of it comes from elsewhere.

It tells operations in groups, each with what it takes, what it answers, and an example.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Request
from starlette.responses import Response

from truekeep.server.desk import desk_of

from . import rendering
from .pages import Pages

pages = Pages("")

ORIGIN = "http://127.0.0.1:8420"  # in examples; docs.js puts in the one that the page came from
_REF = "#/components/schemas/"


@pages.router.get("/docs")
async def docs(request: Request) -> Response:
    page = await desk_of(request).run(lambda: _page(request.app))
    return Response(page, media_type="text/html; charset=utf-8")


@lru_cache(1)
def _page(app: FastAPI) -> bytes:
    """The same for everybody, and made once: whoever asks for it has shown no key."""
    document = app.openapi()
    return rendering.render(
        "docs.html",
        key=None,
        info=document["info"],
        groups=groups(document),
        schemas=sorted(document["components"]["schemas"].items()),
        errors=errors(document),
        origin=ORIGIN,
        words=words,
        content=_content,
        about=_about,
    ).encode()


class Word(NamedTuple):
    """A piece of what a type is called; `schema` leads to where it is described."""

    text: str
    schema: str | None = None


class Operation(NamedTuple):
    """Something that can be asked, and what the document tells of it."""

    method: str
    path: str
    told: Mapping[str, Any]
    example: tuple[str, str]  # a line for a shell: what stands before the address of the server, and after it


def groups(document: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """The operations by their subject, in the order of the document."""
    found: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            example = _example(path, method.upper(), told, document["components"]["schemas"])
            found.setdefault(told["tags"][0], []).append(Operation(method.upper(), path, told, example))
    return found


def errors(document: Mapping[str, Any]) -> list[tuple[int, str, str]]:
    """Status, what it means, and the detail of an example; of those that operations have in common."""
    told = document["components"]["responses"].values()
    examples = [(one["description"], one["content"]["application/problem+json"]["example"]) for one in told]
    return sorted((example["status"], about, example["detail"]) for about, example in examples)


def words(schema: Mapping[str, Any]) -> list[Word]:
    """What a type is called."""
    return list(_words(schema))


def _words(schema: Mapping[str, Any]) -> Iterator[Word]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        yield Word(name, name)
    elif options := schema.get("anyOf") or schema.get("oneOf"):
        for number, option in enumerate(options):
            yield from [Word(" or ")] if number else []
            yield from _words(option)
    elif "enum" in schema or "const" in schema:
        yield Word(" | ".join(json.dumps(one) for one in schema.get("enum", [schema.get("const")])))
    elif schema.get("type") == "array":
        yield Word("list of ")
        yield from _words(schema.get("items", {}))
    elif isinstance(inner := schema.get("additionalProperties"), Mapping):
        yield Word("object of ")
        yield from _words(inner)
    else:
        kind = schema.get("format") or schema.get("type") or "anything"
        yield Word(str(kind))


def _content(told: Mapping[str, Any]) -> list[Word]:
    """The type of a body, or of an answer."""
    return [word for one in told.get("content", {}).values() for word in _words(one.get("schema", {}))]


def _about(said: str, schema: Mapping[str, Any]) -> str:
    """What it means, and what counts where it is left out."""
    default = schema.get("default")
    usual = "" if default in (None, "", [], {}) else f"default: {json.dumps(default)}"
    return "; ".join(part for part in (said, usual) if part)


def _example(path: str, method: str, told: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, str]:
    """The request as a line for a shell. Without a key: none is needed where somebody tries this first."""
    queries = {}
    for parameter in told.get("parameters", ()):
        given = _given(parameter)
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(given, safe=""))
        elif parameter["in"] == "query" and parameter.get("required"):
            queries[parameter["name"]] = given
    address = f"{ORIGIN}{path}{'?' if queries else ''}{urlencode(queries)}"
    line = ["curl", *([] if method == "GET" else ["-X", method]), shlex.quote(address)]
    for media, content in told.get("requestBody", {}).get("content", {}).items():
        line += ["-H", shlex.quote(f"Content-Type: {media}"), "-d", shlex.quote(_body(content, known))]
    before, _, after = " ".join(line).partition(ORIGIN)
    return before, after


def _given(parameter: Mapping[str, Any]) -> str:
    examples = [one["value"] for one in parameter.get("examples", {}).values()] or parameter["schema"].get("examples")
    return str(examples[0]) if examples else str(parameter["name"])


def _body(content: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """What the body may look like: its own example, or the first one of what it may be."""
    if "example" in content:
        example = content["example"]
        return example if isinstance(example, str) else json.dumps(example, ensure_ascii=False)
    first, *_ = content["schema"].get("anyOf", [content["schema"]])
    schema = known[first["$ref"].removeprefix(_REF)] if "$ref" in first else first
    return json.dumps(next(iter(schema.get("examples", [{}]))), ensure_ascii=False)
