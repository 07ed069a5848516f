"""Logs: JSON for machines, plain lines for people, with the id of the request and never the text of a memory."""

from __future__ import annotations

import json
import logging
import logging.config
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from truekeep.adapters.common.discretion import Discreet
from truekeep.errors import BackendError

from .settings import ServerSettings

_FIELDS = ("request_id", "method", "route", "status", "ms", "tenant", "key", "reason", "quota", "more")
_SELDOM = 1.0  # seconds between two lines about what is away
_asked: ContextVar[dict[str, str] | None] = ContextVar("truekeep_asked", default=None)


def begin(request_id: str) -> dict[str, str]:
    """A request: whatever is logged on its behalf, in any thread, says so. What is known of it, to be added to."""
    known = {"request_id": request_id}
    _asked.set(known)
    return known


def note(**known: str) -> None:
    """Add to what is known of the request in hand."""
    if (asked := _asked.get()) is not None:
        asked.update(known)


def request_id() -> str | None:
    """That of the request in hand."""
    asked = _asked.get()
    return None if asked is None else asked["request_id"]


class OfTheRequest(logging.Filter):
    """Says of every line which request it is about, whose it is, and with which key it came."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in (_asked.get() or {}).items():
            if not hasattr(record, name):
                setattr(record, name, value)
        return True


class Seldom(logging.Filter):
    """What is away is told once a second: everybody who asks for it would say the same. `more` counts the others."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told = float("-inf")
        self._more = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if not _is_of_an_outage(record):
            return True
        if self._clock() - self._told < _SELDOM:
            self._more += 1
            return False
        if self._more:
            record.more = self._more
        self._told, self._more = self._clock(), 0
        return True


def _is_of_an_outage(record: logging.LogRecord) -> bool:
    error = getattr(record, "error", None) or (record.exc_info[1] if record.exc_info else None)
    is_away = isinstance(error, BackendError) and error.retryable
    return is_away or (record.name == "psycopg.pool" and record.levelno >= logging.WARNING)


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
        at = self.formatTime(record, self.datefmt)
        if hasattr(record, "route"):
            asked = f"{record.method} {record.route}"  # type: ignore[attr-defined]  # as the gate notes it
            reason = f"  {reason}" if (reason := getattr(record, "reason", None)) else ""
            return f"{at}  {record.status}  {asked}  {record.ms} ms{reason}"  # type: ignore[attr-defined]
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        asked = f" (request {id})" if (id := getattr(record, "request_id", None)) else ""
        return f"{at}  {level}{record.message}{asked}"


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
            "filters": {"discreet": {"()": Discreet}, "request": {"()": OfTheRequest}, "seldom": {"()": Seldom}},
            "handlers": {
                "stderr": {
                    "class": "logging.StreamHandler",
                    "formatter": "line",
                    "filters": ["discreet", "seldom", "request"],
                },
            },
            "root": {"level": settings.log_level.upper(), "handlers": ["stderr"]},
            "loggers": loggers,
        }
    )
