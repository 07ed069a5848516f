"""Ids that sort by the time they were made (UUID version 7) and can be made anywhere."""

from __future__ import annotations

import os
import re
from datetime import datetime

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

_STEP_BYTES = 5
_last: tuple[datetime, int] | None = None  # the time and the random part of the last one


def new_id(now: datetime) -> str:
    """Of several that one process makes for the same moment, as for a batch, each sorts behind the one before."""
    global _last
    milliseconds = max(0, int(now.timestamp() * 1000)) & ((1 << 48) - 1)
    if _last is not None and _last[0] == now:
        random = _last[1] + 1 + int.from_bytes(os.urandom(_STEP_BYTES))  # threads and forks may begin at the same one
    else:
        random = int.from_bytes(os.urandom(10)) >> 7  # leaves room above it
    _last = now, random
    value = milliseconds << 80 | 0x7 << 76 | (random >> 62 & 0xFFF) << 64 | 0b10 << 62 | random & ((1 << 62) - 1)
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def is_id(text: str) -> bool:
    """Whether it looks like an id. Those of restored items may look otherwise."""
    return _ID.fullmatch(text) is not None
