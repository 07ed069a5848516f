"""Into a memory: in batches, each there as a whole or not at all, and none of it twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from truekeep.errors import Conflict, InvalidInput
from truekeep.memory import Memory

from .records import Entry, LeftOut, Record, Statement

_BATCH = 200  # statements
_BATCH_BYTES = 4 * 1024 * 1024  # of their texts
_NUMBERED = re.compile(r"items\[(\d+)\]\.?")


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtIn:
    """What an import did."""

    added: int = 0
    reinforced: int = 0  # the same was here already, or twice in the source
    unchanged: int = 0  # brought in before
    refused: int = 0  # forgotten before: it does not come back
    values: int = 0
    redacted: int = 0  # items in which secrets were replaced
    left_out: tuple[LeftOut, ...] = ()

    @property
    def bad(self) -> int:
        """How many records somebody should look at."""
        return sum(one.is_bad for one in self.left_out)

    @property
    def seen(self) -> int:
        """How many records went by."""
        kept = self.added + self.reinforced + self.unchanged + self.refused + self.values
        return kept + len(self.left_out)


def bring_in(
    memory: Memory,
    records: Iterable[Record],
    *,
    strict: bool = False,
    progress: Callable[[BroughtIn], None] | None = None,
) -> BroughtIn:
    """Remember what `read` found. It can be repeated: what was brought in before stays as it is.

    Items of an import are history: they are not judged against each other, nor against what is here.

    Args:
        memory: embedded or served.
        records: what `read` yields.
        strict: stop at the first record that is bad; what came before it stays.
        progress: called after each batch.

    Raises:
        InvalidInput: with `strict`, a record is bad.
    """
    errand = _Errand(memory, strict=strict)
    for batch in _batches(records):
        errand.bring(batch)
        if progress is not None:
            progress(errand.done())
    return errand.done()


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.arguments["content"].encode()) if isinstance(record, Statement) else 0
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Errand:
    """One import on its way."""

    def __init__(self, memory: Memory, *, strict: bool) -> None:
        self._memory, self._strict = memory, strict
        self._counts: Counter[str] = Counter()
        self._left_out: list[LeftOut] = []

    def done(self) -> BroughtIn:
        """What it did until now."""
        return BroughtIn(**self._counts, left_out=tuple(self._left_out))

    def bring(self, batch: Iterable[Record]) -> None:
        statements = []
        for record in batch:
            if isinstance(record, LeftOut):
                self._leave_out(record)
            elif isinstance(record, Entry):
                self._set(record)
            else:
                statements.append(record)
        self._remember(statements)

    def _leave_out(self, one: LeftOut) -> None:
        if self._strict and one.is_bad:
            raise InvalidInput(one.where, one.reason)
        self._left_out.append(one)

    def _remember(self, statements: list[Statement]) -> None:
        """Those that the memory takes; it names one that it does not, and is asked again without that one."""
        while statements:
            try:
                kept = self._memory.remember_many({**one.arguments, "judged": False} for one in statements)
            except InvalidInput as error:
                self._leave_out(self._named(error, statements))
                continue
            except Conflict as error:
                self._take_out_known(error, statements)
                continue
            for one in kept:
                outcome = "added" if one.outcome == "superseded" else one.outcome
                self._counts["unchanged" if one.replayed else outcome] += 1
                self._counts["redacted"] += bool(one.redacted) and not one.replayed
            return

    def _named(self, error: InvalidInput, statements: list[Statement]) -> LeftOut:
        """The statement that the error is about, taken out."""
        named = _NUMBERED.match(error.argument)
        if named is None or int(named[1]) >= len(statements):
            raise error
        argument = error.argument[named.end() :]
        reason = f"{argument}: {error.problem}" if argument else error.problem
        return LeftOut(where=statements.pop(int(named[1])).where, reason=reason)

    def _take_out_known(self, error: Conflict, statements: list[Statement]) -> None:
        """One that was brought in before, when other rules of hygiene held: by now it would be another text."""
        keys = [repr(one.arguments["idempotency_key"]) for one in statements]
        known = next((number for number, key in enumerate(keys) if key in str(error)), None)
        if known is None:
            raise error
        del statements[known]
        self._counts["unchanged"] += 1

    def _set(self, entry: Entry) -> None:
        """A key that has a value here keeps it: an import knows nothing of what happened since."""
        try:
            self._memory.set(entry.key, entry.value, ttl=entry.ttl, if_version=0)
            self._counts["values"] += 1
        except Conflict:
            self._counts["unchanged"] += 1
