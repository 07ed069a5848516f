"""AsyncMemory is Memory, awaited: the same methods, the same signatures, the same answers."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from truekeep import AsyncMemory, Memory, StoreError
from truekeep.testing.fakes import FakeEmbedder, FixedClock


def public(handle: type) -> dict[str, Callable[..., Any]]:
    return {name: value for name, value in vars(handle).items() if not name.startswith("_") and callable(value)}


def signature(method: Callable[..., Any]) -> list[tuple[str, object, object]]:
    return [(one.name, one.kind, one.default) for one in inspect.signature(method).parameters.values()]


def opened(path: Path, **options: Any) -> AsyncMemory:
    return AsyncMemory("bot", at=path, **{"embedder": FakeEmbedder(), "background": False, **options})


def test_both_handles_have_the_same_methods() -> None:
    assert public(AsyncMemory).keys() == public(Memory).keys()
    assert isinstance(vars(AsyncMemory)["space"], property)
    assert signature(AsyncMemory) == signature(Memory)


@pytest.mark.parametrize("name", sorted(public(Memory)))
def test_both_handles_have_the_same_signature(name: str) -> None:
    sync, awaited = public(Memory)[name], public(AsyncMemory)[name]

    assert signature(awaited) == signature(sync)
    assert inspect.iscoroutinefunction(awaited) or inspect.isasyncgenfunction(awaited)
    if name != "export":  # an iterator there, an asynchronous iterator here
        assert inspect.signature(awaited).return_annotation == inspect.signature(sync).return_annotation
    annotations = [
        [one.annotation for one in inspect.signature(method).parameters.values()] for method in (awaited, sync)
    ]
    assert annotations[0] == annotations[1]


def test_every_method_answers_as_the_synchronous_one_does(tmp_path: Path) -> None:
    clock = FixedClock()

    async def use() -> tuple[list[str], list[Any]]:
        async with opened(tmp_path / "m.db", clock=clock) as memory:
            first = await memory.remember("The port is 80", key="port", tags=["net"], session="s")
            await memory.remember_many(["Ana likes tea", {"content": "The port is 8080", "key": "port"}])
            await memory.correct(first.id, tags=["old"])
            extraction = await memory.extract("Ana: I prefer cocoa.", session="s")
            waiting = await memory.extract("Ben: I prefer coffee.", wait=False)
            assert waiting.job is not None
            await memory.flush()
            await memory.set("k", [1])
            await memory.append("k", 2)
            await memory.increment("n")
            answers: list[Any] = [
                await memory.recall("port", kinds=["fact"], include_superseded=True, order="newest"),
                await memory.context("port", template="plain"),
                await memory.items(limit=2),
                await memory.history(first.id),
                await memory.sessions(),
                await memory.explain("port", first.id),
                await memory.get("k"),
                await memory.value("n"),
                await memory.keys(),
                await memory.job(waiting.job.id),
                (await memory.stats()).items,
            ]
            assert len(extraction.remembered) == 1
            await memory.backup(tmp_path / "copy.db")
            return [line async for line in memory.export()], [*answers, first.id, waiting.job.id]

    lines, (recalled, *answers, first, job) = anyio.run(use)

    with Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(), clock=clock, background=False) as memory:
        assert list(memory.export()) == lines
        assert [match.id for match in memory.recall("port", kinds=["fact"], include_superseded=True)] != []
        assert len(recalled) >= 2
        assert answers == [
            memory.context("port", template="plain"),
            memory.items(limit=2),
            memory.history(first),
            memory.sessions(),
            memory.explain("port", first),
            [1, 2],
            memory.value("n"),
            ["k", "n"],
            memory.job(job),
            memory.stats().items,
        ]
    assert (tmp_path / "copy.db").is_file()


def test_import_forget_and_delete(tmp_path: Path) -> None:
    async def use() -> None:
        async with opened(tmp_path / "m.db") as memory:
            kept = await memory.remember("Ana likes tea")
            await memory.set("k", 1)
            lines = [line async for line in memory.export()]
            assert (await memory.forget(kept.id)).erased == (kept.id,)
            assert (await memory.import_(lines)).refused == 1
            assert await memory.delete("k") is True
            assert (await memory.forget(everything=True)).remaining == 0
        with pytest.raises(StoreError, match="closed"):
            await memory.recall("tea")

    anyio.run(use)


def test_a_cancelled_write_still_completes(tmp_path: Path) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    class Slow(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            begun.set()
            goes_on.wait()
            return super().embed(texts)

    async def use() -> None:
        memory = opened(tmp_path / "m.db", embedder=Slow())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.remember, "Ana likes tea")
            await anyio.to_thread.run_sync(begun.wait)
            tasks.cancel_scope.cancel()
            goes_on.set()
        await memory.close()

    anyio.run(use)

    with Memory("bot", at=tmp_path / "m.db", embedder=FakeEmbedder(), background=False) as memory:
        assert [item.content for item in memory.items()] == ["Ana likes tea"]


def test_many_recalls_run_at_once(tmp_path: Path) -> None:
    found: dict[int, str] = {}

    async def use() -> None:
        async with opened(tmp_path / "m.db") as memory:
            await memory.remember_many([f"note {n}" for n in range(25)])

            async def ask(n: int) -> None:
                found[n] = (await memory.recall(f"note {n}"))[0].content

            async with anyio.create_task_group() as tasks:
                for n in range(25):
                    tasks.start_soon(ask, n)

    anyio.run(use)

    assert found == {n: f"note {n}" for n in range(25)}


def test_one_handle_serves_two_event_loops(tmp_path: Path) -> None:
    memory = opened(tmp_path / "m.db")

    async def write() -> None:
        async with anyio.create_task_group() as tasks:
            for n in range(20):  # more than there are threads, so that some wait for the limiter
                tasks.start_soon(memory.remember, f"note {n}")

    async def read() -> int:
        count = len(await memory.items())
        await memory.close()
        return count

    anyio.run(write)

    assert anyio.run(read) == 20


def test_two_event_loops_at_the_same_time(tmp_path: Path) -> None:
    memory = opened(tmp_path / "m.db")

    async def write(first: int) -> None:
        async with anyio.create_task_group() as tasks:
            for n in range(first, first + 20):
                tasks.start_soon(memory.remember, f"note {n}")

    threads = [threading.Thread(target=anyio.run, args=(write, first)) for first in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def read() -> int:
        async with memory:
            return len(await memory.items())

    assert anyio.run(read) == 40
