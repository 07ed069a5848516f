"""Runs the Python blocks of one Markdown page, in order, in one namespace, and checks what the page says comes out.

- A line `expression  # -> text` claims that the expression has this repr (or, for a print, that it prints this line).
- A ```text block right after a ```python block claims what that block prints.
- `...` in a claim stands for anything.

Errors carry the page's own line numbers.
"""

from __future__ import annotations

import ast
import contextlib
import fnmatch
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CLAIM = re.compile(r"  # -> (.+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    line: int  # where the code starts
    code: str
    output: str | None  # what the page says that it prints


def blocks(page: str) -> Iterator[Block]:
    found = list(FENCE.finditer(page))
    for number, fence in enumerate(found):
        if fence[1] != "python":
            continue
        after = found[number + 1] if number + 1 < len(found) else None
        adjacent = after is not None and after[1] == "text" and not page[fence.end() : after.start()].strip()
        line = page.count("\n", 0, fence.start(2)) + 1
        yield Block(line=line, code=fence[2], output=after[2] if after is not None and adjacent else None)


def agrees(claim: str, actual: str) -> bool:
    pattern = "".join(
        "*" if part == "..." else re.sub(r"([*?[])", r"[\1]", part) for part in re.split(r"(\.\.\.)", claim)
    )
    return fnmatch.fnmatchcase(actual.strip(), pattern.strip())


class Claims(ast.NodeTransformer):
    """Wraps each expression that has a claim into a call that checks it, however deeply it is nested."""

    def __init__(self, code: str) -> None:
        found = ((number, CLAIM.search(line)) for number, line in enumerate(code.splitlines(), start=1))
        self.open = {number: claim[1] for number, claim in found if claim}

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        text = self.open.pop(node.end_lineno or 0, None)
        if text is None:
            return node
        arguments = [node.value, ast.Constant(text), ast.Constant(node.end_lineno)]
        check = ast.Call(func=ast.Name(id="__claim__", ctx=ast.Load()), args=arguments, keywords=[])
        return ast.copy_location(ast.Expr(value=check), node)


def run(block: Block, namespace: dict[str, object], name: str) -> None:
    claims = Claims(block.code)
    tree = ast.fix_missing_locations(claims.visit(ast.parse(block.code)))
    assert not claims.open, f"{name}: no expression for the claims {claims.open} of the block at line {block.line}"
    ast.increment_lineno(tree, block.line - 1)
    printed = io.StringIO()

    def check(value: object, claim: str, line: int) -> None:
        actual = (
            (printed.getvalue().splitlines() or [""])[-1] if value is None and "print" in lines[line] else repr(value)
        )
        assert agrees(claim, actual), f"{name}:{block.line + line - 1}: says {claim}, got {actual}"

    lines = ["", *block.code.splitlines()]
    namespace["__claim__"] = check
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
    if block.output is not None:
        assert agrees(block.output, printed.getvalue()), (
            f"{name}:{block.line}: this block printed\n{printed.getvalue()}"
        )


def main(path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(path.read_text()):
        run(block, namespace, path.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
