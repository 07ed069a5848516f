"""Writes docs/reference/api.md from signatures and docstrings, so that the page cannot drift from the code.

python tests/docs/api_page.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "reference" / "api.md"
SOURCE = ROOT / "src" / "truekeep"
RECORDS = [SOURCE / "model" / name for name in ("items.py", "recalls.py", "changes.py", "reports.py")]
WIDTH = 100
HEADINGS = {"Args": "Arguments", "Raises": "Raises"}
INTRODUCTION = """\
# API

This page is written by `tests/docs/api_page.py` from the docstrings. What is not listed here is not public.
"""
ASYNC = """\
## AsyncMemory

The same constructor and the same methods, awaited; see [Use it from async code](../how-to/async.md).
"""


def classes(path: Path) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)}


def public_names() -> list[str]:
    for node in ast.parse((SOURCE / "__init__.py").read_text()).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=names):
                return list(ast.literal_eval(names))
    raise AssertionError("truekeep has no __all__")


def docstring(node: ast.ClassDef | ast.FunctionDef) -> str:
    """The docstring with its Google sections as Markdown lists."""
    plain = re.sub(r"\n {8,}", " ", ast.get_docstring(node) or "")  # an entry that goes on in the next line
    lists = re.sub(r"^ {4}(\S+): ", r"- `\1`: ", plain, flags=re.MULTILINE)
    return re.sub(r"^(Args|Raises):$", lambda heading: f"{HEADINGS[heading[1]]}:\n", lists, flags=re.MULTILINE)


def signature(function: ast.FunctionDef, name: str) -> str:
    """On one line where it fits, otherwise one argument a line; without `self`."""
    returns = "" if function.returns is None or function.name == "__init__" else ast.unparse(function.returns)
    if function.decorator_list:
        return f"{name}: {returns}"  # a property
    arguments = [spaced(part) for part in split(ast.unparse(function.args)) if part not in ("", "self", "/")]
    arrow = f" -> {returns}" if returns else ""
    line = f"{name}({', '.join(arguments)}){arrow}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + f"){arrow}"


def spaced(argument: str) -> str:
    return re.sub(r"^(\w+: [^=]+)=", r"\1 = ", argument)


def split(arguments: str) -> Iterator[str]:
    """Parts between the commas that are not inside brackets."""
    depth = start = 0
    for position, character in enumerate(arguments):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            yield arguments[start:position].strip()
            start = position + 1
    yield arguments[start:].strip()


def methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            yield member


def handle() -> str:
    """The section about `Memory`."""
    memory = classes(SOURCE / "memory.py")["Memory"]
    [made] = [node for node in memory.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    sections = [f"## Memory\n\n```\n{signature(made, 'Memory')}\n```\n\n{docstring(memory)}\n"]
    for method in methods(memory):
        sections.append(f"### {method.name}\n\n```\n{signature(method, method.name)}\n```\n\n{docstring(method)}\n")
    return "\n".join(sections)


def records(path: Path) -> Iterator[str]:
    for name, node in classes(path).items():
        if name in public_names():
            yield record(node, path.read_text().splitlines())


def record(node: ast.ClassDef, source: list[str]) -> str:
    """A dataclass as a table of its fields and properties."""
    rows = []
    for member in node.body:
        match member:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                note = source[member.lineno - 1].partition("  # ")[2]
                rows.append((name, ast.unparse(annotation), note))
            case ast.FunctionDef(name=name, decorator_list=[ast.Name(id="property")]) if member.returns:
                rows.append((name, ast.unparse(member.returns), docstring(member)))
    table = "\n".join(f"| `{name}` | `{kind.replace('|', chr(92) + '|')}` | {note} |" for name, kind, note in rows)
    return f"### {node.name}\n\n{docstring(node)}\n\n| field | type | |\n| --- | --- | --- |\n{table}\n"


def page() -> str:
    errors = [f"`{name}`" for name in classes(SOURCE / "errors.py") if name in public_names()]
    sections = [INTRODUCTION, handle(), ASYNC, "## What comes back\n", *chain(*map(records, RECORDS))]
    sections += ["## What may come in\n", *records(SOURCE / "engine" / "admit.py")]
    return "\n".join([*sections, f"## Errors\n\n{', '.join(errors)}: see [Errors](errors.md).\n"])


if __name__ == "__main__":
    PAGE.write_text(page())
