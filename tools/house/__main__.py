"""The table: what the house was at the beginning, what it is now, and what it shall become.

It measures the package that is imported; that of another commit with `PYTHONPATH=<its tree>/src`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .duplicates import duplicated
from .hops import PACKAGE, Trace, traced
from .source import Module, modules, percentile

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "design.md"
HEADINGS = ("the package", "at the beginning", "now", "goal")
# The model as JSON: what spells out its fields for more than one caller.
SHAPES = ("wire", "server/schemas", "server/openapi", "remote/bodies")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.house", description="Measure the package.")
    parser.add_argument("--hops", action="store_true", help="also print the deepest chain of each call")
    parser.add_argument("--twins", action="store_true", help="also print which modules hold lines of others")
    parser.add_argument("--write", action="store_true", help="also put the table into docs/explanation/design.md")
    wanted = parser.parse_args()
    found, traces = list(modules(PACKAGE)), traced()
    twins = duplicated(found)
    table = drawn(rows(found, traces, twins))
    print(table)
    for name, trace in traces.items() if wanted.hops else ():
        print(f"\n{name}", *trace.deepest, sep="\n  ")
    if wanted.twins:
        print("", *(f"{len(twins[name]):4} lines of {name}" for name in sorted(twins)), sep="\n")
    if wanted.write:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")


def rows(
    found: Sequence[Module], traces: Mapping[str, Trace], twins: Mapping[str, set[int]]
) -> Iterator[tuple[str, str, str, str]]:
    """What is measured, then its figure at the beginning (commit dfd9b6a), now, and the goal."""
    functions = [length for module in found for length in module.functions]
    remember, recall = traces["remember"], traces["recall"]
    yield "modules", "469", f"{len(found)}", "≤ 300"
    yield "lines", "56,641", _lines(found), "≤ 36,000"
    yield "lines of `stores/`", "7,429", _lines(found, "stores"), "≤ 4,800"
    yield "lines that spell out shapes", "1,355", _lines(found, *SHAPES), "≤ 700"
    yield "lines of `testing/`", "5,582", _lines(found, "testing"), "≤ 1,300"
    yield "lines of a module", "105, 234, 561", _spread([module.lines for module in found]), ""
    yield "lines of a function", "6, 16, 58", _spread(functions), ""
    yield "lines that stand in two modules", "621", f"{sum(map(len, twins.values())):,}", ""
    yield "hops of `remember`", "17", f"{remember.hops}", "≤ 11"
    yield "modules that it runs through", "59", f"{len(remember.modules)}", ""
    yield "hops of `recall`", "14", f"{recall.hops}", "≤ 10"
    yield "modules that it runs through", "35", f"{len(recall.modules)}", ""


def drawn(rows: Iterator[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in (HEADINGS, ("---",) * 4, *rows))


def replaced(page: str, table: str) -> str:
    """The page with this table in the place of its own."""
    return re.sub(rf"^\| {HEADINGS[0]} \|(?:.*\n)(?:\|.*\n)*", lambda _: f"{table}\n", page, flags=re.MULTILINE)


def _lines(found: Sequence[Module], *places: str) -> str:
    return f"{sum(module.lines for module in found if not places or module.stands_in(*places)):,}"


def _spread(figures: Sequence[int]) -> str:
    return f"{percentile(figures, 50)}, {percentile(figures, 90)}, {max(figures)}"


if __name__ == "__main__":
    main()
