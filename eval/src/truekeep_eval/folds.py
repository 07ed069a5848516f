"""Folds: parts of a set that tell whether what was developed on some of it holds on the rest.

A set with themes is divided by theme; else an entry belongs to the fold of the number in its id, modulo the number of
folds, so that an entry stays in its fold when others are added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

_NUMBER = re.compile(r"(\d+)\D*$")


class Foldable(Protocol):
    """An entry of a set."""

    @property
    def id(self) -> str: ...

    @property
    def theme(self) -> str | None: ...


def fold_of(entries: Sequence[Foldable], folds: int) -> dict[str, int]:
    """The fold of each entry, by id."""
    themes = {theme: place for place, theme in enumerate(dict.fromkeys(entry.theme for entry in entries))}
    if len(themes) > 1:
        return {entry.id: themes[entry.theme] % folds for entry in entries}
    return {entry.id: _number(entry.id, place) % folds for place, entry in enumerate(entries)}


def _number(id: str, place: int) -> int:
    number = _NUMBER.search(id)
    return int(number[1]) if number else place
