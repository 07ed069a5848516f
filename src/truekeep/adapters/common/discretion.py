"""`Discreet`: keeps what an SDK quotes out of our logs."""

from __future__ import annotations

import logging
from pathlib import Path


class Discreet(logging.Filter):
    """The MCP SDK quotes what it was sent; its complaints are passed on without their words, all else is left out."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not _is_of_the_sdk(record):
            return True
        record.msg, record.args = "the MCP SDK complains in %s", (record.funcName,)
        record.exc_info = record.exc_text = None
        return record.levelno >= logging.WARNING


def _is_of_the_sdk(record: logging.LogRecord) -> bool:
    """1.x uses the root logger here and there."""
    is_named = record.name.partition(".")[0] == "mcp"
    return is_named or (record.name == "root" and "mcp" in Path(record.pathname).parts)
