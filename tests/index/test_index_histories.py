"""Whatever an index has lived through, it answers as one that was built from the store's rows just now."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from truekeep.index import space_index
from truekeep.index.arms import Meaning, Words
from truekeep.index.columns import NAMED
from truekeep.index.space_index import SpaceIndex
from truekeep.index.view import View
from truekeep.model import Filters, Source
from truekeep.ports import Row

from .rows import DIMENSION, NOW, erased, index_of, latest, packed, query_vector, row

WORDS = ["tea", "coffee", "green", "black", "morning", "Ana", "ERR_4012"]
IDS = ["plain", "0196f0c8-0000-7000-8000-000000000001", "0196f0c8-0000-7000-8000-000000000002", "ü/.. x", "a", "b"]
QUERIES = ["green tea", "Ana", "err-4012 in the morning", "coffee coffee", "the"]

PUTS = st.builds(
    lambda id, words, pending, days, retired, tags, pinned: (id, " ".join(words), pending, days, retired, tags, pinned),
    st.sampled_from(IDS),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.booleans(),
    st.integers(0, 2),
    st.booleans(),
    st.sampled_from([(), ("x",), ("x", "y")]),
    st.booleans(),
)
STEPS = st.lists(
    PUTS | st.sampled_from(IDS) | st.sampled_from(["absorb", "snapshot", "view", "rebuild"]), min_size=1, max_size=40
)


@dataclass
class History:
    """An index that follows changes in pieces, and the changes themselves."""

    index: SpaceIndex = field(default_factory=lambda: SpaceIndex(DIMENSION))
    changes: list[Row] = field(default_factory=list)
    waiting: list[Row] = field(default_factory=list)
    seen: list[tuple[View, object]] = field(default_factory=list)

    def note(self, change: Row) -> None:
        self.changes.append(change)
        self.waiting = [earlier for earlier in self.waiting if earlier.id != change.id] + [change]

    def absorb(self) -> None:
        self.index.absorb(self.waiting)
        self.waiting = []

    def snapshot(self) -> None:
        self.index = SpaceIndex.from_parts(packed(self.index), dimension=DIMENSION, seq=self.index.seq)

    def rebuild(self) -> None:
        self.index, self.waiting = index_of(latest(self.changes)), []

    def view(self) -> None:
        view = self.index.view()
        self.seen.append((view, answers(view)))


def put(seq: int, step: tuple[str, str, bool, int, bool, tuple[str, ...], bool]) -> Row:
    id, content, pending, days, retired, tags, pinned = step
    content += f" {seq}" * pending  # a store keeps the vectors of a text that stays
    source = Source(speaker=content.split()[0], session=f"s{days}")
    moved = {"retired": NOW, "until": NOW} if retired else {}
    when = NOW - timedelta(days=days)
    return row(seq, id, content, pending=pending, when=when, tags=tags, pinned=pinned, source=source, **moved)


def answers(view: View) -> object:
    """Everything that can be asked, in terms of ids: row numbers may differ."""
    everything = view.rows(None)
    asked: list[object] = []
    for filters in (Filters(), Filters(include_superseded=True), Filters(tags=frozenset({"x"}))):
        mask = view.select(filters, NOW)
        for query in QUERIES:
            for arm in (Words(view, query, mask), Meaning(view, query_vector(query), mask)):
                rows, scores = arm.top(4)
                asked.append((view.ids(rows), scores.tolist(), arm.of(rows).tolist()))
            asked.append((Words(view, query).ceiling, Words(view, query).terms_of(np.asarray(rows))))
        asked.append(view.ids(view.newest(mask, 3)))
    facts = zip(
        view.ids(everything),
        *([view.names[column][code] for code in view.column(column).take(everything).tolist()] for column in NAMED),
        view.is_pinned(everything).tolist(),
        view.is_retired(everything).tolist(),
        view.has_vectors(everything).tolist(),
        strict=True,
    )
    summaries = (view.live, view.pending_count, view.pending(10), view.kinds_count(), view.sessions())
    known = [view.row_of(id) is not None for id in [*IDS, "never"]]
    return asked, sorted(facts), summaries, known, view.everybody


@settings(max_examples=150)
@given(STEPS)
def test_an_index_answers_by_what_the_store_holds_and_not_by_its_past(steps: list[object]) -> None:
    history = History()

    for seq, step in enumerate(steps, start=1):
        if isinstance(step, tuple):
            history.note(put(seq, step))
        elif step in IDS:
            history.note(erased(seq, str(step)))
        else:
            getattr(history, str(step))()
    history.absorb()

    assert answers(history.index.view()) == answers(index_of(latest(history.changes)).view())
    assert all(answers(view) == before for view, before in history.seen)


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_many_rows_in_any_pieces_answer_alike(random: object) -> None:
    generator = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    rows = []
    for seq in range(1, 400):
        pending = seq % 5 == 0
        text = " ".join(generator.choice(WORDS, 3)) + f" {seq}" * pending  # a store keeps the vectors of the same text
        rows.append(row(seq, f"{generator.integers(120)}", text, pending=pending))
    pieces = SpaceIndex(DIMENSION)
    start = 0
    while start < len(rows):
        size = int(generator.choice([1, 2, 40, 90]))
        pieces.absorb(rows[start : start + size])
        start += size

    assert answers(pieces.view()) == answers(index_of(latest(rows)).view())


def test_an_index_full_of_dead_rows_is_compacted_and_answers_alike(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(space_index, "_LEAST_DEAD", 10)
    rows = [row(seq, str(seq % 7), f"green tea {seq} {seq % 7}") for seq in range(1, 300)]
    index = SpaceIndex(DIMENSION)

    for change in rows:
        index.absorb([change])

    assert index.view().size < 30
    assert answers(index.view()) == answers(index_of(latest(rows)).view())
