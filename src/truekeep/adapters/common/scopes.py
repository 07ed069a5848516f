"""Which spaces an agent reads, and which one it writes: said explicitly, and resolved for every call."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from truekeep.errors import ConfigurationError


@dataclass(frozen=True, slots=True, init=False)
class Scopes:
    """Names of spaces. There is no way to say "all of them", and what is not named is not read.

    Args:
        read: what recall may see, the most important first; one name, or several.
        write: where new memories go; None: nothing is written.
    """

    read: tuple[str, ...]
    write: str | None

    def __init__(self, read: Collection[str] | str, write: str | None = None) -> None:
        names = (read,) if isinstance(read, str) else tuple(dict.fromkeys(read))
        for name in names if write is None else (*names, write):
            if not isinstance(name, str) or not name.strip():
                raise ConfigurationError(f"a scope is the name of a space, not {name!r}")
        object.__setattr__(self, "read", names)
        object.__setattr__(self, "write", write)

    @classmethod
    def of(cls, given: object) -> Scopes:
        """Scopes as they are, or one name for reading and writing."""
        if isinstance(given, Scopes):
            return given
        if isinstance(given, str):
            return cls(read=given, write=given)
        raise ConfigurationError(f"scopes are Scopes(read=..., write=...) or one name, not {type(given).__name__}")


AnyScopes = str | Scopes | Callable[[], str | Scopes]
