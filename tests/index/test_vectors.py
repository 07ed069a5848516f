from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep.index.vectors import Passages, Query, encode


def passages(vectors: NDArray[np.float32]) -> Passages:
    return Passages({"owner": np.arange(len(vectors), dtype=np.int32), **encode(vectors)}, len(vectors))


def clustered(count: int, dimension: int, seed: int = 0) -> NDArray[np.float32]:
    """Unit vectors in clusters, some large and some small, as texts about a few subjects are."""
    centres = np.random.default_rng(99).standard_normal((200, dimension))
    random = np.random.default_rng(seed)
    chosen = np.minimum(random.geometric(0.02, count) - 1, 199)
    vectors = centres[chosen] + random.standard_normal((count, dimension)) * 1.2
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


@pytest.mark.parametrize("dimension", [1, 7, 64, 384, 1536])
def test_scores_are_cosines_up_to_the_rounding_of_the_codes(dimension: int) -> None:
    vectors = clustered(50, dimension)

    scores = passages(vectors * 3).scores(Query.of(vectors[7] * 0.2), None)

    assert np.abs(scores - vectors @ vectors[7]).max() < 0.005
    assert scores[7] > 0.999


def test_a_score_is_the_same_to_the_last_bit_in_any_company() -> None:
    vectors = clustered(3000, 1536)
    kept, query = passages(vectors), Query.of(vectors[5])

    together = kept.scores(query, None)

    for some in (np.array([17]), np.array([2999, 17, 4]), np.arange(17, 1900)):
        assert kept.scores(query, some).tobytes() == together[some].tobytes()
    assert passages(vectors[17:18]).scores(query, None)[0] == together[17]


@pytest.mark.parametrize("dimension", [128, 384])
def test_candidates_by_sign_bits_hold_the_true_nearest(dimension: int) -> None:
    vectors, queries = clustered(20_000, dimension), clustered(60, dimension, seed=1)
    kept = passages(vectors)

    hits = 0
    for query in queries:
        exact = kept.scores(Query.of(query), None)
        found, _ = kept.nearest(Query.of(query), None, 10)
        assert found is not None
        assert len(found) < len(vectors) / 2
        hits += len(np.intersect1d(found, np.argsort(-exact)[:10]))

    assert hits / (10 * len(queries)) >= 0.99


def test_a_hasty_look_finds_what_is_much_alike() -> None:
    vectors = clustered(20_000, 384)
    kept = passages(vectors)

    for row in range(0, 20_000, 400):
        kin = np.flatnonzero(kept.scores(Query.of(vectors[row]), None) > 0.6)
        found, _ = kept.nearest(Query.of(vectors[row]), None, 3, hasty=True)
        assert found is not None
        assert len(found) < 100
        assert set(kin[:3]) <= set(found)


@pytest.mark.parametrize("share", [0.9, 0.6, 0.2, 0.01, 0.0])
def test_only_allowed_passages_are_nominated(share: float) -> None:
    vectors = clustered(20_000, 128)
    allowed = np.random.default_rng(3).random(len(vectors)) < share
    kept, query = passages(vectors), Query.of(vectors[11])

    found, scores = kept.nearest(query, allowed, 10)

    assert found is not None
    assert allowed[found].all()
    best = np.sort(kept.scores(query, np.flatnonzero(allowed)))[::-1][:10]
    assert np.isin(best[:3], scores).all()


def test_candidates_do_not_depend_on_the_order_of_rows() -> None:
    vectors = clustered(10_000, 128)
    order = np.random.default_rng(5).permutation(len(vectors))

    found, _ = passages(vectors).nearest(Query.of(vectors[3]), None, 10)
    shuffled, _ = passages(vectors[order]).nearest(Query.of(vectors[3]), None, 10)

    assert found is not None
    assert shuffled is not None
    assert set(found.tolist()) == set(order[shuffled].tolist())


@pytest.mark.parametrize("worthless", [0.0, np.nan, np.inf])
def test_vectors_that_are_no_direction_are_like_nothing(worthless: float) -> None:
    vectors = clustered(3, 64)
    broken = np.full((1, 64), worthless, np.float32)

    assert passages(np.concatenate([vectors, broken])).scores(Query.of(vectors[0]), None)[3] == 0
    assert passages(vectors).scores(Query.of(broken[0]), None).tolist() == [0, 0, 0]
