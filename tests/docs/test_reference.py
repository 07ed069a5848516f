"""The reference pages say what the code says."""

from __future__ import annotations

import dataclasses
import re
import sqlite3
from pathlib import Path

import pytest

import truekeep
from truekeep import Memory, errors, model
from truekeep.engine.admit import Limits
from truekeep.server.settings import ServerSettings
from truekeep.testing.fakes import FakeEmbedder

from .api_page import PAGE, ROOT, page

REFERENCE = ROOT / "docs" / "reference"


def test_the_api_page_is_written_from_the_docstrings_of_now() -> None:
    assert PAGE.read_text() == page(), "write it anew: python tests/docs/api_page.py"


def test_the_api_page_tells_every_public_name() -> None:
    headings = set(re.findall(r"^#+ (\w+)$", PAGE.read_text(), re.MULTILINE))

    assert set(truekeep.__all__) - headings - set(errors.__all__) == {"__version__"}


def test_the_errors_page_tells_of_every_error() -> None:
    told = (REFERENCE / "errors.md").read_text()

    assert [name for name in errors.__all__ if name not in told] == []


def test_the_vocabulary_tells_of_every_kind_and_level_of_trust() -> None:
    told = (REFERENCE / "vocabulary.md").read_text()

    assert [word for word in (*model.KINDS, *model.TRUST_LEVELS) if f"`{word}`" not in told] == []


@pytest.mark.parametrize("limit", dataclasses.fields(Limits), ids=lambda field: field.name)
def test_the_limits_page_tells_every_limit(limit: dataclasses.Field[int]) -> None:
    cells = re.findall(r"\| ([\d,]+)", (REFERENCE / "limits.md").read_text())

    assert f"{limit.default:,}" in cells


def test_the_settings_page_tells_every_variable() -> None:
    read = set(re.findall(r"TRUEKEEP_[A-Z_]+", (ROOT / "src" / "truekeep" / "settings.py").read_text()))
    told = set(re.findall(r"^\| `(TRUEKEEP_\w+)`", (REFERENCE / "settings.md").read_text(), re.MULTILINE))

    assert told == read


def test_the_settings_page_tells_every_setting_of_the_server() -> None:
    told = set(re.findall(r"`([a-z_]+)`", (REFERENCE / "settings.md").read_text()))

    assert ServerSettings.model_fields.keys() - told == set()


def test_the_page_of_the_sqlite_file_tells_every_column_of_the_view(tmp_path: Path) -> None:
    told = re.findall(r"^\| (`.+`) \| [^|]+ \|$", (REFERENCE / "sqlite-file.md").read_text(), re.MULTILINE)
    Memory("bot", at=tmp_path / "notes.db", embedder=FakeEmbedder(), background=False).close()

    with sqlite3.connect(tmp_path / "notes.db") as database:
        columns = [name for (name,) in database.execute("SELECT name FROM pragma_table_info('memories')")]
    database.close()

    assert re.findall(r"`(\w+)`", " ".join(told)) == columns


def test_the_map_in_the_design_is_the_tree() -> None:
    rows = re.findall(
        r"^\| `(\w+(?:/|\.py))` \|", (ROOT / "docs" / "explanation" / "design.md").read_text(), re.MULTILINE
    )
    tree = [
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / "src" / "truekeep").iterdir()
        if not path.name.startswith("_") and (path.is_dir() or path.suffix == ".py")
    ]

    assert sorted(rows) == sorted(tree)
