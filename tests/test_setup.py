"""The two commands and the pinned environment stay true to what they promise."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
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


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_an_old_python_is_named_before_anything_is_made(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    old = tmp_path / "old-python"
    check = "import sys; sys.version_info = (3, 9, 2); exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.2 || exec "{sys.executable}" -c "{check}" "$2"\n')
    old.chmod(0o755)

    done = subprocess.run(
        ["make", "PYTHON=./old-python", "run"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert done.returncode != 0
    assert "needs Python 3.11 or newer, and ./old-python is Python 3.9.2" in done.stderr
    assert "make PYTHON=" in done.stderr
    assert not (tmp_path / ".venv-run").exists()


def test_the_makefile_and_the_package_want_the_same_python() -> None:
    wanted = re.search(r"version_info < \((\d+), (\d+)\)", MAKEFILE)

    assert wanted
    assert PROJECT["requires-python"] == f">={wanted[1]}.{wanted[2]}"


def test_constraints_pin_every_declared_dependency() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {requirement_name(line) for line in lines if re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)}

    extras = PROJECT["optional-dependencies"]
    declared = {*PROJECT["dependencies"], *extras["server"], *extras["llm"], *extras["testing"], *extras["dev"]}

    assert {requirement_name(requirement) for requirement in declared} - {"truekeep"} <= pinned


def test_constraints_hold_names_and_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()

    strange = [line for line in lines if not re.fullmatch(r"#.*|[\w.-]+==[\w.!+-]+", line)]

    assert strange == []


def test_the_image_installs_the_pinned_versions_and_only_files_whose_hash_is_known() -> None:
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    pinned = {requirement_name(name): version for name, version in pinned.items()}
    text = (ROOT / "requirements-image.txt").read_text().replace(" \\\n   ", "")
    [_, *lines] = text.splitlines()

    found = [re.fullmatch(r"([\w.-]+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)", line) for line in lines]

    versions = {requirement_name(one[1]): one[2] for one in found if one}
    extras = PROJECT["optional-dependencies"]
    declared = {*PROJECT["dependencies"], *extras["server"], *extras["postgres"], "hatchling"}
    assert len(versions) == len(lines)
    assert {requirement_name(requirement) for requirement in declared} <= versions.keys()
    assert {name: version for name, version in versions.items() if pinned.get(name, version) != version} == {}


def test_the_changelog_tells_of_the_present_version() -> None:
    version = re.search(r'"(.+)"', (ROOT / "src/truekeep/_version.py").read_text())

    assert version
    assert f"## [{version[1]}]" in (ROOT / "CHANGELOG.md").read_text()
