"""How to get what is not installed yet: said here once, for every message that has to say it."""

from __future__ import annotations


def to_install(extra: str) -> str:
    """The command for an extra. Truekeep is on no package registry yet, so it is one for a clone."""
    return f"pip install '.[{extra}]' in your clone of Truekeep"


def to_install_folder(name: str) -> str:
    """The command for a package beside it, in a folder of the clone."""
    return f"pip install ./{name} in your clone of Truekeep"
