from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from truekeep.index.postings import Postings, PostingsView, kept

TERMS = st.lists(st.integers(0, 12) | st.just(2**64 - 1), max_size=8)
BATCHES = st.lists(st.lists(TERMS, min_size=1, max_size=40), max_size=4)


def filled(batches: list[list[list[int]]]) -> tuple[Postings, list[list[int]]]:
    postings = Postings()
    rows: list[list[int]] = []
    for batch in batches:
        postings.add(range(len(rows), len(rows) + len(batch)), batch)
        rows += batch
    return postings, rows


def contents(view: PostingsView, terms: range | list[int]) -> dict[int, dict[int, int]]:
    found = zip(terms, view.find(list(terms)), strict=True)
    return {term: dict(zip(rows.tolist(), counts.tolist(), strict=True)) for term, (rows, counts) in found}


def expected(rows: list[list[int]], terms: range | list[int]) -> dict[int, dict[int, int]]:
    return {term: {row: n for row, held in enumerate(rows) if (n := Counter(held)[term])} for term in terms}


@given(BATCHES)
def test_every_row_is_found_under_each_of_its_terms(batches: list[list[list[int]]]) -> None:
    terms = [*range(14), 2**64 - 1]

    postings, rows = filled(batches)

    assert contents(postings.view(len(rows)), terms) == expected(rows, terms)


@given(BATCHES, BATCHES)
def test_a_view_keeps_what_it_saw_while_the_postings_go_on(
    before: list[list[list[int]]], after: list[list[list[int]]]
) -> None:
    postings, rows = filled(before)
    view = postings.view(len(rows))

    for number, batch in enumerate(after):
        start = len(rows) + 100 * number
        postings.add(range(start, start + len(batch)), batch)

    assert contents(view, range(14)) == expected(rows, range(14))
    assert contents(Postings(view.whole()).view(len(rows)), range(14)) == expected(rows, range(14))


def test_a_term_counts_at_most_255_times() -> None:
    postings, _ = filled([[[7] * 300]])

    assert postings.view(1).find([7])[0].counts.tolist() == [255]


def test_segments_stay_few() -> None:
    postings, rows = filled([[[row % 50] for row in range(64)] for _ in range(100)])

    assert len(postings._segments) <= 7
    assert sum(len(segment.rows) for segment in postings._segments) == len(rows)


@given(BATCHES)
def test_rows_and_terms_that_go_leave_nothing(batches: list[list[list[int]]]) -> None:
    postings, rows = filled(batches)
    renumbered = np.array([row // 2 if row % 2 else -1 for row in range(len(rows))], np.int32)

    segment = kept(postings.view(len(rows)).whole(), renumbered)

    remaining = [held for row, held in enumerate(rows) if row % 2]
    assert set(segment.terms.tolist()) == {term for held in remaining for term in held}
    assert contents(Postings(segment).view(len(remaining)), range(14)) == expected(remaining, range(14))
