"""A set is divided by theme, or by the numbers in its ids."""

from __future__ import annotations

from dataclasses import dataclass

from truekeep_eval.folds import fold_of


@dataclass(frozen=True)
class Entry:
    id: str
    theme: str | None = None


def test_the_number_in_an_id_tells_the_fold() -> None:
    entries = [Entry("b004"), Entry("b001"), Entry("b102x"), Entry("v2-b007")]

    assert fold_of(entries, 4) == {"b004": 0, "b001": 1, "b102x": 2, "v2-b007": 3}


def test_an_entry_stays_in_its_fold_when_others_are_added() -> None:
    few, many = [Entry("b005")], [Entry("b001"), Entry("b002"), Entry("b005")]

    assert fold_of(few, 4)["b005"] == fold_of(many, 4)["b005"] == 1


def test_ids_without_numbers_are_dealt_in_order() -> None:
    assert fold_of([Entry("a"), Entry("b"), Entry("c")], 2) == {"a": 0, "b": 1, "c": 0}


def test_what_has_a_theme_in_common_is_in_one_fold() -> None:
    entries = [Entry("b001", "kitchen"), Entry("b002", "garden"), Entry("b003", "kitchen"), Entry("b004", "attic")]

    assert fold_of(entries, 2) == {"b001": 0, "b002": 1, "b003": 0, "b004": 0}


def test_one_theme_divides_nothing() -> None:
    assert fold_of([Entry("b001", "kitchen"), Entry("b002", "kitchen")], 2) == {"b001": 1, "b002": 0}
