"""`TruekeepMemoryConfig`: how to open the same memory again, without any secret."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from truekeep import settings
from truekeep.adapters.common import HEADING, SILENT, FailOpen, Recalling, Recording, Remembering, Scopes, Spaces
from truekeep.errors import ConfigurationError
from truekeep.remote.server import addresses_of

from .injection import Inject

KEY_VARIABLE = "TRUEKEEP_KEY"
_RECALLING = {"max_tokens", "limit", "heading", "filters", "questions"}
_RECORDING = {"every", "longer_than", "kind", "tags"}  # as they are; its other fields are told in another way


class TruekeepMemoryConfig(BaseModel):
    """What `dump_component` writes. The access key is not part of it, only the environment variable that has it."""

    # AutoGen leaves out what is None, so None has to be the default wherever it means something.
    read: list[str]
    write: str | None = None
    at: str | None = None
    key_variable: str | None = None
    embedder: str | None = None
    extractor: str | None = None
    inject: Inject = "merge"
    announce: bool = False
    deadline: float = 2.0
    max_tokens: int = 1000
    limit: int = 20
    heading: str = HEADING
    filters: dict[str, Any] = Field(default_factory=dict)
    questions: bool = False
    record: str | None = None
    every: int = 10
    longer_than: int = 0
    kind: str = "interaction"
    tags: list[str] = Field(default_factory=list)
    ttl: float | None = None
    skip: list[str] = Field(default_factory=lambda: sorted(SILENT))


def written(remembering: Remembering, *, inject: Inject, announce: bool, key_variable: str) -> TruekeepMemoryConfig:
    """The configuration of a memory.

    Raises:
        ConfigurationError: it holds functions or objects, which cannot be written down.
    """
    scopes, options = remembering.spaces.given()
    recalling, recording = remembering.plans.recalling, remembering.plans.recording
    at, has_key = _place(options)
    if recalling.count_tokens is not None:
        raise ConfigurationError("count_tokens is a function and cannot be written down")
    return TruekeepMemoryConfig(
        read=list(scopes.read),
        write=scopes.write,
        at=at,
        key_variable=key_variable if has_key else None,
        embedder=_name(options, "embedder"),
        extractor=_name(options, "extractor"),
        inject=inject,
        announce=announce,
        deadline=remembering.guard.deadline,
        **{name: getattr(recalling, name) for name in _RECALLING},
        **{name: getattr(recording, name) for name in _RECORDING},
        record=recording.mode,
        ttl=recording.ttl.total_seconds() if isinstance(recording.ttl, timedelta) else recording.ttl,
        skip=sorted(recording.skip),
    )


def opened(config: TruekeepMemoryConfig) -> Remembering:
    """The memory that a configuration describes.

    Raises:
        ConfigurationError: it needs a key, and the variable that should have it is not set.
    """
    key = None if config.key_variable is None else settings.secret(config.key_variable)
    if config.key_variable is not None and key is None:
        raise ConfigurationError(f"set {config.key_variable} to the access key of the memory at {config.at}")
    scopes = Scopes(read=config.read, write=config.write)
    remembering = Remembering(
        Spaces(scopes, at=config.at, key=key, embedder=config.embedder, extractor=config.extractor),
        recalling=Recalling(**config.model_dump(include=_RECALLING)),
        recording=Recording(
            mode=config.record,  # type: ignore[arg-type]  # it checks that itself
            ttl=config.ttl,
            skip=config.skip,
            **config.model_dump(include=_RECORDING),
        ),
        guard=FailOpen(deadline=config.deadline),
    )
    remembering.owns_spaces = remembering.owns_guard = True
    return remembering


def _place(options: dict[str, Any]) -> tuple[str | None, bool]:
    """Where it lives, without credentials, and whether there were any."""
    if options["at"] is None:
        return None, False
    at = os.fspath(options["at"])
    if at.startswith(("http://", "https://")):
        addresses = addresses_of(at, options["key"])
        return ",".join(address.url for address in addresses), addresses[0].key is not None
    if "://" in at and urlsplit(at).password:
        raise ConfigurationError("at= has a password in it, which must not be written down; leave it to the driver")
    return at, False


def _name(options: dict[str, Any], part: str) -> str | None:
    given = options[part]
    if given is None or isinstance(given, str):
        return given
    raise ConfigurationError(f"{part}= is an object and cannot be written down; give its name")
