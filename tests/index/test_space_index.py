from __future__ import annotations

import threading
from datetime import timedelta

import numpy as np
import pytest

from truekeep.index import space_index
from truekeep.index.arms import Meaning
from truekeep.index.space_index import SpaceIndex
from truekeep.model import Filters, Session, Source

from .rows import DIMENSION, NOW, erased, found, index_of, query_vector, row, texts

UUID = "0196f0c8-1234-7abc-8def-0123456789ab"


def test_a_new_item_is_found_at_once_by_its_words() -> None:
    index = index_of(texts("green tea"))

    index.absorb([row(2, "1", "black coffee")])

    assert found(index.view(), "coffee") == ["1"]
    assert index.seq == index.view().seq == 2


def test_corrected_content_is_found_by_its_new_words_only() -> None:
    index = index_of(texts("green tea"))

    index.absorb([row(2, "0", "black coffee")])

    assert found(index.view(), "coffee") == ["0"]
    assert found(index.view(), "tea") == []
    assert index.view().live == 1


def test_a_change_of_anything_but_the_text_tokenises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(texts("green tea"))
    monkeypatch.setattr(space_index, "text_terms", lambda text: pytest.fail("tokenised again"))

    index.absorb([row(2, "0", "green tea", kind="preference", pinned=True, retired=NOW)])

    view = index.view()
    assert view.kinds_count() == {"preference": 1}
    assert view.is_pinned(view.rows(None)).all()
    assert view.is_retired(view.rows(None)).all()


def test_an_erased_item_is_found_by_nothing() -> None:
    index = index_of(texts("green tea", "green car"))

    index.absorb([erased(3, "0"), erased(4, "never there")])

    view = index.view()
    assert found(view, "green tea") == ["1"]
    assert view.ids(Meaning(view, query_vector("green tea")).top(5)[0]) == ["1"]
    assert view.ids(view.newest(None, 5)) == ["1"]
    assert view.row_of("0") is None
    assert view.live == 1


def test_vectors_may_come_later() -> None:
    index = index_of([row(1, "a", "green tea", pending=True), row(2, "b", "coffee", pending=True)])
    before = index.view()

    index.absorb([row(3, "a", "green tea")])

    assert (before.pending_count, before.pending(10), before.pending(1)) == (2, ["a", "b"], ["a"])
    assert (index.view().pending_count, index.view().pending(10)) == (1, ["b"])
    assert index.view().ids(Meaning(index.view(), query_vector("green tea")).top(5)[0]) == ["a"]
    assert len(Meaning(before, query_vector("green tea")).top(5)[0]) == 0


def test_those_who_begin_elsewhere_are_given_other_pending_items() -> None:
    view = index_of([row(number, f"i{number}", "tea", pending=True) for number in range(1, 9)]).view()

    assert view.pending(3, begin=0.0) == ["i1", "i2", "i3"]
    assert view.pending(3, begin=0.5) == ["i5", "i6", "i7"]
    assert view.pending(3, begin=0.9) == ["i1", "i2", "i8"]
    assert len(view.pending(8, begin=0.9)) == 8


def test_a_view_does_not_change_while_the_index_moves_on() -> None:
    index = index_of(texts("green tea", "black tea"))
    view = index.view()

    index.absorb([row(3, "0", "green tea", retired=NOW), erased(4, "1"), row(5, "2", "tea"), row(6, "0", "coffee")])

    assert found(view, "tea") == ["1", "0"]
    assert view.select(Filters(), NOW) is None
    assert [view.row_of(id) is not None for id in ("0", "1", "2")] == [True, True, False]
    assert view.live == 2


def test_columns_are_changed_in_place_when_nobody_reads_and_copied_when_somebody_does() -> None:
    index = index_of(texts("green tea", "black tea"))
    column = index._items.columns["flags"]

    index.absorb([row(3, "0", "green tea", pinned=True)])
    assert index._items.columns["flags"] is column

    view = index.view()
    index.absorb([row(4, "0", "green tea")])

    assert index._items.columns["flags"] is not column
    assert view.is_pinned(np.array([0, 1])).tolist() == [True, False]


