"""The lines of a file: one at a time, however large it is."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator

import pytest

from truekeep import InvalidInput, Memory
from truekeep.engine import lines
from truekeep.engine.lines import Lines
from truekeep.testing.fakes import FakeEmbedder


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory("bot", at=":memory:", embedder=FakeEmbedder(), background=False) as opened:
        yield opened


def test_lines_can_be_gone_through_again() -> None:
    found = Lines(io.BytesIO("é\n\nb".encode()))

    assert list(found) == ["é\n", "\n", "b"]
    assert list(found) == ["é\n", "\n", "b"]


def test_a_line_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 10)

    assert list(Lines(io.BytesIO(b"123456789\n1"))) == ["123456789\n", "1"]
    with pytest.raises(InvalidInput, match="more than 10 bytes"):
        list(Lines(io.BytesIO(b"1234567890\n1")))


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match="UTF-8"):
        list(Lines(io.BytesIO(b"ok\n\xff\n")))


def test_an_import_of_line_ends_takes_no_room(memory: Memory) -> None:
    body = io.BytesIO(b"\n" * 200_000)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match="are empty"):
            memory._engine.import_(Lines(body))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 200_000


def test_an_export_comes_back_from_a_file(memory: Memory) -> None:
    memory.remember("Ana likes tea")
    memory.set("k", ["é"])
    exported = "\n\n".join(memory.export()).encode()
    with Memory("other", at=":memory:", embedder=FakeEmbedder(), background=False) as other:
        done = other._engine.import_(Lines(io.BytesIO(exported)))

        assert (done.items, done.values) == (1, 1)
        assert [item.content for item in other.items()] == ["Ana likes tea"]
