"""A statement that is forgotten goes in all the words in which it was said."""

from __future__ import annotations

from truekeep import Memory

SAID, AGAIN = "Ana has a peanut allergy.", "Ana has peanut allergies."


def test_the_other_wordings_of_a_forgotten_statement_go_with_it_and_stay_away() -> None:
    with Memory("bot", at=":memory:", background=False) as memory:
        first = memory.remember(SAID)
        again = memory.remember(AGAIN)
        assert (again.outcome, again.id, memory.stats().items) == ("reinforced", first.id, 2)
        wordings = {item.id for item in memory.items(include_superseded=True)}

        receipt = memory.forget(again.id)

        assert (set(receipt.erased), receipt.remaining) == (wordings, 0)
        assert memory.items(include_superseded=True) == []
        assert list(memory.recall("peanut allergy", include_superseded=True)) == []
        for wording in (SAID, AGAIN):
            assert memory.remember(wording, derived=True).outcome == "refused"


def test_rolling_back_a_source_leaves_the_wordings_of_others() -> None:
    with Memory("bot", at=":memory:", background=False) as memory:
        memory.remember(SAID, key="ana/allergy")
        memory.remember("Ana has no allergy at all.", key="ana/allergy", source="crawler")

        memory.forget(source="crawler")

        assert [item.content for item in memory.items()] == [SAID]


def test_what_was_superseded_stays_whatever_its_key_is_called() -> None:
    with Memory("bot", at=":memory:", background=False) as memory:
        key = "essay: restate, then shorten"
        memory.remember("Ana hands the essay in on Monday.", key=key)
        newer = memory.remember("Ana hands the essay in on Friday.", key=key)

        memory.forget(newer.id)

        left = memory.items(include_superseded=True)
        assert [item.content for item in left] == ["Ana hands the essay in on Monday."]


def test_other_wordings_go_with_it_also_where_both_were_imported() -> None:
    with Memory("here", at=":memory:", background=False) as memory, Memory("there", at=":memory:") as other:
        memory.remember("Finn is lactose intolerant.")
        memory.remember("Finn can't digest lactose.")
        other.import_(memory.export())
        [left] = other.items()
        other.forget(left.id)

        assert other.items(include_superseded=True) == []
