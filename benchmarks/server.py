"""`make bench-server`: what a second process sees of the server over loopback, beside an echo and the engine itself."""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

# One thread for products and the model, here and in the servers; must be set before NumPy is imported.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TRUEKEEP_THREADS"), "1")

from truekeep import Memory
from truekeep.embedders.minilm import MiniLM
from truekeep.testing.fakes import FakeEmbedder

from . import server_soak, table
from .measure import Check, timed
from .sentences import questions, sentences
from .server_driver import Line, Load, Served, request, serving
from .workbench import SPACE, Workbench

ITEMS = 10_000
CROWD = 16
_WARM_UP = 40
_EMBEDDERS = ("fake", "minilm")
_LEGEND = """\
A store of 10,000 memories in one space; five matches an answer. Milliseconds, on the driver's clock; CPU: of the
server's process, for one request. echo: a FastAPI route that returns the JSON body that it got, under the same uvicorn.
engine: the same recalls by a handle in the driver's process. With one caller they take turns, question by question.
recall: as `Memory` asks for it; "judged": the answer tells `answerable`, too."""


class Row(NamedTuple):
    """One line of the table."""

    case: str
    concurrency: int
    load: Load
    checks: Sequence[Check] = ()

    def cells(self) -> tuple[str, ...]:
        load, checks = self.load, self.checks
        return (
            self.case,
            str(self.concurrency),
            f"{load.per_second:,.0f}",
            *(f"{figure:.2f}" for figure in (load.at(50), load.at(99), load.cpu_each)),
            str(load.failed),
            "; ".join(check.shown for check in checks),
            "; ".join(check.target for check in checks),
            "" if not checks else "yes" if all(check.ok for check in checks) else "NO",
        )


HEADINGS = ("case", "callers", "per s", "p50", "p99", "CPU", "failed", "measured", "target", "ok")


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="truekeep-bench-", dir=arguments.folder) as folder:
        if arguments.soak:
            server_soak.soak(Path(folder), minutes=arguments.soak, rate=arguments.rate)
            return
        bench = Workbench(Path(folder), quick=arguments.quick)
        rows = []
        try:
            for embedder in arguments.only or _EMBEDDERS:
                for row in measured(bench, embedder):
                    rows.append(row)
                    print("  ".join(row.cells()), flush=True)
        finally:
            bench.close()
    print(f"\n{table.aligned([HEADINGS, *(row.cells() for row in rows)])}\n\n{_LEGEND}")


def measured(bench: Workbench, embedder: str) -> Iterator[Row]:
    """Recall and remember with this embedder, alone and in a crowd."""
    name = MiniLM.name if embedder == "minilm" else FakeEmbedder().name
    served_file, own_file = (bench.copy(bench.file(ITEMS, name), f"{embedder}-{who}") for who in ("served", "own"))
    memory = bench.keep(Memory(SPACE, at=own_file, embedder=_embedder(embedder), background=False))
    count = 200 if bench.quick else 600
    asked = list(dict.fromkeys(questions(20 * count)))  # the model remembers what it was asked before
    told = sentences(4 * count)
    with (
        serving("benchmarks.server_child", embedder, str(served_file)) as server,
        serving("benchmarks.server_child", "echo") as echo,
    ):
        yield from _alone(embedder, memory, server, echo, asked[: count + _WARM_UP])
        yield Row(
            f"recall, {embedder}", CROWD, server.load(_recalls(asked[count + _WARM_UP : 3 * count]), concurrency=CROWD)
        )
        yield Row("echo", CROWD, echo.load(_echoes(asked[: 2 * count]), concurrency=CROWD))
        yield Row(f"remember, {embedder}", 1, server.load(_remembers(told[:count])))
        yield Row(f"remember, {embedder}", CROWD, server.load(_remembers(told[count : 3 * count]), concurrency=CROWD))


def _alone(embedder: str, memory: Memory, server: Served, echo: Served, asked: list[str]) -> Iterator[Row]:
    timed(memory.recall, asked[:_WARM_UP])
    server.load(_recalls(asked[:_WARM_UP]))
    echo.load(_echoes(asked[:_WARM_UP]))
    engine, recalls, echoes = asyncio.run(_in_turns(memory.recall, server, echo, asked[_WARM_UP:]))
    over = Check((recalls.at(50) - engine.at(50)) / echoes.at(50), 1.5, "x echo above the engine")
    checks = [over] if embedder == "fake" else [over, Check(recalls.at(50), 25, " ms")]
    yield Row("echo", 1, echoes)
    yield Row(f"engine, {embedder}", 1, engine)
    yield Row(f"recall, {embedder}", 1, recalls, checks)
    yield Row(f"judged, {embedder}", 1, server.load(_recalls(asked[_WARM_UP::4], answerable=True)))


async def _in_turns(
    recalled: Callable[[str], object], server: Served, echo: Served, asked: list[str]
) -> tuple[Load, Load, Load]:
    """Engine, server and echo, question by question.

    What else the machine does slows all of them alike, and each finds the processor's caches as cold as the others: an
    echo that runs alone, again and again, takes half as long.
    """
    lines = [await Line.open(target.port) for target in (server, echo)]
    before = [target.cpu_seconds() for target in (server, echo)]
    engine = Load()
    loads = [Load(), Load()]
    for text, *made in zip(asked, _recalls(asked), _echoes(asked), strict=True):
        timing = timed(recalled, [text])
        engine += Load(each=list(timing.wall), seconds=timing.wall[0] / 1000, cpu_seconds=timing.cpu[0] / 1000)
        loads = [load + await line.clocked(one) for load, line, one in zip(loads, lines, made, strict=True)]
    for line in lines:
        line.close()
    used = [target.cpu_seconds() - cpu for target, cpu in zip((server, echo), before, strict=True)]
    recalls, echoes = (replace(load, cpu_seconds=cpu) for load, cpu in zip(loads, used, strict=True))
    return engine, recalls, echoes


def _embedder(name: str) -> FakeEmbedder | MiniLM:
    return MiniLM(threads=1) if name == "minilm" else FakeEmbedder()


def _recalls(texts: Sequence[str], *, answerable: bool = False) -> Iterator[bytes]:
    return (request("POST", f"/v1/spaces/{SPACE}/recall", {"query": text, "answerable": answerable}) for text in texts)


def _remembers(texts: Sequence[str]) -> Iterator[bytes]:
    return (request("POST", f"/v1/spaces/{SPACE}/memories", {"content": text}) for text in texts)


def _echoes(texts: Sequence[str]) -> Iterator[bytes]:
    return (request("POST", "/echo", {"query": text}) for text in texts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server", description="Measure the server.")
    parser.add_argument("--quick", action="store_true", help="a third of the requests")
    parser.add_argument("--only", nargs="+", choices=_EMBEDDERS, help="with these embedders only")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="a steady load for so long, instead")
    parser.add_argument("--rate", type=int, default=50, metavar="N", help="requests a second of the soak")
    parser.add_argument("--folder", type=Path, help="where the temporary files go")
    return parser.parse_args()


if __name__ == "__main__":
    main()
