from __future__ import annotations

import math
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from truekeep.index import arms
from truekeep.index.arms import Meaning, Words
from truekeep.index.tokens import query_terms, text_terms

from .rows import NOW, erased, found, index_of, row, texts

WORDS = ["tea", "coffee", "green", "black", "cup", "drinks", "morning", "ERR_4012", "the"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def bm25(query: str, contents: list[str]) -> list[float]:
    """The formula as it stands in the books, one document at a time; none counts as longer than four average ones."""
    documents = [text_terms(content) for content in contents]
    average = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for term in query_terms(query):
            frequency = sum(term.hash in other for other in documents)
            idf = math.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
            count = document.count(term.hash)
            length = min(len(document), 4 * average)
            score += idf * count * 1.9 / (count + 0.9 * (1 - 0.4 + 0.4 * length / average))
        scores.append(score)
    return scores


@given(st.lists(SENTENCES, min_size=1, max_size=50), SENTENCES)
@example([*["tea"] * 5, "tea " * 11], "tea")
def test_scores_are_bm25(contents: list[str], query: str) -> None:
    view = index_of(texts(*contents)).view()

    words = Words(view, query)

    expected = bm25(query, contents)
    assert words.of(np.arange(len(contents))) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    rows, scores = words.top(1000)
    assert set(rows.tolist()) == {place for place, score in enumerate(expected) if score > 0}
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)


@given(st.lists(SENTENCES, min_size=2, max_size=20), SENTENCES)
def test_erased_items_do_not_count_in_the_statistics(contents: list[str], query: str) -> None:
    rows = texts(*contents)
    index = index_of(rows)

    index.absorb([erased(len(rows) + 1, "0")])

    expected = bm25(query, contents[1:])
    assert Words(index.view(), query).of(np.arange(1, len(contents))) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert "0" not in found(index.view(), query)


def test_ties_go_to_the_newer_item_and_then_by_id() -> None:
    same = [row(number + 1, id, "green tea") for number, id in enumerate(["c", "a", "b"])]
    newer = row(4, "z", "green tea", when=NOW + timedelta(days=1))

    forwards = index_of([*same, newer]).view()
    backwards = index_of([*reversed(same), newer]).view()

    assert found(forwards, "tea")[0] == "z"
    assert found(forwards, "tea") == found(backwards, "tea")
    assert found(forwards, "tea", k=2) == found(forwards, "tea")[:2]


def test_a_pasted_file_among_short_facts_is_found_by_its_words() -> None:
    filler = " ".join(f"line{n}" for n in range(5_000))
    view = index_of(texts(f"{filler} zanzibar", *[f"fact number {n}" for n in range(200)])).view()

    words = Words(view, "zanzibar")

    assert words.top(1)[1][0] > words.ceiling / 4


def test_no_item_reaches_the_ceiling() -> None:
    view = index_of(texts("tea " * 200, "tea and coffee", "water")).view()

    words = Words(view, "tea coffee")

    assert 0 < words.top(1)[1][0] < words.ceiling


def test_a_query_of_unknown_words_finds_nothing_under_a_high_ceiling() -> None:
    words = Words(index_of(texts("tea", "coffee")).view(), "zeppelin")

    assert len(words.top(5)[0]) == 0
    assert words.ceiling > 1


def test_an_arm_names_the_words_that_a_row_holds() -> None:
    words = Words(index_of(texts("Ana prefers green tea", "Ben drinks coffee")).view(), "what tea does Ana drink?")

    assert words.terms_of(np.array([0, 1])) == [["tea", "ana"], ["drink"]]


def test_only_masked_rows_are_nominated_while_any_row_has_a_score() -> None:
    view = index_of(texts("tea", "tea", "tea")).view()

    words = Words(view, "tea", np.array([False, True, False]))

    assert words.top(5)[0].tolist() == [1]
    assert (words.of(np.array([0, 1, 2])) > 0).all()


def test_an_empty_space_answers_any_query_with_nothing() -> None:
    view = index_of([]).view()

    assert [len(part) for part in Words(view, "tea").top(5)] == [0, 0]
    assert [len(part) for part in Meaning(view, np.ones(16, np.float32)).top(5)] == [0, 0]


@pytest.mark.parametrize(
    ("frequencies", "skipped"),
    [
        ([5, 900_000, 300_000], {1}),
        ([900_000], set()),
        ([900_000, 800_000], {0}),
        ([0, 900_000], set()),
        ([200_000, 100_000, 100_000, 1], {0}),
        ([], set()),
    ],
)
def test_common_words_are_skipped_once_rarer_ones_used_the_budget(frequencies: list[int], skipped: set[int]) -> None:
    assert arms._beyond_budget(frequencies) == skipped


def test_a_large_space_leaves_common_words_out(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = ["tea"] * 30 + ["tea coffee"]
    monkeypatch.setattr(arms, "_LARGE", 20)
    monkeypatch.setattr(arms, "_BUDGET", 10)

    view = index_of(texts(*contents)).view()

    assert found(view, "tea coffee") == ["30"]
    assert len(found(view, "tea")) == 31
