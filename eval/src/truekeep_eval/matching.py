"""How the sets that judge belief and extraction compare texts: by substrings, without regard to case or line breaks."""

from __future__ import annotations

import re

_SPACE = re.compile(r"\s+")


def normal(text: str) -> str:
    """Lower case, and one space for each run of white space; nothing else is touched."""
    return _SPACE.sub(" ", text.lower())


def holds(text: str, part: str) -> bool:
    """Whether the part stands somewhere in the text."""
    return normal(part) in normal(text)
