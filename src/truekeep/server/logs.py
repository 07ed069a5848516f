"""Structured logs: one JSON object a line, with the id of the request and never the text of a memory."""

from __future__ import annotations

import json
import logging
import logging.config
from datetime import UTC, datetime

from truekeep.adapters.common.discretion import Discreet

from .settings import ServerSettings

_FIELDS = ("request_id", "method", "route", "status", "ms", "key")


class JsonLines(logging.Formatter):
    """For machines."""

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
    """For people at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        fields = [f"{name}={value}" for name in _FIELDS if (value := getattr(record, name, None)) is not None]
        return " ".join([line, *fields])


def configure(settings: ServerSettings) -> None:
    """Everything to stderr, in one format. uvicorn's own access log stays off: it would print names in paths."""
    formatter: dict[str, object] = {"()": JsonLines}
    if settings.log_format == "text":
        formatter = {"()": PlainLines, "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": formatter},
            "filters": {"discreet": {"()": Discreet}},
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["discreet"]},
            },
            "root": {"level": settings.log_level.upper(), "handlers": ["stderr"]},
            "loggers": {"uvicorn.access": {"level": "CRITICAL", "propagate": False}},
        }
    )
