"""A secret that was said is in no file of the store, at no time: the bytes are searched, those of the log too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.errors import ExtractorError
from truekeep.model import Draft, Message
from truekeep.testing.fakes import FakeEmbedder

SECRETS = ["Tr0ub4dor&3", "qz7xQ4kPw2mN8", "ghp_A1b2C3d4E5f6G7h8J9k0", "4111 1111 1111 1111", "wJalrXUtnFEMI7K"]


class NeverReady:
    """Leaves its jobs in the store."""

    def extract(self, messages: Sequence[Message]) -> list[Draft]:
        raise ExtractorError("not now", retryable=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    at = tmp_path / "memory.db"
    with Memory("bot", at=at, embedder=FakeEmbedder(), extractor=NeverReady(), background=False) as memory:
        yield memory


def traces(folder: Path) -> list[tuple[str, str]]:
    files = [(file.name, file.read_bytes()) for file in folder.iterdir()]
    return [(name, secret) for name, found in files for secret in SECRETS if secret.encode() in found]


def say_secrets(memory: Memory) -> None:
    kept = memory.remember(f"The password is {SECRETS[0]}", metadata={"token": SECRETS[1]}, tags=[SECRETS[2]])
    memory.remember_many([f"pay with {SECRETS[3]}", f"aws_secret_access_key={SECRETS[4]}"])
    memory.remember(f"Ana said that the password is {SECRETS[0]}", idempotency_key="once", session="s")
    memory.correct(kept.id, f"The password was {SECRETS[0]}", metadata={"token": SECRETS[1]})
    memory.extract([{"role": "user", "content": f"my password is {SECRETS[0]}"}], session="s", wait=False)


def test_a_secret_is_in_no_file_while_the_store_is_open(memory: Memory, tmp_path: Path) -> None:
    say_secrets(memory)

    assert any(file.name.endswith("-wal") and file.stat().st_size for file in tmp_path.iterdir())
    assert traces(tmp_path) == []


def test_a_secret_is_in_no_file_after_closing_nor_in_a_backup(memory: Memory, tmp_path: Path) -> None:
    say_secrets(memory)
    memory.backup(tmp_path / "backup.db")

    memory.close()

    assert traces(tmp_path) == []


def test_the_search_would_find_it(tmp_path: Path) -> None:
    with Memory("bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False, redact="off") as memory:
        memory.remember(f"The password is {SECRETS[0]}")

        assert traces(tmp_path) != []
