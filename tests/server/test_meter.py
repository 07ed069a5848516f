"""What is counted reaches the store, whoever asks meanwhile and whatever fails on the way."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import pytest

from truekeep.errors import StoreError
from truekeep.model import AccessKey, Quotas
from truekeep.server.meter import Meters
from truekeep.testing.samples import NOW

KEY = AccessKey(id="k", tenant="acme", name="k", scopes=("read",), created=NOW)


class Books:
    """As much of a store as counting needs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.is_away = False
        self.asked = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def count_usage(self, tenant: str, counts: Mapping[tuple[str, str, str], int]) -> None:
        self.asked.set()
        assert self.may_go_on.wait(10)
        if self.is_away:
            raise StoreError("away", retryable=True)
        self.counts.update({subject: count for (subject, _, _), count in counts.items()})

    def lease_usage(self, *given: Any, want: int, limit: int) -> int:
        return want


@pytest.fixture
def books() -> Books:
    return Books()


@pytest.fixture
def meters(books: Books) -> Meters:
    return Meters(cast(Any, books))


def use(meters: Meters, quotas: Quotas | None = None) -> None:
    meters.take(KEY, quotas or Quotas(), ("operations",), NOW)


def test_whoever_asks_meanwhile_finds_what_is_on_its_way_to_the_store(books: Books, meters: Meters) -> None:
    use(meters)
    books.may_go_on.clear()
    first = threading.Thread(target=meters.flush, args=(NOW,))
    first.start()
    assert books.asked.wait(10)
    found: list[int] = []

    def ask() -> None:
        meters.flush(NOW)
        found.append(books.counts["key:k"])

    second = threading.Thread(target=ask)
    second.start()
    second.join(0.2)  # it waits
    books.may_go_on.set()
    first.join(10)
    second.join(10)

    assert found == [1]


def test_what_the_store_does_not_take_is_told_the_next_time(books: Books, meters: Meters) -> None:
    use(meters)
    books.is_away = True
    with pytest.raises(StoreError):
        meters.flush(NOW)
    use(meters)
    books.is_away = False

    meters.flush(NOW)
    meters.flush(NOW)

    assert books.counts == {"key:k": 2, "tenant:acme": 2}


def test_what_is_left_of_a_quota_is_never_given_back_twice(books: Books, meters: Meters) -> None:
    use(meters, Quotas(operations_per_month=1000))  # of ten that are taken
    books.is_away = True  # or so it says: perhaps it was told
    with pytest.raises(StoreError):
        meters.flush(NOW, everything=True)
    books.is_away = False

    meters.flush(NOW, everything=True)

    assert books.counts == {"key:k": 1}
