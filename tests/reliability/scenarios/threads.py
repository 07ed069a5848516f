"""Many threads and many handles in one process."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.reliability.child import Child
from tests.reliability.children import say
from truekeep import Memory, StoreError

from .handles import opened


def crowd(memory: Memory, threads: int, count: int) -> list[str]:
    """Every thread writes and finds its own writes, all at once."""
    start = threading.Barrier(threads)

    def use(thread: int) -> list[str]:
        start.wait()
        found = []
        for number in range(count):
            text = f"t{thread}n{number}x is what thread {thread} says"
            memory.remember(text)
            memory.increment("total")
            if text not in [match.content for match in memory.recall(f"t{thread}n{number}x")]:
                found.append(f"{text!r} is not found by who said it")
        return found

    with ThreadPoolExecutor(threads) as pool:
        found = [problem for problems in pool.map(use, range(threads)) for problem in problems]
    if memory.get("total") != threads * count:
        found.append(f"the counter shows {memory.get('total')}")
    if len(memory.items(limit=1000)) != threads * count:
        found.append(f"{len(memory.items(limit=1000))} items are there")
    return found


def close_during_use(path: str, rounds: str) -> None:
    """In a child, which may crash: close the handle while eight threads use it; each ends with a clear error."""
    for number in range(int(rounds)):
        memory = opened(path, background=number % 2 == 0)
        memory.remember("something is here")
        uses: list[Callable[[], object]] = [
            lambda memory=memory: memory.recall("something"),  # type: ignore[misc]
            lambda memory=memory: memory.remember(f"note {time.monotonic_ns()}"),  # type: ignore[misc]
            lambda memory=memory: memory.increment("n"),  # type: ignore[misc]
            lambda memory=memory: list(memory.export()),  # type: ignore[misc]
        ]
        with ThreadPoolExecutor(8) as pool:
            endings = [pool.submit(_until_closed, uses[thread % 4]) for thread in range(8)]
            time.sleep(0.01)
            memory.close()
            for ending in endings:
                problem = ending.result()
                if problem:
                    say({"problem": f"round {number}: {problem}"})


def _until_closed(use: Callable[[], object]) -> str | None:
    try:
        while True:
            use()
    except StoreError as error:
        return None if "closed" in str(error) else f"unclear: {error!r}"
    except Exception as error:
        return repr(error)


def drop_handles(path: str, count: str) -> None:
    """In a child: open, use and drop handles without closing them; how many threads and files are left."""
    opened(path, background=True).close()  # what the first handle loads stays
    _settle()
    before = _held()
    for number in range(int(count)):
        place = f"{path}-{number % 5}" if number % 3 else ":memory:"
        opened(place, background=number % 2 == 0).remember("dropped")
    after = _settle(before)
    say({"before": before, "after": after})


def _held() -> list[int]:
    files = Path("/proc/self/fd") if Path("/proc/self/fd").exists() else Path("/dev/fd")
    return [threading.active_count(), len(list(files.iterdir()))]


def _settle(aim: list[int] | None = None) -> list[int]:
    """What is held once the upkeep thread had time to close what was dropped."""
    for _ in range(200):
        gc.collect()
        held = _held()
        if aim is not None and held <= aim and held[1] <= aim[1]:
            break
        time.sleep(0.02)
        if aim is None and threading.active_count() == 1:
            break
    return _held()


def violations_of_dropping(folder: Path, *, count: int, fault: str | None = None) -> list[str]:
    with Child("threads.drop_handles", folder / "dropped.db", count, fault=fault) as child:
        heard = child.hear()
    (threads, files), (threads_after, files_after) = heard["before"], heard["after"]
    found = [] if threads_after <= threads else [f"{threads_after} threads are left, {threads} were there"]
    return found if files_after <= files else [*found, f"{files_after} files are open, {files} were"]


def violations_of_closing(folder: Path, *, rounds: int) -> list[str]:
    with Child("threads.close_during_use", folder / "closed.db", rounds) as child:
        heard = child.rest()
        status = child.end()
        found = [] if status == 0 else [f"the process ended with {status}: {child.errors()}"]
    return found + [word["problem"] for word in heard]
