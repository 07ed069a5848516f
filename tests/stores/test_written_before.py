"""A file and an export from when the product had another name (`written/`): the schema says what they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from truekeep import Memory

LANGUAGE = "Ana prefers TypeScript over JavaScript"
CURRENT = {
    LANGUAGE,
    "I prefer short answers.",
    "Never deploy during the backup: the index was corrupted",
    "The release train leaves on Fridays at 10:00 UTC",
    "The staging password policy changes in June",
}
LATER = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    with ZipFile(Path(__file__).parent / "written" / "under_the_first_name.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path


@pytest.fixture
def opened(written: Path) -> Iterator[Memory]:
    with Memory("support-bot", at=written / "memory.db", clock=lambda: LATER) as memory:
        yield memory


def assert_whole(memory: Memory) -> None:
    assert {item.content for item in memory.items()} == CURRENT
    assert memory.recall("which language should I use for Ana?")[0].content == LANGUAGE
    assert [item.content for item in memory.items(include_superseded=True) if item.superseded_by] == [
        "The release train leaves on Thursdays at 14:00 UTC"
    ]
    (policy,) = (item for item in memory.items() if "June" in item.content)
    assert memory.history(policy.id)[0].content == "The staging password policy changes in May"
    assert memory.get("profile") == {"tone": "concise"}


def test_a_file_opens_and_is_whole(opened: Memory) -> None:
    assert opened.check() == []
    assert_whole(opened)


def test_what_was_forgotten_in_it_stays_so(opened: Memory) -> None:
    opened.remember("The office cat is called Miso", derived=True)

    assert not [match for match in opened.recall("what is the cat called?") if "Miso" in match.content]


def test_an_export_is_read(written: Path, tmp_path: Path) -> None:
    lines = (written / "export.jsonl").read_text(encoding="utf-8").splitlines()

    with Memory("support-bot", at=tmp_path / "new.db", clock=lambda: LATER) as memory:
        memory.import_(lines)

        assert_whole(memory)
