"""When a backend fails: the answer says what to do, the log says where, and nobody else learns that."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from truekeep.errors import (
    BackendError,
    ConfigurationError,
    DamagedStore,
    EmbedderError,
    ExtractorError,
    StoreError,
    TruekeepError,
)

from .served import OPERATOR, Served, at, detail, on_a_file, serving

FOR_THE_OPERATOR = "its operator finds the reason in the log"
PLACE = "postgresql://zebra@db.internal:5432/zebras cannot be reached"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StoreError(PLACE, retryable=True), "the store is out of reach; try again"),
        (StoreError(PLACE), f"the store is out of order; {FOR_THE_OPERATOR}"),
        (DamagedStore(PLACE), f"the store is damaged; {FOR_THE_OPERATOR}"),
        (ConfigurationError(PLACE), f"the server is not set up for this; {FOR_THE_OPERATOR}"),
        (EmbedderError(PLACE), f"the embedder failed; {FOR_THE_OPERATOR}"),
        (ExtractorError(PLACE, retryable=True), "the extractor failed; try again"),
        (BackendError(PLACE), f"what this needs is out of reach; {FOR_THE_OPERATOR}"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_an_outage_is_told_without_its_place(
    served: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, error: TruekeepError, words: str
) -> None:
    def fails(*_: object, **__: object) -> bool:
        raise error

    with served.tenant() as caller, caplog.at_level(logging.ERROR), monkeypatch.context() as patch:
        patch.setattr(served.opened.parts.store, "head", fails)
        patch.setattr(served.opened.parts.store, "is_closed", fails)
        asked = [caller.get(at("bot", "memories")), caller.get("/health", headers={"Authorization": ""})]

    for answer in asked:
        assert detail(answer, 503)["detail"] == words
        assert "zebra" not in answer.text
        assert answer.headers["retry-after"] == ("1" if "try again" in words else "60")
    assert PLACE in caplog.text


def test_a_store_that_keeps_nothing_says_why_to_whoever_looks_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        raise StoreError(PLACE)

    with serving(tmp_path) as running:
        desk = running.app.state.desk
        before = desk.why_unwritable()
        with monkeypatch.context() as patch:
            patch.setattr(desk.store, "try_write", fails)
            meanwhile = desk.why_unwritable()

        assert (before, meanwhile, desk.why_unwritable()) == (None, PLACE, None)


@on_a_file
def test_damage_that_somebody_met_is_told_until_a_check_finds_none(tmp_path: Path) -> None:
    with serving(tmp_path, background=False, admin_key=OPERATOR) as running, running.caller() as operator:
        operator.post(at("bot", "memories"), json={"content": "Ana likes tea"})
        id = operator.get(at("bot", "memories")).json()["items"][0]["id"]
        spoil(tmp_path / "memory.db", "UPDATE items SET content = 'Ana likes tee'")
        met = operator.get(at("bot", "memories", id))
        meanwhile = running.app.state.desk.why_unwritable()
        spoil(tmp_path / "memory.db", "UPDATE items SET content = 'Ana likes tea'")
        sound = operator.get("/v1/check").json()["problems"]

        assert detail(met, 503)["detail"] == f"the store is damaged; {FOR_THE_OPERATOR}"
        assert id in meanwhile
        assert (sound, running.app.state.desk.why_unwritable()) == ([], None)


def spoil(file: Path, statement: str) -> None:
    """Change rows behind the back of the store."""
    with closing(apsw.Connection(str(file))) as connection:
        connection.set_busy_timeout(10_000)
        connection.execute(statement)


@on_a_file
def test_what_erasing_may_take_is_in_reserve_before_anybody_asks(tmp_path: Path) -> None:
    with serving(tmp_path, reserve_bytes=65_536):
        assert (tmp_path / "memory.db-reserve").stat().st_size == 65_536
