"""The two commands and the pinned environment stay true to what they promise."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def requirement_name(requirement: str) -> str:
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0].lower().replace("_", "-")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_every_make_command_in_the_pages_exists(page: str) -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", (ROOT / page).read_text(), re.MULTILINE))

    assert named
    assert named <= targets()


def test_every_target_says_what_it_does() -> None:
    explained = set(re.findall(r"^([a-z-]+):.*## \S", MAKEFILE, re.MULTILINE))

    assert explained == targets()


def test_every_target_is_documented_for_contributors() -> None:
    documented = set(re.findall(r"`make ([a-z-]+)`", (ROOT / "CONTRIBUTING.md").read_text()))

    assert documented == targets()


def test_constraints_pin_every_declared_dependency() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {requirement_name(line) for line in lines if re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)}

    extras = PROJECT["optional-dependencies"]
    declared = {*PROJECT["dependencies"], *extras["server"], *extras["llm"], *extras["dev"]}

    assert {requirement_name(requirement) for requirement in declared} - {"truekeep"} <= pinned


def test_constraints_hold_names_and_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()

    strange = [line for line in lines if not re.fullmatch(r"#.*|[\w.-]+==[\w.!+-]+", line)]

    assert strange == []


def test_the_changelog_tells_of_the_present_version() -> None:
    version = re.search(r'"(.+)"', (ROOT / "src/truekeep/_version.py").read_text())

    assert version
    assert f"## [{version[1]}]" in (ROOT / "CHANGELOG.md").read_text()
