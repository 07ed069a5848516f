"""The SQLite store keeps the contract, in a file and in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores.served_contract import ServedStoreContract
from truekeep.ports import Store
from truekeep.stores.sqlite import SqliteStore


class TestInAFile(ServedStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "folder" / "store.db")
        yield store
        store.close()


class TestInMemory(ServedStoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = SqliteStore(":memory:")
        yield store
        store.close()
