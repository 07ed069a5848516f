from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truekeep.index.space_index import SpaceIndex
from truekeep.index.tokens import tag_term, text_terms
from truekeep.model import Source

from .rows import DIMENSION, erased, found, index_of, packed, row, texts


def opened(parts: dict[str, bytes], *, dimension: int = DIMENSION) -> SpaceIndex:
    return SpaceIndex.from_parts(parts, dimension=dimension, seq=9)


def test_a_snapshot_opens_as_it_was_and_goes_on() -> None:
    index = opened(packed(index_of(texts("green tea", "black coffee"))))

    index.absorb([row(10, "0", "green tea", pinned=True), row(11, "2", "green car")])

    view = index.view()
    assert index.seq == 11
    assert sorted(found(view, "green")) == ["0", "2"]
    assert view.row_of("1") is not None


def test_nothing_of_an_erased_item_is_in_a_snapshot() -> None:
    secret = Source(speaker="Zacharias", session="confidential", name="whistle")
    kept = texts("green tea")
    index = index_of([*kept, row(5, "unusual-id", "xylophone", tags=("hush",), kind="zz", source=secret)])

    index.absorb([erased(6, "unusual-id")])
    parts = packed(index)

    everything = b"".join(parts.values())
    for text in (b"Zacharias", b"confidential", b"whistle", b"unusual-id", b"zz", b"xylophone"):
        assert text not in everything
    for term in (*text_terms("xylophone"), tag_term("hush")):
        assert term.to_bytes(8, "little") not in parts["posting.terms"]
    assert len(parts["passage.codes"]) == DIMENSION


def test_a_snapshot_of_an_empty_index_opens() -> None:
    assert opened(packed(SpaceIndex(DIMENSION))).view().live == 0


def test_a_snapshot_of_another_dimension_or_format_is_refused() -> None:
    parts = packed(index_of(texts("green tea")))
    other = {**parts, "header": json.dumps({**json.loads(parts["header"]), "format": 0}).encode()}

    with pytest.raises(ValueError, match="dimension"):
        opened(parts, dimension=DIMENSION * 2)
    with pytest.raises(ValueError, match="format"):
        opened(other)


@given(st.data())
def test_a_snapshot_that_lost_something_is_refused(data: st.DataObject) -> None:
    parts = packed(index_of(texts("green tea", "black coffee", "tea")))
    name = data.draw(st.sampled_from(sorted(name for name in parts if parts[name])))
    keep = data.draw(st.integers(0, len(parts[name]) - 1))

    with pytest.raises(ValueError):  # noqa: PT011  # which one depends on what is missing
        opened({**parts, name: parts[name][:keep]})
    with pytest.raises(ValueError, match="incomplete"):
        opened({other: part for other, part in parts.items() if other != name})


@pytest.mark.parametrize("name", ["item.first", "item.kind", "passage.owner", "posting.rows", "posting.offsets"])
def test_a_snapshot_that_points_outside_is_refused(name: str) -> None:
    parts = packed(index_of(texts("green tea", "black coffee")))

    with pytest.raises(ValueError, match="contradict"):
        opened({**parts, name: b"\x7f" * len(parts[name])})