def test_the_view_that_is_kept_for_the_next_recall_does_not_count_as_a_reader() -> None:
    index = index_of(texts("green tea", "black tea"))
    column = index._items.columns["flags"]
    assert index.view() is index.view()

    index.absorb([row(3, "0", "green tea", pinned=True)])

    assert index._items.columns["flags"] is column
    assert index.view().is_pinned(np.array([0, 1])).tolist() == [True, False]


@pytest.mark.parametrize("id", [UUID, "plain", UUID.upper(), "", "ü" * 64, UUID.replace("7abc", "0abc"), "\ud800"])
def test_any_id_comes_back_as_it_was(id: str) -> None:
    view = index_of([row(1, "other", "tea"), row(2, id, "tea")]).view()

    place = view.row_of(id)

    assert place is not None
    assert view.ids(np.array([place])) == [id]


def test_ids_are_found_after_thousands_of_others() -> None:
    ids = [f"0196f0c8-0000-7000-8000-{number:012x}" for number in range(2500)]
    rows = [row(seq, id, "tea", pending=True) for seq, id in enumerate([*ids, "x", "y"], start=1)]
    index = index_of(rows[:2000])

    index.absorb(rows[2000:])
    view = index.view()

    assert all(view.row_of(id) == place for place, id in enumerate([*ids, "x", "y"]))
    assert view.row_of("z") is None


def test_sessions_tell_how_many_items_they_hold_and_when() -> None:
    def said(seq: int, session: str | None, hours: int) -> object:
        return row(seq, str(seq), "tea", source=Source(session=session), when=NOW + timedelta(hours=hours))

    changes = [said(1, "first", 0), said(2, "second", 5), said(3, "first", 2), said(4, None, 9), said(5, "gone", 7)]
    index = index_of(changes)  # type: ignore[arg-type]
    index.absorb([erased(6, "5")])

    sessions = index.view().sessions()

    hour = timedelta(hours=1)
    assert sessions == [
        Session(name="second", items=1, first=NOW + 5 * hour, last=NOW + 5 * hour),
        Session(name="first", items=2, first=NOW, last=NOW + 2 * hour),
    ]
    assert SpaceIndex(DIMENSION).view().sessions() == []


def test_kinds_and_speakers_are_counted_over_what_is_alive() -> None:
    index = index_of([row(1, "a", "tea", kind="lesson", source=Source(speaker="Ana")), row(2, "b", "tea")])

    assert index.view().kinds_count() == {"lesson": 1, "fact": 1}
    index.absorb([erased(3, "a")])

    assert index.view().kinds_count() == {"fact": 1}
    assert index.view().everybody == ()


def test_an_index_takes_little_more_memory_than_its_codes() -> None:
    rows = [row(n + 1, f"0196f0c8-0000-7000-8000-{n:012x}", f"item number {n} about {n % 13}") for n in range(3000)]

    per_item = index_of(rows).nbytes / len(rows)

    assert DIMENSION < per_item < DIMENSION + 250


def test_searches_go_on_while_changes_come_in() -> None:
    index = index_of([row(n, str(n), f"green tea {n % 10}") for n in range(1, 200)])
    lock = threading.Lock()
    problems: list[BaseException] = []

    def search() -> None:
        try:
            for _ in range(60):
                with lock:
                    view = index.view()
                ids = found(view, "green tea 3", k=1000)
                assert len(ids) == view.live == len(Meaning(view, query_vector("tea")).top(1000)[0])
                assert found(view, "green tea 3", k=1000) == ids
        except BaseException as problem:
            problems.append(problem)

    readers = [threading.Thread(target=search) for _ in range(2)]
    for reader in readers:
        reader.start()
    for seq in range(200, 600):
        change = erased(seq, str(seq - 150)) if seq % 3 == 0 else row(seq, str(seq % 250), f"green tea {seq}")
        with lock:
            index.absorb([change])
    for reader in readers:
        reader.join()

    assert problems == []
