"""The table of frameworks says what the tests of the adapters run against."""

from __future__ import annotations

import re
import tomllib

import pytest

from .frameworks_table import FRAMEWORKS, KNOWN, PIN, README, ROOT, environments, page, pinned

TESTED = [name for name in environments() if (ROOT / "tests" / "frameworks" / name).is_dir()]


def test_the_table_in_the_readme_is_that_of_now() -> None:
    text = README.read_text(encoding="utf-8")

    assert text == page(text), "write it anew: python tests/docs/frameworks_table.py"


def test_every_environment_is_run_and_every_framework_in_it_is_in_the_table() -> None:
    told = {package for framework in KNOWN for package in framework.packages}
    run = re.search(r"^FRAMEWORKS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert run is not None
    assert sorted(run[1].split()) == environments() == TESTED
    assert [(place, name) for place in environments() for name in pinned(place) if (place, name) not in told] == []


@pytest.mark.parametrize("environment", environments())
def test_an_environment_is_pinned_to_the_version_that_it_asks_for_and_names_no_address(environment: str) -> None:
    text = (FRAMEWORKS / f"{environment}.constraints.txt").read_text()
    constraints = dict(PIN.findall(text))

    assert pinned(environment).items() <= constraints.items()
    assert re.search(r"://|^-|@", text, re.MULTILINE) is None


def test_every_framework_has_an_extra_that_admits_what_is_tested_and_a_guide() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    present = [framework for framework in KNOWN if any(pinned(place) for place, _ in framework.packages)]

    assert [framework.extra for framework in present if framework.extra not in extras] == []
    assert [one.guide for one in present if not (ROOT / "docs" / "how-to" / f"{one.guide}.md").exists()] == []
