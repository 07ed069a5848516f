"""The map of a space, and how it grew."""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from truekeep.assembly import LOCAL_TENANT, open_parts
from truekeep.engine.projection import counted_by_day, principal_axes, project
from truekeep.engine.runtime.local import Local
from truekeep.memory import handle
from truekeep.model import SpaceId
from truekeep.testing.fakes import FakeEmbedder, FixedClock

SPACE = SpaceId(LOCAL_TENANT, "bot")


def test_what_means_the_same_lies_close_together() -> None:
    opened = open_parts(at=":memory:", embedder=FakeEmbedder(), clock=FixedClock(), background=False)
    memory = handle(Local(opened, SPACE, owns=True))
    groups = [[f"{word} {word}s are {number}" for number in range(6)] for word in ("apple", "harbour", "violin")]
    memory.remember_many([{"content": text, "kind": "interaction"} for group in groups for text in group])
    memory.flush()

    made = project(parts=opened.parts, space=SPACE, now=opened.parts.clock(), limit=100)
    again = project(parts=opened.parts, space=SPACE, now=opened.parts.clock(), limit=100)
    contents = {item.id: item.content for item in memory.items()}
    memory.close()

    assert set(made.ids) == set(contents)
    assert np.abs(made.places).max() <= 1
    assert (made.places == again.places).all()
    places = {contents[id]: place for id, place in zip(made.ids, made.places, strict=True)}
    centres = [np.mean([places[text] for text in group], axis=0) for group in groups]
    for number, group in enumerate(groups):
        for text in group:
            distances = [float(np.linalg.norm(places[text] - centre)) for centre in centres]
            assert int(np.argmin(distances)) == number


def test_a_space_of_nothing_one_or_equal_items_has_a_map_too() -> None:
    for vectors in (np.zeros((0, 8)), np.ones((1, 8)), np.ones((5, 8))):
        places, share = principal_axes(vectors.astype(np.float32))

        assert places.shape == (len(vectors), 2)
        assert np.abs(places).max(initial=0) <= 1
        assert share == 1.0


def test_growth_counts_items_by_the_day_they_were_added() -> None:
    clock = FixedClock()
    opened = open_parts(at=":memory:", embedder=FakeEmbedder(), clock=clock, background=False)
    memory = handle(Local(opened, SPACE, owns=True))
    gone = memory.remember("the first thing")
    memory.remember("a cat sleeps")
    clock.advance(timedelta(days=2))
    memory.remember_many(["rain falls in autumn", "trains leave at noon"])
    memory.forget(gone.id)

    counts = counted_by_day("created", parts=opened.parts, space=SPACE, now=clock(), days=4)
    later = counted_by_day("created", parts=opened.parts, space=SPACE, now=clock() + timedelta(days=3), days=4)
    memory.close()

    assert counts == [0, 1, 0, 2]
    assert later == [2, 0, 0, 0]
