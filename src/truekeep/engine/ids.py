"""Ids that sort by the time they were made (UUID version 7) and can be made anywhere."""

from __future__ import annotations

import os
from datetime import datetime


def new_id(now: datetime) -> str:
    milliseconds = max(0, int(now.timestamp() * 1000)) & ((1 << 48) - 1)
    random = int.from_bytes(os.urandom(10))
    value = milliseconds << 80 | 0x7 << 76 | (random >> 68 & 0xFFF) << 64 | 0b10 << 62 | random & ((1 << 62) - 1)
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
