"""A tool's result in both forms, a value as text, and what a model is told about errors."""

from __future__ import annotations

import json
import logging
from typing import Any

from pydantic import BaseModel

from truekeep.adapters.common.verbs import UNAVAILABLE
from truekeep.errors import BackendError, TruekeepError
from truekeep.fence import RECALL_CLOSE, RECALL_OPEN
from truekeep.model import JSON

from .results import NOTICE
from .versions import CallToolResult

log = logging.getLogger(__name__)


def answer(result: BaseModel, text: str) -> Any:
    """A tool's result in both forms."""
    return CallToolResult.model_validate(
        {"content": [{"type": "text", "text": text}], "structuredContent": result.model_dump(mode="json")}
    )


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
