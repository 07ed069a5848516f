"""How to get what an extra brings: said here once, for every message that has to say it."""

from __future__ import annotations


def to_install(extra: str) -> str:
    """The command for it. Truekeep is on no package registry yet, so it is one for a clone."""
    return f"pip install '.[{extra}]' in your clone of Truekeep"
