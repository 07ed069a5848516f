"""Every regular expression of the package: those that stand in its modules, and those that are made when needed."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import truekeep
from truekeep.engine.belief.grammar import _grammar, _phrases
from truekeep.engine.belief.scope import _of_change
from truekeep.engine.hygiene import instructions, makers, named, spans
from truekeep.engine.hygiene.words import NAMES
from truekeep.language import languages
from truekeep.language.gloss import _glossary

# Patterns that a function makes of an argument: what it is called with.
ARGUMENTS: Mapping[Callable[..., Any], Iterable[Any]] = {
    named._before_stem: NAMES,
    named._from_stem: NAMES,
    makers._compiled: [shape.pattern for shape in makers._SHAPES],
    _phrases: languages().values(),
    _glossary: languages().values(),
    _of_change: [_grammar(known) for known in languages().values()],
    spans.made_later: (),  # what it makes stands in the module of its caller
}
_CALLS = frozenset({"search", "match", "fullmatch", "findall", "finditer", "sub", "split"})
_USE = re.compile(rf"\b(\w+)(?:\(\w*\))?\.({'|'.join(_CALLS)})\(")
_DEPTH = 4


def patterns() -> dict[str, re.Pattern[str]]:
    """By where each was found."""
    return {
        where: pattern
        for module in _modules()
        for where, pattern in (*_standing(module), *_made(module), *_inline(module))
        if isinstance(pattern.pattern, str)
    }


def ways(where: str) -> frozenset[str]:
    """How the package uses it: one that only ever matches at the beginning of a text may be dear to search for."""
    if ":" in where:
        return frozenset({where.rpartition(".")[2]})
    module, _, name = where.rpartition(".")
    name = name.partition("[")[0].removesuffix("()")
    uses = _uses()
    return uses.get((module, name)) or uses.get(("", name)) or frozenset({"finditer"})


@cache
def _uses() -> dict[tuple[str, str], frozenset[str]]:
    """What is done with each name, in a module and, for a name that others use, anywhere."""
    used: dict[tuple[str, str], set[str]] = {}
    package = Path(truekeep.__file__).parent
    for path in package.rglob("*.py"):
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for name, call in _USE.findall(path.read_text()):
            used.setdefault((module, name), set()).add(call)
            used.setdefault(("", name), set()).add(call)
    return {name: frozenset(calls) for name, calls in used.items()}


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(truekeep.__path__, "truekeep."):
        if info.name.endswith("__main__"):
            continue
        try:
            yield import_module(info.name)
        except ImportError:  # an adapter whose framework is not here
            continue


def _standing(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for name, value in vars(module).items():
        for number, pattern in enumerate(_within(value, _DEPTH)):
            yield f"{module.__name__}.{name}[{number}]", pattern


def _within(value: object, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, Mapping):
        for inner in value.values():
            yield from _within(inner, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from _within(inner, depth - 1)
    elif depth and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for field in value.__dataclass_fields__:
            yield from _within(getattr(value, field), depth - 1)


def _made(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """By functions that say that they return one, or several; and by `made_later`."""
    for name, function in vars(module).items():
        bare = inspect.unwrap(function) if callable(function) else None
        if isinstance(bare, partial) and bare.func is re.compile:
            yield f"{module.__name__}.{name}()[0]", function()
        if not inspect.isfunction(bare) or bare.__module__ != module.__name__:
            continue
        if "Pattern" not in str(bare.__annotations__.get("return")):
            continue
        for number, pattern in enumerate(_called(function, bare)):
            yield f"{module.__name__}.{name}()[{number}]", pattern


def _called(function: Callable[..., Any], bare: Callable[..., Any]) -> Iterator[re.Pattern[Any]]:
    if function in ARGUMENTS:
        for argument in ARGUMENTS[function]:
            yield from _within(function(argument), _DEPTH)
    elif function is instructions.patterns:
        yield from function(beyond_ascii=True)
    elif not inspect.signature(bare).parameters:
        made = function()
        yield from _within(made if isinstance(made, re.Pattern) else list(made), _DEPTH)
    else:
        raise AssertionError(f"{bare.__module__}.{bare.__name__} makes patterns of what? Say it in ARGUMENTS.")


def _inline(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Patterns that are written where they are used: `re.search(r"...", text)`."""
    path = Path(module.__file__ or "")
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _CALLS
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and isinstance(node.args[0], ast.Constant)
        ):
            yield f"{module.__name__}:{node.lineno}.{node.func.attr}", re.compile(node.args[0].value)
