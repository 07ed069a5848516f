"""A file is copied into another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stores.migrating_contract import MigratingContract


class TestFromFileToFile(MigratingContract):
    @pytest.fixture
    def source_at(self, tmp_path: Path) -> str:
        return str(tmp_path / "source.db")

    @pytest.fixture
    def target_at(self, tmp_path: Path) -> str:
        return str(tmp_path / "target.db")
