"""The vectors of many spaces: served in turn, and one that cannot be read stops no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep import Memory
from truekeep.engine.aside import FIRST_REST
from truekeep.engine.parts import Parts
from truekeep.engine.runtime.local import Local
from truekeep.engine.runtime.upkeep import Upkeep
from truekeep.engine.vectorise import BATCH, with_few
from truekeep.engine.verbs.remember import remember
from truekeep.model import Draft, SpaceId
from truekeep.ports import Applied, Change, Store
from truekeep.testing.fakes import FakeEmbedder

from .test_vectorise import Ticks

LARGE, SMALL, BROKEN = (SpaceId("local", name) for name in ("large", "small", "broken"))


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    with Memory("bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(16), background=False) as memory:
        engine = cast(Local, memory._engine)
        engine._parts.unfinished.remove(engine.space)
        yield engine._parts


def keep(parts: Parts, space: SpaceId, count: int) -> None:
    drafts = [Draft(content=f"note number {number}", judged=False) for number in range(count)]
    remember(drafts, parts=parts, space=space, now=parts.clock())


def pending(parts: Parts, space: SpaceId) -> int:
    return parts.indexes.refreshed(space).pending_count


def test_a_small_space_does_not_wait_until_a_large_one_is_done(parts: Parts) -> None:
    keep(parts, LARGE, 5 * BATCH)
    keep(parts, SMALL, 10)
    upkeep = Upkeep(parts)

    rounds = [upkeep.run() for _ in range(3)]

    assert rounds == [True, True, True]
    assert (pending(parts, LARGE), pending(parts, SMALL)) == (3 * BATCH, 0)


def test_vectors_are_made_from_the_oldest_on_unless_others_make_them_too(parts: Parts) -> None:
    keep(parts, LARGE, 5 * BATCH)
    oldest = parts.indexes.refreshed(LARGE).pending(2 * BATCH)
    upkeep = Upkeep(parts)
    upkeep.run()
    alone, begins_alone = parts.indexes.refreshed(LARGE).pending(BATCH), parts.unfinished.begin(LARGE)

    class Beaten:
        """A store whose next batch was made by another process in the meantime."""

        def __getattr__(self, name: str) -> Any:
            return getattr(parts.store, name)

        def apply(self, space: SpaceId, change: Change, **given: Any) -> Applied:
            parts.store.apply(space, change, **given)
            return parts.store.apply(space, change, **given)

    Upkeep(replace(parts, store=cast(Store, Beaten()))).run()

    assert (alone, begins_alone) == (oldest[BATCH:], 0.0)
    assert parts.unfinished.begin(LARGE) > 0
    while upkeep.run():
        pass
    assert (pending(parts, LARGE), parts.unfinished.begin(LARGE)) == (0, 0.0)


def test_a_recall_that_makes_no_vectors_does_not_tell_who_else_makes_them(parts: Parts) -> None:
    keep(parts, LARGE, BATCH)
    parts.unfinished.share(LARGE, is_shared=True)

    with_few(parts.indexes.refreshed(LARGE), parts, LARGE, asked="unheard-of")

    assert parts.unfinished.begin(LARGE) > 0


def test_a_space_that_cannot_be_read_stops_no_other(parts: Parts, tmp_path: Path) -> None:
    keep(parts, BROKEN, 2)
    keep(parts, SMALL, 3 * BATCH)
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    connection.execute(
        "DELETE FROM items WHERE content = 'note number 0' AND space = (SELECT id FROM spaces WHERE name = 'broken')"
    )
    connection.close()
    ticks = parts.unfinished._clock = Ticks()
    upkeep = Upkeep(parts)

    while upkeep.run():
        pass

    assert (pending(parts, SMALL), upkeep.failures) == (0, 1)
    upkeep.run()
    assert upkeep.failures == 1  # it rests
    ticks.now += FIRST_REST
    upkeep.run()
    assert upkeep.failures == 2


class Meanwhile(FakeEmbedder):
    """Before it embeds a question, somebody else does what waits."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if list(texts) == ["anything?"]:
            self.others()
        return super().embed(texts)

    def others(self) -> None: ...


def test_a_recall_sees_the_vectors_that_others_made_while_it_read_the_question(tmp_path: Path) -> None:
    embedder = Meanwhile(16)
    with Memory("bot", at=tmp_path / "memory.db", embedder=embedder, background=False) as memory:
        engine = cast(Local, memory._engine)
        keep(engine._parts, engine.space, 2)
        embedder.others = lambda: Upkeep(engine._parts).run()  # type: ignore[method-assign, assignment]

        found = memory.recall("anything?")

    assert (len(found), found.pending) == (2, 0)
