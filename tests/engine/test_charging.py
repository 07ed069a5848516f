"""No recipe writes past its quotas."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import truekeep.engine
from truekeep.ports import Store

ENGINE = Path(truekeep.engine.__file__).parent
ASKED = {
    name: {word.name for word in inspect.signature(method).parameters.values() if word.kind == word.KEYWORD_ONLY}
    & {"charge", "job"}
    for name, method in inspect.getmembers(Store, inspect.isfunction)
}


def silent_about_it(tree: ast.AST) -> Iterator[str]:
    """Calls of a store that do not say what is charged, or on behalf of which job they are made."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="store") | ast.Name(id="store"), attr=name)):
                if not ASKED.get(name, set()) <= {word.arg for word in node.keywords}:
                    yield f"{ast.unparse(node.func)}, line {node.lineno}"


def test_every_recipe_says_what_its_writes_are_charged_against() -> None:
    found = {
        path.name: said for path in ENGINE.rglob("*.py") if (said := list(silent_about_it(ast.parse(path.read_text()))))
    }

    assert found == {}


@pytest.mark.parametrize("call", ["parts.store.apply(space, change, based_on=0, charge=None)", "store.add_job(job)"])
def test_one_that_does_not_is_found(call: str) -> None:
    assert list(silent_about_it(ast.parse(call)))
