"""What a page imports, and whether the install line that it prints brings that.

An environment of ours holds several frameworks. So the imports of a page run in a process in which only what the extra
asks for, and what that asks for in turn, can be imported.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.docs.run_page import FENCE

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
INSTALL = re.compile(r"pip install '\.\[([a-z0-9,-]+)\]'")
HIDING = """
import sys

class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"the install line does not bring {name}", name=name)

sys.meta_path.insert(0, Hiding())
"""


def pages(*extras: str) -> list[str]:
    """The pages that print an install line with one of these extras."""
    how_to = sorted((ROOT / "docs" / "how-to").glob("*.md"))
    return [page.name for page in how_to if {*asked_for(page.read_text())} & {*extras}]


def asked_for(page: str) -> list[str]:
    found = INSTALL.search(page)
    return found[1].split(",") if found else []


def import_problem(name: str) -> str:
    """What stops the imports of a page where nothing but its install line was carried out; empty if nothing does."""
    page = (ROOT / "docs" / "how-to" / name).read_text()
    program = f"hidden = {sorted(_hidden(asked_for(page)))}\n{HIDING}\n{_imports(page)}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, capture_output=True, text=True, timeout=120
    )
    return "" if done.returncode == 0 else done.stderr


def _imports(page: str) -> str:
    """The imports of all blocks, also of those that are only shown because they need a key."""
    trees = [ast.parse(fence[2]) for fence in FENCE.finditer(page) if fence[1] in ("python", "py")]
    found = [node for tree in trees for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return "\n".join(ast.unparse(node) for node in found)


def _hidden(extras: list[str]) -> set[str]:
    brought = _brought(
        [*PROJECT["dependencies"], *(line for one in extras for line in PROJECT["optional-dependencies"][one])]
    )
    ours = {"truekeep", *brought}
    return {
        module
        for module, distributions in packages_distributions().items()
        if not ours & {canonicalize_name(distribution) for distribution in distributions}
    }


def _brought(lines: list[str]) -> set[str]:
    """The distributions that these requirements install, and those that they need in turn."""
    open_ones, seen, found = [Requirement(line) for line in lines], set(), set()
    while open_ones:
        asked = open_ones.pop()
        name = canonicalize_name(asked.name)
        if (name, *sorted(asked.extras)) in seen:
            continue
        seen.add((name, *sorted(asked.extras)))
        found.add(name)
        for line in _needs(name):
            need = Requirement(line)
            if need.marker is None or any(need.marker.evaluate({"extra": one}) for one in ("", *asked.extras)):
                open_ones.append(need)
    return found


def _needs(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []
