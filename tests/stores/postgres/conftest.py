"""An empty store for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from truekeep.ports import Store
from truekeep.stores.postgres import PostgresStore


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    store = PostgresStore(postgres_url)
    yield store
    store.close()
