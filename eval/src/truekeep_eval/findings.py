"""What a run finds out: for each entry of a set, one hit or miss after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that a measure counts."""

    measure: str
    hit: bool
    about: str  # for a developer to read
    group: str = ""  # category of the scenario, or kind of the memory; "": told for everything together only


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of one scenario, world or conversation."""

    id: str
    author: str | None = None
    findings: tuple[Finding, ...]
    answered: tuple[float, ...] = ()  # `answerable` of the questions that it answers
    unanswered: tuple[float, ...] = ()  # ... and of those that nothing answers


@dataclass(frozen=True, slots=True)
class Measure:
    """What a measure counts, and how many it should be."""

    wanted: bool | None = None  # whether a hit is what should be; None: it is merely told
    bound: float | None = None  # at least so many where a hit is wanted, else at most

    def is_met(self, value: float) -> bool | None:
        """None without a target."""
        if self.bound is None:
            return None
        return value >= self.bound if self.wanted else value <= self.bound

    def is_fault(self, finding: Finding) -> bool:
        return self.wanted is not None and finding.hit != self.wanted
