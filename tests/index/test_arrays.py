"""What NumPy lacks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from truekeep.index import arrays


def test_bits_are_counted_alike_with_an_older_numpy() -> None:
    words = np.random.default_rng(0).integers(0, 2**63, (50, 3), dtype=np.uint64)
    column = words[:, 1]  # not contiguous

    counted = arrays._counted_by_bytes(column)

    assert counted.tolist() == [int(word).bit_count() for word in column] == arrays.bit_count(column).tolist()


@given(st.lists(st.lists(st.integers(0, 20), max_size=12), min_size=1, max_size=4))
def test_rows_are_united_as_numpy_would(some: list[list[int]]) -> None:
    rows = [np.array(one, dtype=np.int32) for one in some]

    united = arrays.united(rows)

    assert united.dtype == np.int32
    assert united.tolist() == np.unique(np.concatenate(rows)).tolist()
