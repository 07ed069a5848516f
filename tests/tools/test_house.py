"""`make house` measures the package, and the page keeps what it printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tools.house.__main__ import HEADINGS, PAGE, replaced
from tools.house.duplicates import duplicated
from tools.house.source import Module, percentile

ROOT = Path(__file__).parents[2]
SUM = "def total(prices):\n" + "    for price in prices:\n        add(price, 7)\n" * 8
SAME = SUM.replace("price", "cost").replace("):", "):  # of all")
OTHER = SUM.replace("7", "8")


def table(text: str) -> list[list[str]]:
    """The cells of the table, but for the figures of now: they move with every commit."""
    lines = text[text.index(f"| {HEADINGS[0]} |") :].split("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [[what, beginning, goal] for what, beginning, _, goal in cells]


def test_the_page_keeps_the_table_that_is_printed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.house", "--hops", "--twins"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    assert table(done.stdout) == table(PAGE.read_text(encoding="utf-8"))
    assert "memory.py: recall" in done.stdout
    assert re.search(r"^ *\d+ lines of \w.*\.py$", done.stdout, re.MULTILINE)


def test_only_the_table_of_a_page_is_replaced() -> None:
    page = f"before\n\n| {HEADINGS[0]} | old |\n| --- | --- |\n| 1 | 2 |\n\n| another | one |\n"

    assert replaced(page, "| new |") == "before\n\n| new |\n\n| another | one |\n"


def test_a_twin_that_calls_things_differently_is_found() -> None:
    found = duplicated([Module("a.py", SUM), Module("b.py", SAME)])

    assert found == {"a.py": set(range(1, 18)), "b.py": set(range(1, 18))}


def test_other_figures_make_no_twin() -> None:
    assert duplicated([Module("a.py", SUM), Module("b.py", OTHER)]) == {}


def test_a_function_is_measured_with_its_decorators() -> None:
    module = Module("a.py", "@cache\ndef one():\n    return 1\n\n\nclass A:\n    def two(self): ...\n")

    assert (module.lines, module.functions) == (7, [3, 1])


def test_a_percentile_is_a_figure_that_occurs() -> None:
    assert [percentile([4, 1, 3, 2], percent) for percent in (0, 50, 90, 100)] == [1, 2, 4, 4]
