"""Results as text that a model reads: memories stand inside the fence, each with its id."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from truekeep.adapters.common.tools import NOTHING_FOUND, UNAVAILABLE, told
from truekeep.engine.context import TEMPLATES, Entry, Material
from truekeep.errors import BackendError, TruekeepError
from truekeep.fence import RECALL_CLOSE, RECALL_OPEN
from truekeep.model import JSON, MemoryItem, Recall, Remembered

from .results import NOTICE
from .versions import CallToolResult

log = logging.getLogger(__name__)

_AVOID = "Avoid (tried before and failed, or ruled out):"


def answer(result: BaseModel, text: str) -> Any:
    """A tool's result in both forms."""
    return CallToolResult.model_validate(
        {"content": [{"type": "text", "text": text}], "structuredContent": result.model_dump(mode="json")}
    )


def fenced(items: Iterable[MemoryItem], lessons: Iterable[MemoryItem] = ()) -> str:
    """The items in the order given; empty when there are none."""
    shown = [_shown(item) for item in items]
    avoid = [_shown(item) for item in lessons]
    if not shown and not avoid:
        return ""
    header, *_, close = (shown + avoid)[0]
    lines = [line for block in shown for line in block[1:-1]]
    if avoid:
        lines += [_AVOID, *(line for block in avoid for line in block[1:-1])]
    return "\n".join([header, *lines, close])


def recalled(found: Recall) -> str:
    """What was found; a sentence when nothing was."""
    lessons = {match.id: match.item for match in found.lessons}
    items = [match.item for match in found if match.id not in lessons]
    return fenced(items, lessons.values()) or NOTHING_FOUND


def remembered(kept: Remembered) -> str:
    """What a `remember` did; what was replaced or is in doubt now is memory again, and fenced."""
    done = f"Memory updated (id: {kept.id})" if kept.outcome == "superseded" else told(kept)
    parts = [done]
    if kept.superseded:
        parts.append(f"It replaces:\n{fenced(kept.superseded)}")
    if kept.suspected:
        parts.append(f"It may contradict:\n{fenced(kept.suspected)}")
    return "\n".join(parts)


def value_shown(value: JSON) -> str:
    """A value as JSON, fenced: whoever set it may have been anybody."""
    text = json.dumps(value, ensure_ascii=False)
    if "recalled-memory" in text.lower():
        text = text.replace("<", "\\u003c")  # the same JSON, and nothing that could close the fence
    return f'{RECALL_OPEN} note="{NOTICE}">\n{text}\n{RECALL_CLOSE}'


def excuse(error: Exception) -> str:
    """What a model is told about an error; what it need not know is logged, without any memory's text."""
    if isinstance(error, TruekeepError) and not isinstance(error, BackendError):
        return f"That did not work: {error}"
    log.error("a tool went on without the memory: %s", type(error).__name__)
    return UNAVAILABLE


def _shown(item: MemoryItem) -> list[str]:
    """A whole block for one item, as lines; escaping is done in one place only."""
    lines = TEMPLATES["default"](Material(entries=[Entry(item=item)])).split("\n")
    return [*lines[:-2], f"{lines[-2]} (id: {item.id})", lines[-1]]
