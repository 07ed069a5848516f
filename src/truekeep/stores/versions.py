"""Which schema a store has, and which programs may write into it: one number, read before anything else of it.

The scripts of a store make it, one version after the other.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from truekeep.errors import ConfigurationError

_HALF = 16  # bits


@cache
def scripts(package: str) -> tuple[str, ...]:
    """The numbered SQL files of a store in order; the first makes version 1 of its schema."""
    folder = files(package).joinpath("migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


class Version(NamedTuple):
    """A schema, and the oldest one that a program has to know to write into a store of it."""

    schema: int
    oldest: int

    @classmethod
    def read(cls, number: int) -> Version:
        schema = number & (1 << _HALF) - 1
        return cls(schema, number >> _HALF or schema)

    @classmethod
    def after(cls, schema: int, beside: Collection[int]) -> Version:
        """The one that a migration leaves. Programs that do not know it may write only if it is named as `beside`."""
        return cls(schema, max(number for number in range(schema + 1) if number not in beside))

    @property
    def number(self) -> int:
        """The schema alone, where only programs that know it may write."""
        return self.schema if self.oldest == self.schema else self.oldest << _HALF | self.schema


def refuse_newer(number: int, known: int, location: str) -> None:
    """See that a program that knows the schemas up to `known` may use a store with this version."""
    version = Version.read(number)
    if version.oldest > known:
        raise ConfigurationError(
            f"{location} was written by a newer Truekeep (schema {version.schema}, for programs that know "
            f"{version.oldest} or later; this one knows {known}); upgrade truekeep"
        )
