"""The readers and figures of `training`, as far as they need no PyTorch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from training import conversations, cuts, measure, scenarios
from training.examples import CHANGE, PART, SAME, STAY, UNKNOWN, Example, Task, read, write
from training.windows import HEAD, LONGEST, SEP, Lexer, Window, packed, windows

Logit = NDArray[np.float32]

DATA = Path(__file__).parent.parent.parent / "training/data"


def pair(*labels: int) -> Example:
    texts = tuple(f"older {place}" for place in range(len(labels)))
    return Example(task="relation", source="a", world="a1", head="newer", texts=texts, labels=labels)


def test_every_author_is_read() -> None:
    worlds = scenarios.load(DATA / "scenarios.jsonl")

    assert {world.author for world in worlds} == set("abcdefghijpqruw")
    assert len(worlds) == 2938
    labels = [label for world in worlds for label in world.labels.values()]
    assert {CHANGE, PART, SAME, UNKNOWN} == set(labels)
    assert labels.count(SAME) == 1168
    assert labels.count(CHANGE) + labels.count(PART) == 4400


def test_a_pair_that_follows_from_two_labels_is_unknown() -> None:
    chain = next(world for world in scenarios.load(DATA / "scenarios.jsonl") if UNKNOWN in world.labels.values())

    old, new = next(pair for pair, label in chain.labels.items() if label == UNKNOWN)

    known = {pair for pair, label in chain.labels.items() if label != UNKNOWN}
    ends = {end for start, end in known if start == old} | {start for start, end in known if end == new}
    shared = {start for start, end in known if old in (start, end)} | ends
    assert shared, "it follows from something"


def test_sentences_to_keep_have_a_kind_and_the_others_none() -> None:
    examples = list(conversations.load(DATA / "conversations.jsonl"))

    rows = [row for example in examples for row in zip(example.labels, example.kinds, strict=True)]
    assert all(bool(kind) == (label == 1) for label, kind in rows)
    assert 2450 < sum(label for label, _ in rows) < 2600


def test_examples_come_back_as_they_were_written(tmp_path: Path) -> None:
    given = [pair(STAY, CHANGE), pair(SAME)]

    assert write(tmp_path / "some.jsonl.gz", given) == 2
    assert list(read(tmp_path / "some.jsonl.gz")) == given


def test_steps_made_ahead_come_from_every_maker_in_turn() -> None:
    told = "print(list(ahead([partial(count, start) for start in (0, 100)], 5)))"
    program = f"from functools import partial; from itertools import count; from training.ahead import ahead; {told}"

    # It forks, and a process with threads should not.
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=DATA.parent.parent, capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout == "[0, 100, 1, 101, 2]\n"


def test_all_texts_stand_in_one_window_and_spans_hold_their_tokens() -> None:
    lexer = Lexer()
    texts = [lexer.tokens("We host on AWS."), lexer.tokens("Lunch is at noon.")]

    (window, held), *rest = windows(lexer.tokens("We moved to Hetzner."), texts)

    assert not rest
    assert held == [0, 1]
    assert [window.ids[start:end] for start, end in window.spans] == [list(text) for text in texts]
    assert window.ids[window.head - 1] == SEP


def test_texts_that_do_not_fit_go_into_further_windows() -> None:
    text = list(range(2000, 2060))

    found = list(windows([1500] * 100, [text] * 9))

    assert [place for _, held in found for place in held] == list(range(9))
    assert all(len(window.ids) <= LONGEST and window.head == HEAD + 2 for window, _ in found)
    assert len(found) > 1


def test_the_end_of_a_message_before_is_what_counts() -> None:
    (window, _), *_ = windows(list(range(2000, 2100)), [[1500]], ends=True)

    assert window.ids[1 : window.head - 1] == list(range(2100 - HEAD, 2100))


def test_found_at_counts_those_above_all_but_a_share_of_the_others() -> None:
    others = np.arange(100, dtype=np.float32)
    wanted = np.array([97.5, 98.5, 99.5, 10.0], dtype=np.float32)
    score, is_wanted = np.concatenate([others, wanted]), np.array([False] * 100 + [True] * 4)

    assert measure.found_at(score, is_wanted, 0.0) == 0.25
    assert measure.found_at(score, is_wanted, 0.01) == 0.5
    assert measure.found_at(score, is_wanted, 0.02) == 0.75


def test_unlabelled_pairs_are_not_counted() -> None:
    logits = np.zeros((3, 11), dtype=np.float32)

    labels, values = measure.pairs([pair(STAY, UNKNOWN, CHANGE)], [logits])

    assert list(labels) == [STAY, CHANGE]
    assert len(values) == 2


def test_a_change_of_a_part_counts_as_a_change() -> None:
    logits = np.zeros((2, 11), dtype=np.float32)
    logits[0, 1 + PART] = 5.0

    changed, same = measure.relation_margins(logits)

    assert changed[0] > 4 > changed[1]
    assert same[0] < same[1]


def test_the_interval_is_over_authors() -> None:
    middle, wide = measure.interval([0.4, 0.5, 0.6])

    assert middle == pytest.approx(0.5)
    assert wide == pytest.approx(4.3 * 0.1 / 3**0.5)


def test_windows_stand_side_by_side_and_keep_their_own_places() -> None:
    batch = [Window([101, 5, 102, 6, 102], 3, [(3, 4)]), Window([101, 7, 102, 8, 9, 102], 3, [(3, 4), (4, 5)])]

    (ids, places, segments, window, first, text), texts = packed(batch)

    assert ids.shape == (1, LONGEST)
    assert list(ids[0, :11]) == [*batch[0].ids, *batch[1].ids]
    assert list(places[0, :11]) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5]
    assert list(segments[0, :11]) == [0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1]
    assert list(window[0, :12]) == [0] * 5 + [1] * 6 + [-1]
    assert list(first[0, 5:11]) == [5] * 6
    assert texts == 3
    assert [place for place, number in enumerate(text[0]) if number < texts] == [3, 8, 9]


def test_windows_that_do_not_fit_begin_a_new_row() -> None:
    long = Window([101, *[5] * 198, 102], 1, [(1, 199)])

    (ids, _, _, window, first, _), texts = packed([long, long])

    assert ids.shape == (2, LONGEST)
    assert texts == 2
    assert window[1, 0] == 1
    assert first[1, 0] == LONGEST


def judged(task: Task, label: int, score: float, *, kind: str = "", world: str = "w") -> tuple[Example, Logit]:
    """One text, and logits that speak for a change, for relevance and for keeping as loudly as the score says."""
    row = np.zeros((1, 11), dtype=np.float32)
    row[0, [0, 1 + CHANGE, 5]] = score
    facts = ({"answerable": bool(label)},)
    texts, labels, kinds = ("text",), (label,), (kind,)
    return Example(
        task=task, source="a", world=world, head="h", texts=texts, labels=labels, kinds=kinds, facts=facts
    ), row


def test_a_cut_lets_through_the_share_of_faults_that_it_is_made_for() -> None:
    stays = [judged("relation", STAY, 0.1 * place) for place in range(100)]
    others = [judged("relation", CHANGE, 20.0), judged("relation", SAME, -9.0)]
    asked = [judged("relevance", place % 2, place + 20 * (place % 2)) for place in range(20)]
    said = [judged("keep", 1, 1.0, kind="fact"), judged("keep", 0, -1.0, world="nothing to keep")]
    examples, logits = zip(*stays, *others, *asked, *said, strict=True)

    found = [line.strip("| ").split(" | ") for line in cuts.cut_lines({"a": examples}, {"a": logits})]

    table = {name: cells for name, *cells in found}
    assert table["change, 5% false"][1:3] == ["100.0%", "5.0%"]
    assert table["answerable, 5% lost; faults are questions without an answer"][1:3] == ["90.0%", "0.0%"]
    assert table["sentence, best F1"][1:3] == ["100.0%, 100.0% rightly", "0.0%"]
