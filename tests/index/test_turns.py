"""Neighbours and sessions lend what they hold, whatever order the rows came in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from truekeep.index import arms
from truekeep.index.arms import Words
from truekeep.index.view import View
from truekeep.model import Source
from truekeep.ports import Row

from .rows import NOW, erased, index_of, row

CHAT = [
    ("q", "who fixed the boiler?", "monday"),
    ("a", "it was Dirk", "monday"),
    ("x", "nice weather", "monday"),
    ("b", "it was Nora", "friday"),
]


def said(seq: int, id: str, content: str, session: str | None, **fields: Any) -> Row:
    return row(seq, id, content, source=Source(session=session), **({"when": NOW} | fields))


def chat() -> list[Row]:
    return [said(number, *turn) for number, turn in enumerate(CHAT, start=1)]


def lent(view: View, query: str) -> dict[str, tuple[float, float]]:
    rows = view.rows(None)
    near, session = Words(view, query).lent(rows)
    return dict(zip(view.ids(rows), zip(near.tolist(), session.tolist(), strict=True), strict=True))


def test_an_answer_is_lent_the_words_of_its_question() -> None:
    found = lent(index_of(chat()).view(), "boiler")

    assert found["a"][0] > 0 == found["x"][0] == found["b"][0]


def test_a_session_lends_its_best_place_to_all_that_was_said_in_it() -> None:
    found = lent(index_of(chat()).view(), "boiler")

    assert found["q"][1] == found["a"][1] == found["x"][1] > 0
    assert found["b"] == (0, 0)


def test_what_was_said_in_no_session_is_lent_nothing() -> None:
    view = index_of([*chat(), said(9, "f", "it was Ida", None)]).view()

    assert lent(view, "boiler")["f"] == (0, 0)


def test_without_sessions_there_are_no_turns() -> None:
    alone = index_of([said(1, "a", "tea", "monday"), said(2, "b", "tea", "friday"), said(3, "c", "tea", None)]).view()

    assert alone.turns is None
    assert len(Words(alone, "tea").nominate_together(5)) == 0
    assert lent(alone, "tea") == dict.fromkeys("abc", (0, 0))


def test_turns_are_in_the_order_of_time_and_then_of_arrival() -> None:
    late = said(7, "late", "boiler", "monday", when=NOW + timedelta(hours=1))
    early = said(8, "early", "boiler", "monday", when=NOW - timedelta(hours=1))
    view = index_of([late, *chat(), early]).view()

    assert view.turns is not None
    monday = [id for id in view.ids(view.turns.rows) if id != "b"]
    assert monday == ["early", "q", "a", "x", "late"]


def test_what_is_erased_or_quarantined_lends_nothing() -> None:
    index = index_of(chat())
    index.absorb([erased(10, "q"), said(11, "s", "boiler", "monday", quarantined=True)])

    assert lent(index.view(), "boiler")["a"] == (0, 0)


def test_turns_together_are_nominated_where_the_mask_allows_them() -> None:
    view = index_of(chat()).view()
    places = {id: place for place, id in enumerate(view.ids(np.arange(4)))}

    every = Words(view, "boiler").nominate_together(9)
    mask = np.array([place != places["a"] for place in range(4)])
    some = Words(view, "boiler", mask).nominate_together(9)

    assert set(view.ids(every)) == {"q", "a"}
    assert set(view.ids(some)) == {"q"}


def test_scores_do_not_depend_on_the_rows() -> None:
    straight, mixed = index_of(chat()), index_of([chat()[place] for place in (3, 2, 0, 1)])

    assert lent(straight.view(), "who was the boiler") == lent(mixed.view(), "who was the boiler")


def test_a_large_space_lends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arms, "_LARGE", 3)

    assert lent(index_of(chat()).view(), "boiler")["a"] == (0, 0)
