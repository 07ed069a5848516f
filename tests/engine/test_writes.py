"""No recipe writes past its quotas."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import truekeep.engine
from truekeep.engine.writes import Writes
from truekeep.ports import Store

ENGINE = Path(truekeep.engine.__file__).parent
CHARGED = {
    name
    for name, method in inspect.getmembers(Store, inspect.isfunction)
    if "charge" in inspect.signature(method).parameters
}


def writes_past_it(tree: ast.AST) -> Iterator[str]:
    """Calls of a method that is charged for on anything but `writes`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="writes") | ast.Name(id="writes"))):
                continue
            case ast.Call(func=ast.Attribute(attr=name)) if name in CHARGED:
                yield f"{ast.unparse(node.func)}, line {node.lineno}"


def test_all_that_a_store_charges_for_can_be_written() -> None:
    offered = {name for name, _ in inspect.getmembers(Writes, inspect.isfunction) if not name.startswith("_")}

    assert offered == CHARGED


def test_no_recipe_writes_past_its_quotas() -> None:
    modules = [path for path in ENGINE.rglob("*.py") if path.name != "writes.py"]

    found = {path.name: past for path in modules if (past := list(writes_past_it(ast.parse(path.read_text()))))}

    assert found == {}
