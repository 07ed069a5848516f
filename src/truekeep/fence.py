"""The marks around text that is not its speaker's own: recalled memory, written by `context`, and code."""

from __future__ import annotations

import re

RECALL_OPEN = "<recalled-memory"
RECALL_CLOSE = "</recalled-memory>"
CODE_FENCES = ("```", "~~~")

_RECALLED = re.compile(re.escape(RECALL_OPEN), re.IGNORECASE)
_RECALLED_END = re.compile(re.escape(RECALL_CLOSE), re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")


def without_recalled(text: str) -> str:
    """The text without blocks that are marked as recalled memory: those are not evidence for anything.

    A block that nobody closes ends at an empty line, lest it hide all the rest.
    """
    kept = []
    place = last_end = 0
    for end in _RECALLED_END.finditer(text):
        last_end = end.start()
    while block := _RECALLED.search(text, place):
        kept.append(text[place : block.start()])
        closing = _RECALLED_END if block.end() <= last_end else _EMPTY_LINE
        found = closing.search(text, block.end())
        place = found.end() if found else len(text)
    return "\n\n".join([*kept, text[place:]])
