"""A person who was erased comes back by no way but on purpose, and is in no file any more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from truekeep import Memory
from truekeep.assembly import LOCAL_TENANT, open_store
from truekeep.engine.verbs.erasure import Erasures
from truekeep.model import Erasure, Person, Source
from truekeep.ports import Store
from truekeep.stores.sqlite import SqliteStore, wipe
from truekeep.testing.fakes import FakeEmbedder
from truekeep.testing.samples import SPACE, keep, put

NEEDLE = "qz0417zq"
ANA = Person(speakers=("ana",), values=("user:ana:*",), names=("ana",))
# The first space is done, in the second one the process ends as by kill -9.
KILLED = """
    import os, signal, sys
    from datetime import UTC, datetime
    from truekeep.engine.verbs.erasure import Erasures
    from truekeep.model import Person
    from truekeep.stores.sqlite import SqliteStore

    class Mortal(SqliteStore):
        def erase(self, space, *arguments, **named):
            if space.name == "s1":
                os.kill(os.getpid(), signal.SIGKILL)
            return super().erase(space, *arguments, **named)

    store = Mortal(sys.argv[1])
    Erasures(store, "local", lambda: datetime.now(UTC)).erase(Person(speakers=("ana",), names=("ana",)))
"""


def clock() -> datetime:
    return datetime.now(UTC)


def opened(file: Path, space: str = "bot") -> Memory:
    return Memory(space, at=file, embedder=FakeEmbedder(), background=False)


def erase(file: Path, who: Person = ANA) -> Erasure:
    with open_store(file) as store:
        return Erasures(store, LOCAL_TENANT, clock).erase(who)


def contents(memory: Memory) -> set[str]:
    return {item.content for item in memory.items(limit=100, include_superseded=True)}


def test_an_old_export_a_fork_and_an_old_transcript_bring_nothing_back(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    talk = [{"speaker": "ana", "content": "I prefer green tea."}, {"speaker": "ben", "content": "I prefer coffee."}]
    with opened(file) as memory:
        memory.extract(talk)
        memory.remember("I was born in Lisbon", speaker="ana")
        memory.set("user:ana:tone", "short")
        memory.set("user:ben:tone", "long")
        memory.checkpoint("before")
        exported = list(memory.export())

    receipt = erase(file)

    with opened(file) as memory:
        left = contents(memory)
        memory.fork("copy")
        memory.fork("copy of before", at="before")
        restored = memory.restore("before")
    assert (receipt.items, receipt.values, receipt.remaining, receipt.pending) == (2, 1, 0, ())
    assert len(left) == 1
    assert not restored.undone.values
    for space in ("copy", "copy of before", "another"):
        with opened(file, space) as memory:
            if space == "another":
                imported = memory.import_(exported)
                assert imported.refused >= 3
            memory.extract(talk)
            assert contents(memory) == left, space
            assert memory.keys() == ["user:ben:tone"]


def test_what_is_said_on_purpose_is_kept_and_the_rest_once_they_are_admitted(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    talk = [{"speaker": "ana", "content": "I prefer green tea."}]
    with opened(file) as memory:
        memory.remember("I like jazz", speaker="ana")
    erase(file)

    with opened(file) as memory:
        memory.extract(talk)
        said = memory.remember("I like jazz", speaker="ana")
        before = contents(memory)
    with open_store(file) as store:
        assert Erasures(store, LOCAL_TENANT, clock).admit(["ana"]) == ["ana"]
    with opened(file) as memory:
        memory.extract(talk)

        assert (said.outcome, before) == ("added", {"I like jazz"})
        assert len(contents(memory)) == 2


def test_the_bytes_are_in_no_file_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with opened(file) as memory:
        memory.remember_many([{"content": f"{NEEDLE} item {n}", "speaker": NEEDLE} for n in range(200)])
        memory.set(f"user:{NEEDLE}", {"tone": NEEDLE})
        memory.checkpoint("then")
        memory.set(f"user:{NEEDLE}", {"tone": "none"})
        memory.extract([{"speaker": NEEDLE, "content": f"I prefer {NEEDLE}."}, {"content": "Hi"}], wait=False)
        memory.remember("Ben likes coffee", speaker="ben")
    assert any(NEEDLE.encode() in path.read_bytes() for path in tmp_path.iterdir())

    receipt = erase(file, Person(speakers=(NEEDLE,), values=(f"user:{NEEDLE}*",), names=(NEEDLE,)))

    assert (receipt.items >= 200, receipt.values, receipt.pending) == (True, 1, ())
    assert not any(NEEDLE.encode() in path.read_bytes() for path in tmp_path.iterdir())
    with opened(file) as memory:
        assert contents(memory) == {"Ben likes coffee"}


def filled(file: Path, *, spaces: int, items: int) -> Store:
    store = SqliteStore(file)
    for number in range(spaces):
        of_ana = [put(f"a{n}", f"{NEEDLE} {n}", source=Source(speaker="ana")) for n in range(items)]
        of_ben = [put(f"b{n}", f"I met Ana {n} times", source=Source(speaker="ben")) for n in range(3)]
        keep(store, *of_ana, *of_ben, space=SPACE._replace(name=f"s{number}"))
    return store


def test_the_files_are_wiped_once_however_many_spaces_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear, cleared = wipe._clear_gaps, []

    def counted(path: Path, vfs: str | None, start: int) -> int | None:
        cleared.append(start)
        return clear(path, vfs, start)

    monkeypatch.setattr(wipe, "_clear_gaps", counted)
    with closing(filled(tmp_path / "memory.db", spaces=3, items=5)) as store:
        receipt = Erasures(store, LOCAL_TENANT, clock).erase(ANA)

    assert (receipt.items, receipt.remaining, receipt.pending, cleared) == (15, 0, (), [0])


@pytest.mark.skipif(os.name != "posix", reason="kills")
def test_whoever_was_killed_in_the_middle_finishes_by_doing_it_again(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    filled(file, spaces=3, items=5).close()
    script = textwrap.dedent(KILLED)

    ended = subprocess.run([sys.executable, "-c", script, str(file)], timeout=120).returncode
    with open_store(file) as store:
        erasures = Erasures(store, LOCAL_TENANT, clock)
        (half,) = erasures.receipts()
        barred = store.barred(LOCAL_TENANT, ["ana"])
        done = erasures.erase(Person(speakers=("ana",), names=("ana",)))

        assert ended == -signal.SIGKILL
        assert (half.items, half.ended, set(barred)) == (5, None, {"ana"})
        assert (done.id, done.items, done.mentions, done.spaces) == (half.id, 15, 9, 3)
        assert store.check() == []
    assert not any(NEEDLE.encode() in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.long
def test_many_spaces_and_ten_thousand_items(tmp_path: Path) -> None:
    store = filled(tmp_path / "memory.db", spaces=100, items=100)
    keep(store, put("other", source=Source(speaker="ana")), space=SPACE._replace(tenant="acme"))

    receipt = Erasures(store, LOCAL_TENANT, clock).erase(ANA)

    assert (receipt.spaces, receipt.items, receipt.mentions, receipt.remaining) == (100, 10_000, 300, 0)
    assert store.get(SPACE._replace(tenant="acme"), ["other"])
    assert store.check() == []
    store.close()
    assert not any(NEEDLE.encode() in path.read_bytes() for path in tmp_path.iterdir())
