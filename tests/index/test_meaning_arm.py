from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from truekeep.index.arms import Meaning, Words
from truekeep.ports import Row
from truekeep.testing import samples

from .rows import DIMENSION, NOW, index_of, query_vector, row, texts, vectors_of


def long_row(seq: int, id: str, *passages: str) -> Row:
    return Row(seq, id, samples.item(id, " ".join(passages)), vectors_of(*passages))


def test_the_item_that_says_the_same_comes_first() -> None:
    view = index_of(texts("ana drinks green tea", "ben drives a car", "rain in march")).view()

    rows, scores = Meaning(view, query_vector("ana drinks green tea")).top(2)

    assert view.ids(rows)[0] == "0"
    assert scores[0] == pytest.approx(1, abs=0.01)
    assert len(rows) == 2


def test_an_item_counts_by_its_best_passage_and_only_once() -> None:
    view = index_of([long_row(1, "long", "ana drinks tea", "ben drives cars"), *texts("rain in march")[:1]]).view()

    meaning = Meaning(view, query_vector("ben drives cars"))
    rows, scores = meaning.top(10)

    assert view.ids(rows)[0] == "long"
    assert len(rows) == len(set(rows.tolist())) == 2
    assert scores[0] == pytest.approx(1, abs=0.01)
    assert meaning.of(rows).tolist() == scores.tolist()


def test_the_best_of_many_passages_is_worth_less_than_the_only_one() -> None:
    many = long_row(1, "many", *[f"passage {n}" for n in range(40)], "green tea")
    view = index_of([many, long_row(2, "two", "green tea", "rain"), row(3, "one", "green tea")]).view()

    meaning = Meaning(view, query_vector("green tea"))
    rows = np.arange(3, dtype=np.int32)

    assert meaning.of(rows).tolist() == pytest.approx([1, 1, 1], abs=0.01)
    assert meaning.luck(rows).tolist() == pytest.approx([0.06 * np.log(16), 0.06 * np.log(2), 0])
    assert view.ids(meaning.nominate(1)) == ["one"]


def test_short_texts_need_no_luck() -> None:
    view = index_of(texts("green tea", "rain")).view()

    assert Meaning(view, query_vector("tea")).luck(np.array([0, 1])).tolist() == [0, 0]


def test_items_without_vectors_score_nothing_and_are_not_nominated() -> None:
    view = index_of([row(1, "a", "green tea"), row(2, "b", "green tea", pending=True)]).view()

    meaning = Meaning(view, query_vector("green tea"))

    assert view.ids(meaning.top(5)[0]) == ["a"]
    assert meaning.of(np.array([1, 0, 1])).tolist() == pytest.approx([0, 1, 0], abs=0.01)
    assert len(meaning.of(np.array([], np.int32))) == 0


def test_any_row_has_the_score_that_it_would_be_nominated_with() -> None:
    view = index_of([row(n + 1, str(n), f"text {n % 7} about {n}") for n in range(3_500)]).view()
    meaning = Meaning(view, query_vector("text 3 about 17"))

    rows, scores = meaning.top(50)

    assert meaning.of(rows).tobytes() == scores.tobytes()
    assert meaning.of(rows[::-1]).tobytes() == scores[::-1].tobytes()


def test_ties_in_meaning_go_to_the_newer_item() -> None:
    rows = [row(n + 1, str(n), "green tea", when=NOW + timedelta(days=n)) for n in range(5)]
    view = index_of(rows).view()

    nominated, _ = Meaning(view, query_vector("tea")).top(3)

    assert view.ids(nominated) == ["4", "3", "2"]


@pytest.mark.parametrize("count", [3, 300, 3_500])
def test_fusion_is_given_the_rows_that_come_first_and_no_others(count: int) -> None:
    view = index_of([row(n + 1, str(n), f"text {n % 7} about {n}") for n in range(count)]).view()

    for arm in (Meaning(view, query_vector("text 3 about 2")), Words(view, "text 3 about 2")):
        assert sorted(arm.nominate(20).tolist()) == sorted(arm.top(20)[0].tolist())


def test_only_masked_rows_are_nominated() -> None:
    view = index_of(texts("tea", "tea", "tea")).view()

    rows, _ = Meaning(view, query_vector("tea"), np.array([False, False, True])).top(3)

    assert rows.tolist() == [2]


def test_vectors_of_a_wrong_size_are_as_good_as_none() -> None:
    item = samples.item("a", "green tea")

    view = index_of([Row(1, "a", item, b"\x00" * (2 * DIMENSION - 1))]).view()

    assert view.pending(5) == ["a"]
