"""Logs: JSON for machines, plain lines for people, with the id of the request and never the text of a memory."""

from __future__ import annotations

import json
import logging
import logging.config
import sys
from datetime import UTC, datetime

from truekeep.adapters.common.discretion import Discreet

from .settings import ServerSettings

_FIELDS = ("request_id", "method", "route", "status", "ms", "key")


class JsonLines(logging.Formatter):
    """For machines: one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        entry |= {name: value for name in _FIELDS if (value := getattr(record, name, None)) is not None}
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry)


class PlainLines(logging.Formatter):
    """For people at a terminal: a request is what was asked, what came of it, and how long it took."""

    def __init__(self) -> None:
        super().__init__(datefmt="%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        time = self.formatTime(record, self.datefmt)
        if hasattr(record, "route"):
            asked = f"{record.method} {record.route}"  # type: ignore[attr-defined]  # as the gate notes it
            return f"{time}  {record.status}  {asked}  {record.ms} ms"  # type: ignore[attr-defined]
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        asked = f" (request {id})" if (id := getattr(record, "request_id", None)) else ""
        return f"{time}  {level}{record.message}{asked}"


def configure(settings: ServerSettings) -> None:
    """Everything to stderr, in one format. uvicorn's own access log stays off: it would print names in paths."""
    plain = settings.logs == "plain" or (settings.logs is None and sys.stderr.isatty())
    loggers: dict[str, object] = {"uvicorn.access": {"level": "CRITICAL", "propagate": False}}
    if plain and settings.log_level == "info":
        loggers["uvicorn.error"] = {"level": "WARNING"}  # what it says about its start is on the screen already
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": {"()": PlainLines if plain else JsonLines}},
            "filters": {"discreet": {"()": Discreet}},
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["discreet"]},
            },
            "root": {"level": settings.log_level.upper(), "handlers": ["stderr"]},
            "loggers": loggers,
        }
    )
