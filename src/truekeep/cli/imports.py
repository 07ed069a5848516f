"""`import --from`: what other memories hold."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import typer

from truekeep import InvalidInput
from truekeep.importers import BroughtIn, Entry, LeftOut, Record, Statement, bring_in

from . import options, output

if TYPE_CHECKING:
    from rich.progress import Progress

    from truekeep import Memory

_TOLD = 20  # bad records that are told one by one
_SHOWN = 5  # records that a dry run shows


def names(given: list[str] | None) -> dict[str, str]:
    """`content=body` as what it says."""
    pairs = {}
    for one in given or []:
        ours, sign, theirs = one.partition("=")
        if not (ours and sign and theirs):
            raise InvalidInput("--map", f"{one!r} is not OURS=THEIRS, such as content=body")
        pairs[ours] = theirs
    return pairs


def bring(
    call: options.Answering,
    records: Iterable[Record],
    memory: Memory,
    finish: Callable[[Memory, Progress], None],
    *,
    strict: bool,
) -> None:
    """Import, and tell; the exit code says whether something was wrong with the source."""
    with output.progress() as bars:
        task = bars.add_task("bringing in", total=None)
        begun = time.monotonic()

        def show(so_far: BroughtIn) -> None:
            rate = so_far.seen / max(time.monotonic() - begun, 0.001)
            bars.update(task, completed=so_far.seen, description=f"bringing in ({rate:,.0f}/s)")

        done = bring_in(memory, records, strict=strict, progress=show)
        bars.update(task, total=done.seen)
        finish(memory, bars)
    _tell_left_out(done.left_out)
    call.answer(_told(done), _sentence(done))
    if done.bad:
        raise typer.Exit(output.FAILED)


def look(call: options.Answering, records: Iterable[Record], *, strict: bool) -> None:
    """A dry run: what would come in. No memory is opened, nothing is written."""
    survey = _Survey()
    for record in records:
        if strict and isinstance(record, LeftOut) and record.is_bad:
            raise InvalidInput(record.where, record.reason)
        survey.see(record)
    _tell_left_out(survey.left_out)
    call.tell(survey.told(), lambda _: survey.show())
    if any(one.is_bad for one in survey.left_out):
        raise typer.Exit(output.FAILED)


class _Survey:
    """Counts what goes by."""

    def __init__(self) -> None:
        self.left_out: list[LeftOut] = []
        self._statements = self._values = 0
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in ("kind", "speaker", "session", "tag")}
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._shown: list[Statement] = []

    def see(self, record: Record) -> None:
        if isinstance(record, LeftOut):
            self.left_out.append(record)
        elif isinstance(record, Entry):
            self._values += 1
        else:
            self._see(record)

    def _see(self, statement: Statement) -> None:
        told = statement.arguments
        self._statements += 1
        self._counts["kind"][told["kind"] or "fact"] += 1
        self._counts["tag"].update(told["tags"])
        for name in ("speaker", "session"):
            if (one := getattr(told["source"], name)) is not None:
                self._counts[name][one] += 1
        if (when := told["when"]) is not None:
            self._first = min(when, self._first or when)
            self._last = max(when, self._last or when)
        if len(self._shown) < _SHOWN:
            self._shown.append(statement)

    def told(self) -> dict[str, Any]:
        counts = {f"{name}s": dict(found.most_common(_TOLD)) for name, found in self._counts.items()}
        span = {"first": self._first, "last": self._last}
        return {"memories": self._statements, "values": self._values, **span, **counts, **_reasons(self.left_out)}

    def show(self) -> None:
        rows: list[tuple[str, object, str]] = [("memories", self._statements, ""), ("values", self._values, "")]
        for name, found in self._counts.items():
            rows += [(name, count, one) for one, count in found.most_common(_SHOWN)]
        rows += [(name, "", output.day(at)) for name, at in (("first", self._first), ("last", self._last)) if at]
        rows += [("left out", count, reason) for reason, count in _by_reason(self.left_out).items()]
        output.print_table(("would come in", "count", ""), rows)
        if self._shown:
            output.say("")
            output.print_table(("from", "when", "speaker", "content"), map(_row, self._shown))


def _row(statement: Statement) -> tuple[object, ...]:
    told = statement.arguments
    return statement.where, told["when"], told["source"].speaker, output.one_line(told["content"])


def _tell_left_out(left_out: Iterable[LeftOut]) -> None:
    bad = [one for one in left_out if one.is_bad]
    for one in bad[:_TOLD]:
        output.note(f"{one.where}: {one.reason}")
    if len(bad) > _TOLD:
        output.note(f"... and {len(bad) - _TOLD:,} more were left out")


def _by_reason(left_out: Iterable[LeftOut]) -> dict[str, int]:
    return dict(Counter(one.reason for one in left_out).most_common(_TOLD))


def _reasons(left_out: list[LeftOut]) -> dict[str, Any]:
    return {
        "left_out": len(left_out),
        "bad": sum(one.is_bad for one in left_out),
        "problems": [{"where": one.where, "reason": one.reason} for one in left_out if one.is_bad][:100],
    }


def _told(done: BroughtIn) -> dict[str, Any]:
    counts = ("added", "reinforced", "unchanged", "refused", "values", "redacted")
    return {**{name: getattr(done, name) for name in counts}, **_reasons([*done.left_out])}


def _sentence(done: BroughtIn) -> str:
    told = _told(done)
    del told["problems"], told["bad"]
    return "brought in: " + ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in told.items())
