"""Timing calls, and what a case has to tell."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Check(NamedTuple):
    """A measured figure beside the one that it is to reach."""

    measured: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def ok(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    @property
    def target(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}{self.unit}"

    @property
    def shown(self) -> str:
        return f"{self.measured:.3g}{self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Milliseconds of each call: CPU of the calling thread, and on the wall."""

    cpu: Sequence[float]
    wall: Sequence[float]

    @property
    def cpu_p50(self) -> float:
        return statistics.median(self.cpu)

    def wall_at(self, percent: int) -> float:
        ordered = sorted(self.wall)
        return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table."""

    case: str
    items: int
    timing: Timing | None = None
    bytes: int | None = None
    note: str = ""
    checks: Sequence[Check] = ()


def timed(call: Callable[[T], object], arguments: Iterable[T]) -> Timing:
    """Call with each argument in turn. The garbage collector stays on, as it is for users."""
    cpu: list[float] = []
    wall: list[float] = []
    for argument in arguments:
        wall_start, cpu_start = time.perf_counter(), time.thread_time()
        call(argument)
        cpu_end, wall_end = time.thread_time(), time.perf_counter()
        cpu.append((cpu_end - cpu_start) * 1000)
        wall.append((wall_end - wall_start) * 1000)
    return Timing(cpu=cpu, wall=wall)


def joined(timings: Sequence[Timing]) -> Timing:
    """Several timings as one."""
    return Timing(
        cpu=[one for timing in timings for one in timing.cpu], wall=[one for timing in timings for one in timing.wall]
    )
