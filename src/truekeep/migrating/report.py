"""What a migration did, or would do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from truekeep.model import SpaceId
from truekeep.ports import Table

Outcome = Literal["copied", "was there", "differs", "to copy", "to go on with"]
Tell: TypeAlias = Callable[[SpaceId, int, int], None]  # a space, how many of its rows are done, and of how many


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceCopy:
    """What became of one space. A hash covers all rows and counters, in order; "" where there is nothing yet."""

    space: SpaceId
    rows: Mapping[Table, int]
    source_hash: str = ""
    target_hash: str = ""
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What became of all of it."""

    spaces: tuple[SpaceCopy, ...] = ()
    keys: int = 0
    usage: int = 0
    is_same: bool = True  # whether the target holds what the source holds
    rekeyed: bool = False  # the target recognises statements by a secret of its own
    left: int = 0  # tombstones that were not taken along
