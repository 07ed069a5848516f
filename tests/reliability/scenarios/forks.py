"""A process that forks while its threads use the memory."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from tests.reliability.child import PATIENCE, Child
from tests.reliability.children import say
from truekeep import Memory

from .handles import damages, exported, opened


def fork(path: str, rounds: str, load: str) -> None:
    """In a child: fork again and again; each grandchild writes, finds, and ends in one of two ways."""
    memory = opened(path, background=True)
    memory.remember("the parent was here first")
    stop = threading.Event()
    threads = [threading.Thread(target=_hammer, args=(memory, stop, number)) for number in range(3 * (load == "busy"))]
    for thread in threads:
        thread.start()
    for number in range(int(rounds)):
        pid = os.fork()
        if pid == 0:
            _grandchild(memory, number)
        memory.remember(f"parent went on after fork {number}")
        say({"kept": f"parent went on after fork {number}"})
        say({"status": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})
        if not any(f"grandchild {number} " in match.content for match in memory.recall(f"grandchild {number}")):
            say({"problem": f"the parent does not find what grandchild {number} wrote"})
    stop.set()
    for thread in threads:
        thread.join()
    memory.close()


def _hammer(memory: Memory, stop: threading.Event, thread: int) -> None:
    number = 0
    while not stop.is_set():
        number += 1
        memory.remember(f"hammer {thread} strikes {number}")
        memory.recall(f"hammer {thread}")


def _grandchild(memory: Memory, number: int) -> None:
    text = f"grandchild {number} was born"
    memory.remember(text)
    memory.remember_many([f"grandchild {number} speaks", f"grandchild {number} walks"])
    say({"kept": text})
    found = [match.content for match in memory.recall("the parent was here first")]
    if not any(thread.name == "truekeep-upkeep" and thread.is_alive() for thread in threading.enumerate()):
        say({"problem": f"nobody does the upkeep of grandchild {number}"})
    if "the parent was here first" not in found:
        say({"problem": f"grandchild {number} does not find what its parent wrote"})
    if number % 2:
        memory.close()
        os._exit(0)
    sys.exit(0)  # through atexit, as a script of its own


def violations(
    folder: Path, *, rounds: int, load: str, fault: str | None = None, patience: float = PATIENCE
) -> list[str]:
    path = folder / f"forked-{load}.db"
    with Child("forks.fork", path, rounds, load, fault=fault, patience=patience) as child:
        try:
            heard = child.rest()
        except AssertionError as hang:
            return [str(hang)]
        status = child.end()
        found = [] if status == 0 else [f"the process ended with {status}: {child.errors()}"]
    there = {record["content"] for record in exported(path) if record["type"] == "item"}
    found += [word["problem"] for word in heard if "problem" in word]
    found += [f"lost {word['kept']!r}" for word in heard if "kept" in word and word["kept"] not in there]
    statuses = [word["status"] for word in heard if "status" in word]
    if statuses != [0] * rounds:
        found.append(f"the grandchildren ended with {statuses}")
    return found + damages(path)
