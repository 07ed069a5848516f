"""The recalled block of a prompt: marked, so that nobody takes it for something that was said."""

from __future__ import annotations

import re

from truekeep.engine.tokens import CountTokens, estimate
from truekeep.engine.verbs.context import Material, packed
from truekeep.fence import RECALL_OPEN, without_recalled

HEADING = "## Long-term memory"

_ITEM = re.compile(r"^- \[", re.MULTILINE)
_MARK = re.compile(re.escape(RECALL_OPEN), re.IGNORECASE)
_HEADED = re.compile(rf"^#{{1,6}} [^\n]*\n+(?={re.escape(RECALL_OPEN)})", re.IGNORECASE | re.MULTILINE)


def recall_block(
    material: Material, *, max_tokens: int, heading: str = HEADING, count_tokens: CountTokens | None = None
) -> str:
    """As much of the material as fits, fenced, under a heading; empty when there is nothing to say."""
    return shown_block(material, max_tokens=max_tokens, heading=heading, count_tokens=count_tokens)[0]


def shown_block(
    material: Material, *, max_tokens: int, heading: str = HEADING, count_tokens: CountTokens | None = None
) -> tuple[str, frozenset[str]]:
    """The block, and the ids of the items in it."""
    count = count_tokens or estimate
    above = f"{heading}\n" if heading else ""
    text, ids = packed(material, template="default", max_tokens=max_tokens - count(above), count_tokens=count)
    return (f"{above}{text}" if text else ""), ids


def announcement(block: str) -> str:
    """One line for people about a block: "recalled 3 memories"; empty for an empty one."""
    count = len(_ITEM.findall(block))
    return f"recalled {count} {'memory' if count == 1 else 'memories'}" if count else ""


def is_recalled(text: str) -> bool:
    """Whether there is a recalled block in the text."""
    return _MARK.search(text) is not None


def strip_recalled(text: str) -> str:
    """The text without recalled blocks and their Markdown headings; unchanged if there are none."""
    return without_recalled(_HEADED.sub("", text)).strip() if is_recalled(text) else text
