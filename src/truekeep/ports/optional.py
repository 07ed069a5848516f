"""What a store may offer besides: telling of changes, and being copied as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from truekeep.model import SpaceId

from .changes import Erased

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Ear(Protocol):
    """Somebody who listens."""

    @property
    def hears(self) -> bool:
        """Whether changes are told, so that there is little need to look."""

    def close(self) -> None: ...


@runtime_checkable
class Waking(Protocol):
    """A store that tells of changes that other processes make. It may tell too often, too late, or not at all."""

    def mark(self, space: SpaceId) -> str:
        """What stands for the space in what is told."""

    def listen(self, heard: Callable[[str], None]) -> Ear:
        """Call `heard`, in a thread of the store's, with the mark of a space that has changed."""


@runtime_checkable
class Pooled(Protocol):
    """A store that lends connections to those who ask it."""

    def pool(self) -> Mapping[str, int]:
        """How many connections are `used` and `idle`, and how many calls are `waiting` for one."""

    @property
    def is_away(self) -> bool:
        """Whether nothing that it is connected to let it in when it tried last. Asks nobody, and waits for nobody."""

    def give_up(self) -> None:
        """If what it is connected to is away, end all calls that wait for that, and wait no more from now on."""


@runtime_checkable
class Restricted(Protocol):
    """A store that this process may not be allowed to write."""

    @property
    def is_read_only(self) -> bool:
        """Whether it was opened so: then there is no work to be done in the background."""


Table = Literal[
    "items",
    "versions",
    "vectors",
    "markers",
    "tombstones",
    "answers",
    "accesses",
    "kept_values",
    "jobs",
    "checkpoints",
    "former_values",
]  # what a space consists of, in the order in which it is copied
Cells: TypeAlias = "tuple[str | int | bytes | None, ...]"  # one row, as `stores.tables.COLUMNS` says


class Counters(NamedTuple):
    """What a space counts up, apart from its rows."""

    head: int
    floor: int
    value_head: int


class View(Protocol):
    """One state of a whole store, row by row, in a form that every other store can keep as it is."""

    @property
    def secret(self) -> bytes:
        """What keys the fingerprints."""

    @property
    def is_new(self) -> bool:
        """Whether no space was ever made: nothing is keyed by the secret yet."""

    def spaces(self) -> list[SpaceId]:
        """All that ever held anything and were not erased, those of the tenants themselves too; sorted."""

    def counters(self, space: SpaceId) -> Counters: ...

    def counts(self, space: SpaceId) -> dict[Table, int]:
        """How many rows there are, in each table; zeros for a space that is not there."""

    def rows(self, space: SpaceId, table: Table) -> Iterator[Sequence[Cells]]:
        """All rows by pages, in the same order in every store. A damaged row raises DamagedStore."""

    def access_keys(self) -> list[Cells]:
        """By id."""

    def usage(self) -> list[Cells]: ...


@runtime_checkable
class Movable(Protocol):
    """A store that can be copied from and to as it is: with every number, time, vector and tombstone.

    A copy into a space carries a *note* until it is finished: whoever copies says what it has done so far, in the same
    transaction, and goes on from there when it was interrupted.
    """

    def viewed(self) -> AbstractContextManager[View]:
        """What is there now, for as long as it takes, while others read and write. A lost connection ends it."""

    @property
    def location(self) -> str:
        """Where it is, in the user's words."""

    def erase_space(self, space: SpaceId) -> Erased:
        """As of `Items`; the note of a copy goes, too."""

    def adopt_secret(self, secret: bytes) -> bool:
        """Key fingerprints by this one, if there is no space yet that was keyed by another; whether that is so."""

    def unfinished(self, space: SpaceId) -> str | None:
        """The note of a copy that was begun; None when there is none."""

    def take_in(self, space: SpaceId, table: Table, rows: Sequence[Cells], *, based_on: str | None, note: str) -> None:
        """Add rows and leave the note, as a whole or not at all.

        Conflict unless the note that is there is the one that this is `based_on`; None: unless the space holds nothing.
        """

    def finish(self, space: SpaceId, counters: Counters, *, based_on: str) -> None:
        """Set what the space counts up, and remove the note. Conflict as for `take_in`."""

    def take_in_keys(self, keys: Sequence[Cells]) -> None:
        """Keep access keys, all or none. Those that are here already stay; Conflict when they are not the same."""

    def take_in_usage(self, usage: Sequence[Cells]) -> None:
        """Raise counts to these; larger ones stay."""
