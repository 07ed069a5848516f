"""A migration that is killed with -9, several times, and run again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import cast

from truekeep.assembly import file_of, open_store
from truekeep.model import SpaceId
from truekeep.ports import Change, Movable
from truekeep.testing.samples import put

from .shell import PROGRAM, Shell

BOT = SpaceId("local", "bot")
MANY = 4000  # items, each with a vector
KILLS = (0, 2000, 5000)  # rows that are there when it is killed, or more
PATIENCE = 120.0  # seconds


def killed_and_resumed(shell: Shell, source: Path, target: str) -> None:
    """Copy many items, with interruptions; all are there, and once."""
    with open_store(source) as store:
        for start in range(0, MANY, 1000):
            puts = [put(f"{number:05}", vectors=bytes(768)) for number in range(start, start + 1000)]
            store.apply(BOT, Change(puts=puts, embedder="fake-16"), based_on=store.head(BOT).seq)

    kept = [killed_after(rows, [*PROGRAM, "migrate", "--from", str(source), "--to", target], shell) for rows in KILLS]
    done = shell.process("migrate", "--from", str(source), "--to", target, "--json")

    assert kept == sorted(kept)
    assert 0 < kept[0] < 2 * MANY
    assert done.code == 0, done
    assert done.json["is_same"]
    with open_store(target) as store:
        assert len(store.changes(BOT, after=0, limit=3 * MANY).rows) == MANY
        assert store.check() == []


def killed_after(rows: int, command: list[str], shell: Shell) -> int:
    """Kill the process once it has copied more rows than that; how many are there afterwards."""
    process = subprocess.Popen(command, env=shell.surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and _copied(command[-1]) <= rows:
            assert time.monotonic() < deadline, "it copies nothing"
            time.sleep(0.01)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return _copied(command[-1])


def _copied(target: str) -> int:
    file = file_of(target)
    if file is not None and not (file.exists() and file.stat().st_size):
        return 0
    with open_store(target) as store, cast(Movable, store).viewed() as view:
        return sum(view.counts(BOT).values())
