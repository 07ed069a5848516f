"""Settings from the environment; `surroundings` apart, no other module reads it.

Precedence everywhere: argument, environment, default.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import cast, get_args

from . import surroundings
from .errors import ConfigurationError
from .model import Redact


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The model that the extractor `llm` asks."""

    base_url: str | None = None  # TRUEKEEP_LLM_BASE_URL
    model: str | None = None  # TRUEKEEP_LLM_MODEL
    key: str | None = field(default=None, repr=False)  # TRUEKEEP_LLM_KEY
    timeout: timedelta = timedelta(seconds=20)  # TRUEKEEP_LLM_TIMEOUT: for one request, in seconds
    calls_per_month: int | None = None  # TRUEKEEP_LLM_CALLS_PER_MONTH: of each tenant
    tokens_per_month: int | None = None  # TRUEKEEP_LLM_TOKENS_PER_MONTH: of each tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the library takes from its surroundings."""

    home: Path  # TRUEKEEP_HOME: the folder of the default file
    content_bytes: int = 64 * 1024  # TRUEKEEP_CONTENT_BYTES: the longest content that is accepted
    index_bytes: int = 512 * 1024 * 1024  # TRUEKEEP_INDEX_BYTES: memory for the indexes of all open spaces
    threads: int = 0  # TRUEKEEP_THREADS: of the local model; 0 leaves one core to the host
    exit_limit: timedelta = timedelta(seconds=5)  # TRUEKEEP_EXIT_SECONDS: for unfinished work when a process ends
    extractor: str | None = None  # TRUEKEEP_EXTRACTOR: "rules" or "llm"; None: rules
    judge: str | None = None  # TRUEKEEP_JUDGE: "minilm" or "rules"; None: minilm
    llm: ModelSettings = ModelSettings()
    redact: Redact = "on"  # TRUEKEEP_REDACT: what is done about secrets: on, flag, refuse, off

    @property
    def file(self) -> Path:
        """Where memories live unless somebody says otherwise."""
        return self.home / "truekeep.db"


def read(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings as they are now; a wrong one is named."""
    given = os.environ if environ is None else environ
    return Settings(
        home=Path(surroundings.home(given)),
        content_bytes=_number(given, "TRUEKEEP_CONTENT_BYTES", 64 * 1024, least=1),
        index_bytes=_number(given, "TRUEKEEP_INDEX_BYTES", 512 * 1024 * 1024, least=1),
        threads=_number(given, "TRUEKEEP_THREADS", 0, least=0),
        exit_limit=timedelta(seconds=_number(given, "TRUEKEEP_EXIT_SECONDS", 5, least=0)),
        extractor=given.get("TRUEKEEP_EXTRACTOR", "").strip() or None,
        judge=given.get("TRUEKEEP_JUDGE", "").strip() or None,
        llm=_model(given),
        redact=_redact(given),
    )


class _Asked(dict[str, str]):
    """An environment that notes what it is asked for."""

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]  # as it is asked here
        return self.setdefault(name, default)


def names() -> frozenset[str]:
    """The variables that `read` knows."""
    asked = _Asked(TRUEKEEP_HOME=os.sep)
    read(asked)
    return frozenset(asked)


def secret(name: str) -> str | None:
    """A secret under the name that a written configuration gives instead of it; None if it is not set."""
    return os.environ.get(name) or None


def _model(given: Mapping[str, str]) -> ModelSettings:
    return ModelSettings(
        base_url=given.get("TRUEKEEP_LLM_BASE_URL", "").strip() or None,
        model=given.get("TRUEKEEP_LLM_MODEL", "").strip() or None,
        key=given.get("TRUEKEEP_LLM_KEY", "").strip() or None,
        timeout=timedelta(seconds=_number(given, "TRUEKEEP_LLM_TIMEOUT", 20, least=1)),
        calls_per_month=_limit(given, "TRUEKEEP_LLM_CALLS_PER_MONTH"),
        tokens_per_month=_limit(given, "TRUEKEEP_LLM_TOKENS_PER_MONTH"),
    )


def _redact(given: Mapping[str, str]) -> Redact:
    mode = given.get("TRUEKEEP_REDACT", "").strip() or "on"
    if mode not in get_args(Redact):
        raise ConfigurationError(f"TRUEKEEP_REDACT must be one of {', '.join(get_args(Redact))}, not {mode!r}")
    return cast(Redact, mode)


def _limit(given: Mapping[str, str], name: str) -> int | None:
    return _number(given, name, 0, least=0) if given.get(name, "").strip() else None


def _number(given: Mapping[str, str], name: str, default: int, *, least: int) -> int:
    text = given.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal() or int(text) < least:
        raise ConfigurationError(f"{name} must be a whole number of at least {least}, not {text!r}")
    return int(text)
