"""The ledger keeps the contract of a store over any driver: here over one of plain dictionaries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stores.dictionaries import DictStore
from tests.stores.served_contract import ServedStoreContract
from truekeep.ports import Store


class TestOnDictionaries(ServedStoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = DictStore()
        yield store
        store.close()
