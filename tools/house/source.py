"""The modules of a package: their lines, and the lines of their functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Module:
    """One file of Python; `name` is its path within the package."""

    name: str
    text: str

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def functions(self) -> list[int]:
        """The lines of each function and method, from its decorators to its end."""
        return [_lines(node) for node in ast.walk(ast.parse(self.text)) if isinstance(node, _FUNCTION)]

    def stands_in(self, *places: str) -> bool:
        """Whether it is one of these modules, or within one of these folders."""
        return any(self.name == f"{place}.py" or self.name.startswith(f"{place}/") for place in places)


_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def modules(package: Path) -> Iterator[Module]:
    for path in sorted(package.rglob("*.py")):
        yield Module(path.relative_to(package).as_posix(), path.read_text(encoding="utf-8"))


def percentile(figures: Sequence[int], percent: int) -> int:
    """The smallest figure that so many percent do not exceed."""
    ranked = sorted(figures)
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return (node.end_lineno or node.lineno) - first + 1
