"""kill -9 in the middle of an import, and the import once more."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.long

CHILD = [sys.executable, str(Path(__file__).with_name("child.py"))]
ROWS = 3_000


def line(number: int) -> str:
    # Every third one is a record of a conversation: two equal ones would be two items.
    kind = "interaction" if number % 3 == 0 else "fact"
    return json.dumps({"text": f"Guest {number} has room {number * 7}", "kind": kind, "speaker": "desk"}) + "\n"


def contents(store: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    with Memory("bot", at=store, embedder=FakeEmbedder(), background=False) as memory:
        cursor: str | None = None
        while True:
            page = memory.page(limit=1_000, cursor=cursor)
            found.update(item.content for item in page.items)
            cursor = page.cursor
            if cursor is None:
                return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "notes.jsonl"
    file.write_text("".join(line(number) for number in range(ROWS)))
    return file


def test_what_a_killed_import_left_undone_is_done_by_the_next_and_nothing_twice(tmp_path: Path, source: Path) -> None:
    store = tmp_path / "memory.db"
    killed = subprocess.Popen([*CHILD, "-", str(store)], stdin=subprocess.PIPE)
    assert killed.stdin is not None

    killed.stdin.write("".join(line(number) for number in range(1_050)).encode())
    killed.stdin.flush()
    while not store.exists() or sum(contents(store).values()) < 1_000:  # whole batches are there, the rest is not
        assert killed.poll() is None
        time.sleep(0.05)
    killed.kill()
    killed.communicate()
    done = subprocess.run([*CHILD, str(source), str(store)], capture_output=True, text=True, check=True)

    assert done.stdout.split() == [str(ROWS - 1_000), "1000"]
    assert contents(store) == Counter(json.loads(line(number))["text"] for number in range(ROWS))


def test_kills_at_any_moment_double_and_lose_nothing(tmp_path: Path, source: Path) -> None:
    store = tmp_path / "memory.db"
    moments = random.Random(7)

    for _ in range(6):
        child = subprocess.Popen([*CHILD, str(source), str(store)], stdout=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.3, 1.5))
        child.kill()
        child.wait()
    subprocess.run([*CHILD, str(source), str(store)], check=True, capture_output=True)

    assert contents(store) == Counter(json.loads(line(number))["text"] for number in range(ROWS))
