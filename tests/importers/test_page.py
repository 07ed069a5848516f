"""The page and the example say what is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from truekeep.importers import FORMATS
from truekeep.importers.fields import NAMES

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "how-to" / "import-from-elsewhere.md").read_text()


def test_the_page_names_the_versions_that_are_tested() -> None:
    constraints = (ROOT / "frameworks" / "importers.constraints.txt").read_text().lower()
    told = re.findall(r"`([a-z0-9-]+)` (\d[\d.]*\d)", PAGE)

    assert len(told) >= 5
    assert [name for name, version in told if f"\n{name}=={version}\n" not in constraints] == []


def test_the_page_tells_every_format_and_every_name_of_a_field() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    missing = [
        f"{ours}: {theirs}"
        for ours, names in NAMES.items()
        for theirs in names
        if theirs.removesuffix("_id" if ours == "session" else "") not in re.findall(r"\w+", rows[ours])
    ]

    assert [format for format in FORMATS if f"| `{format}` |" not in PAGE] == []
    assert missing == []


def test_the_example_imports_once_and_recalls() -> None:
    example = ROOT / "examples" / "import_from_elsewhere.py"

    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=120, check=True)

    first, second = done.stdout.split("The second import:")
    assert first.count("2 added, 0 unchanged, 0 bad") == 2
    assert second.count("0 added, 2 unchanged, 0 bad") == 2
    assert "Is allergic to peanuts (ana)" in second
