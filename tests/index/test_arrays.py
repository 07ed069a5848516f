"""What NumPy lacks."""

from __future__ import annotations

import numpy as np

from truekeep.index import arrays


def test_bits_are_counted_alike_with_an_older_numpy() -> None:
    words = np.random.default_rng(0).integers(0, 2**63, (50, 3), dtype=np.uint64)
    column = words[:, 1]  # not contiguous

    counted = arrays._counted_by_bytes(column)

    assert counted.tolist() == [int(word).bit_count() for word in column] == arrays.bit_count(column).tolist()
