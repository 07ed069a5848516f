"""How entries of the audit wait until they are written: together, in little room, and none is forgotten by mistake."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from truekeep.engine.runtime.local import Local
from truekeep.errors import StoreError
from truekeep.model import AUDIT_VERBS, AuditEntry, AuditFilters, SpaceId
from truekeep.server.audit import VERBS, Audit, Audited
from truekeep.stores.sqlite import SqliteStore
from truekeep.testing.fakes import FixedClock

SPACE = SpaceId("acme", "bot")
# They tell no item, and change none: names, numbers, states, and what is the process's own affair.
SILENT = {
    *("answerable", "context", "job", "checkpoint", "checkpoints", "drop_checkpoint", "count", "sessions", "keys"),
    *("acknowledge", "readers", "drop_reader", "stats", "check", "flush", "abandon", "close"),
    "feed",  # a server has one over all spaces: routes/feed.py
}


class Kept:
    """A store that writes each batch down, or fails."""

    def __init__(self) -> None:
        self.batches: list[list[AuditEntry]] = []
        self.is_away = False

    def note_audit(self, entries: Mapping[str, Sequence[AuditEntry]]) -> None:
        if self.is_away:
            raise StoreError("away")
        if some := [entry for of_tenant in entries.values() for entry in of_tenant]:
            self.batches.append(some)


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def audit(kept: Kept) -> Audit:
    return Audit(cast(Any, kept), days=30, clock=FixedClock())


def test_each_verb_of_an_engine_is_noted_or_has_nothing_to_note() -> None:
    public = {name for name, value in vars(Local).items() if callable(value) and not name.startswith("_")}
    own = {name for name in vars(Audited) if name in public}

    assert own | SILENT == public
    assert own >= VERBS.keys()
    assert not own & SILENT


def test_all_that_is_noted_of_an_engine_can_be_asked_for() -> None:
    noted = {verb or method for method, verb in VERBS.items()}

    assert noted | {"fork", "import", "export", "webhook", "feed", "erase", "admit"} == set(AUDIT_VERBS)


def test_reads_wait_and_are_written_together(audit: Audit, kept: Kept) -> None:
    for number in range(3):
        audit.note(SPACE, "k", "recall", [f"{number}", f"{number}"])
    assert kept.batches == []

    audit.flush()
    audit.flush()

    [batch] = kept.batches
    assert [entry.ids for entry in batch] == [("0",), ("1",), ("2",)]


def test_an_entry_about_very_many_ids_is_several(audit: Audit, kept: Kept) -> None:
    ids = [f"{number}" for number in range(2_500)]

    audit.note(SPACE, "k", "export", ids)

    assert [len(entry.ids) for batch in kept.batches for entry in batch] == [1_000, 1_000, 500]


def test_a_flood_is_written_before_more_is_taken_in(audit: Audit, kept: Kept) -> None:
    for _ in range(30):
        audit.note(SPACE, "k", "items", [f"{number}" for number in range(1_000)])

    assert sum(map(len, kept.batches)) >= 19


def test_what_cannot_be_written_waits_in_bounded_room(
    audit: Audit, kept: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    kept.is_away = True
    audit.note(SPACE, "k", "forget", ["first"])
    with pytest.raises(StoreError):
        audit.flush()
    kept.is_away = False
    audit.flush()
    assert [entry.ids for entry in kept.batches[0]] == [("first",)]

    kept.is_away = True
    with caplog.at_level(logging.ERROR):
        for _ in range(100):
            audit.note(SPACE, "k", "items", [f"{number}" for number in range(1_000)])
    kept.is_away = False
    audit.flush()

    assert sum(len(entry.ids) for entry in kept.batches[-1]) <= 20_000
    assert "entries of the audit are lost" in caplog.text


def test_entries_are_dropped_after_their_days() -> None:
    clock = FixedClock(datetime(2026, 1, 1, tzinfo=UTC))
    with closing(SqliteStore(None)) as store:
        Audit(store, days=30, clock=clock).note(SPACE, "k", "forget")
        for later, left in ((timedelta(days=30), 1), (timedelta(seconds=1), 0)):
            clock.advance(later)
            Audit(store, days=30, clock=clock).drop_old()
            assert len(store.audit("acme", AuditFilters()).entries) == left
