"""When a backend fails: the answer says what to do, the log says where, and nobody else learns that."""

from __future__ import annotations

import logging

import pytest

from truekeep.errors import BackendError, DamagedStore, EmbedderError, ExtractorError, StoreError

from .served import Served, at, detail

PLACE = "postgresql://zebra@db.internal:5432/zebras cannot be reached"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StoreError(PLACE, retryable=True), "the store is out of reach; try again"),
        (StoreError(PLACE), "the store is out of reach; the log of the server says why"),
        (DamagedStore(PLACE), "the store is damaged; the log of the server says why"),
        (EmbedderError(PLACE), "the embedder failed; the log of the server says why"),
        (ExtractorError(PLACE, retryable=True), "the extractor failed; try again"),
        (BackendError(PLACE), "what this needs is out of reach; the log of the server says why"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_an_outage_is_told_without_its_place(
    served: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, error: BackendError, words: str
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
    assert PLACE in caplog.text
