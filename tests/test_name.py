"""Whether `pip install` and `npm install` of our name give our product. Asked only by `make check-name`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.skipif("TEST_TRUEKEEP_NAME" not in os.environ, reason="make check-name asks the registries")

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Whatever Python a release asks for: pip says "none" about one that is not for this interpreter.
ANY = ("--disable-pip-version-check", "--ignore-requires-python", "--no-color")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_name_is_free_or_ours_for_python(tmp_path: Path) -> None:
    known = run(sys.executable, "-m", "pip", "index", "versions", *ANY, PROJECT["name"])
    if "No matching distribution found" in known.stderr:
        return
    assert known.returncode == 0, known.stderr

    run(sys.executable, "-m", "pip", "download", "--no-deps", *ANY, "--dest", str(tmp_path), PROJECT["name"])

    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        described = HeaderParser().parsestr(archive.read(name).decode())
    assert described["Summary"] == PROJECT["description"], f"{PROJECT['name']} is somebody else's: {known.stdout}"


@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm here")
def test_the_name_is_free_or_ours_for_node() -> None:
    known = json.loads(run("npm", "view", "--json", PROJECT["name"]).stdout)

    free = known.get("error", {}).get("code") == "E404"
    assert free or known["description"] == PROJECT["description"], f"{PROJECT['name']} is somebody else's"
