"""The SQLite store keeps the contract, in a file and in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from truekeep.ports import Store
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.store_contract import StoreContract


class TestInAFile(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "folder" / "store.db")
        yield store
        store.close()


class TestInMemory(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = SqliteStore(":memory:")
        yield store
        store.close()
