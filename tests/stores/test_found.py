from __future__ import annotations

from contextlib import closing

import pytest

from truekeep.stores.sqlite import SqliteStore
from truekeep.testing import samples


@pytest.mark.parametrize("count", [1, 5, 8, 2_500])
def test_any_number_of_items_is_found_in_the_order_asked_with_their_counts(count: int) -> None:
    ids = [f"i{number}" for number in range(count)]

    with closing(SqliteStore(None)) as store:
        samples.keep(store, *(samples.put(id) for id in ids))
        store.count_accesses({samples.SPACE: {"i0": 3}}, now=samples.NOW)
        found = store.found(samples.SPACE, ["nobody", *reversed(ids)])

    assert [item.id for item, _ in found] == ids[::-1]
    assert [item.content for item, _ in found] == [f"the content of {id}" for id in reversed(ids)]
    assert [accesses for _, accesses in found] == [0] * (count - 1) + [3]
