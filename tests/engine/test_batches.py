"""What a batch costs: the line of claims with one key is not read as a whole, and no text twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from truekeep import Memory
from truekeep.engine import effects
from truekeep.engine.plan import Line
from truekeep.engine.reconcile import reconcile
from truekeep.model import Draft, MemoryItem
from truekeep.testing.fakes import FakeEmbedder

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def claim(id: str, when: int, until: int | None = None) -> MemoryItem:
    end = None if until is None else NOW + until * DAY
    return MemoryItem(
        id=id, content=id, key="k", created=NOW, updated=NOW, when=NOW + when * DAY, until=end, retired=end and NOW
    )


def test_only_neighbours_the_last_and_those_without_an_end_are_around() -> None:
    claims = [claim(str(n), n, n + 1) for n in range(1000)]

    around = Line([*claims, claim("lasting", -5)]).around(NOW + 500 * DAY)

    assert {"499", "500", "501", "999", "lasting"} <= set(around)
    assert len(around) < 50


def test_a_claim_that_moves_is_found_where_it_is() -> None:
    line = Line(claim(str(n), n, n + 1) for n in range(100))

    line.put(claim("90", 5, 6))
    line.remove("4")

    assert "90" in line.around(NOW + 5 * DAY)
    assert "4" not in line.around(NOW + 5 * DAY)


@given(
    whens=st.lists(st.none() | st.integers(0, 30), min_size=1, max_size=40),
    clock=st.lists(st.integers(0, 30), min_size=40, max_size=40),
)
def test_a_decision_on_what_is_around_is_that_on_all(whens: list[int | None], clock: list[int]) -> None:
    known: dict[str, MemoryItem] = {}
    line = Line()
    for place, (when, tick) in enumerate(zip(whens, sorted(clock), strict=False)):
        now = NOW + tick * DAY
        draft = Draft(content=str(place), key="k", when=None if when is None else NOW + when * DAY)
        near = [known[id] for id in line.around(draft.when or now)]

        decision, on_all = (
            reconcile(draft, id=str(place), same=[], claims=claims, now=now) for claims in (near, [*known.values()])
        )

        assert decision == on_all
        for changed in (decision.item, *decision.superseded, *decision.bounded):
            known[changed.id] = changed
            line.put(changed)


def test_a_batch_works_out_the_statement_of_each_text_once() -> None:
    texts = [f"Note {n}: the kiln is lit on Mondays." for n in range(64)]
    effects._stated.cache_clear()

    with Memory("bot", at=":memory:", embedder=FakeEmbedder(16), background=False) as memory:
        memory.remember_many(texts)

    assert effects._stated.cache_info().misses == len(texts)
