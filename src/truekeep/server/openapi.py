"""The OpenAPI document: FastAPI's own, and with it the bodies, the problems and the keys."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from truekeep import __version__

from . import answers
from .documented import BODIES, ERRORS, REF, error


def openapi(app: FastAPI) -> dict[str, Any]:
    """The complete document, made once."""
    if app.openapi_schema:
        return app.openapi_schema
    document = get_openapi(
        title="Truekeep",
        version=__version__,
        summary="Persistent memory for AI agents",
        description=_DESCRIPTION,
        routes=app.routes,
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    models = [(model, "validation") for model in BODIES.values()] + [(answers.Problem, "serialization")]
    _, found = models_json_schema(models, ref_template=REF)  # type: ignore[arg-type]  # literals, see above
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= found["$defs"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    document["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "Authorization: Bearer tk_..."},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "basic": {"type": "http", "scheme": "basic", "description": "the key is the password"},
    }
    document["components"]["responses"] = {slug: error(code) for code, (slug, _, _) in ERRORS.items()}
    for operations in document["paths"].values():
        for operation in operations.values():
            _tidy(operation)
    document["security"] = [{"bearer": []}, {"header": []}, {"basic": []}, {}]
    app.openapi_schema = document
    return document


def _tidy(operation: dict[str, Any]) -> None:
    """Say what all operations have in common by reference, and what no parameter can be not at all."""
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _given(parameter["schema"])
    responses = operation["responses"]
    for code, (slug, _, _) in ERRORS.items():
        if responses.get(str(code)) == error(code):
            responses[str(code)] = {"$ref": f"#/components/responses/{slug}"}


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    """What a parameter looks like where there is one; in an address or a header nothing is null."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) != 1:
        return schema
    return {**options[0], **{name: value for name, value in schema.items() if name != "anyOf"}}


_DESCRIPTION = """A memory that a whole fleet shares. Every error is an RFC 9457 problem that carries `detail`.

Names in paths (spaces, ids, keys) are percent-encoded as one segment, slashes included. Times are ISO 8601 with their
zone. `Idempotency-Key` on a write makes its retry safe. Without any key configured the server answers on loopback
only, as the tenant `local`."""
