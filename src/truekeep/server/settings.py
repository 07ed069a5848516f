"""Settings of the server: arguments first, then `TRUEKEEP_*`, then a TOML file, then these defaults."""

from __future__ import annotations

import difflib
import json
import os
import re
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from truekeep import settings as library
from truekeep.errors import ConfigurationError
from truekeep.model import Quotas, Redact
from truekeep.surroundings import without_password

from .receivers import Receivers

_PREFIX = "TRUEKEEP_"
_HANDED_OVER = "TRUEKEEP_SERVE_SETTINGS"
_METRICS = "PROMETHEUS_MULTIPROC_DIR"  # known to Prometheus' client, from before it is imported
# What Kubernetes tells every container about a service that is called truekeep.
_OF_A_SERVICE = re.compile(r"(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT|PORT_\d+_(TCP|UDP)(_.+)?)")
_ELSEWHERE = {"KEY", "SPACE", "SERVE_SETTINGS"}  # for commands that use a server, and between processes of one
SHORTEST_KEY = 24  # characters of an operator's: nobody guesses it
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class QuotaSettings(BaseModel):
    """Quotas of every key that has none of its own, and of use without a key. Unset: as much as anybody likes."""

    model_config = ConfigDict(extra="forbid")

    operations_per_month: int | None = Field(
        default=None, ge=0, description="writes and recalls of a tenant in a month"
    )
    recalls_per_month: int | None = Field(default=None, ge=0, description="recalls of a tenant in a month")
    memories: int | None = Field(default=None, ge=0, description="memories that a tenant may hold")
    writes_per_day: int | None = Field(default=None, ge=0, description="writes into one space in a day, values too")
    bytes_per_space: int | None = Field(default=None, ge=0, description="bytes of the memories and values of one space")

    def quotas(self) -> Quotas:
        return Quotas(**self.model_dump())


class ServerSettings(BaseSettings):
    """How `truekeep serve` runs."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter="__", env_ignore_empty=True, extra="ignore"
    )

    host: str = Field(default="127.0.0.1", description="address to listen on; any but loopback asks for a key")
    port: int = Field(default=8420, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    at: str | None = Field(default=None, description="where the store is: a path or a URL; default: the library's file")
    workers: int = Field(default=1, ge=1, le=64, description="processes that serve; they share the store")
    concurrency: int = Field(default=16, ge=1, le=512, description="calls that one process works on at once")
    admin_key: SecretStr | None = Field(
        default=None,
        min_length=SHORTEST_KEY,
        description="the operator's key, 24 characters or more; it makes keys required",
    )
    admin_key_file: Path | None = Field(
        default=None, description="a file with such keys, one a line; it is read again when it changes"
    )
    session_secret: SecretStr | None = Field(
        default=None, min_length=32, description="signs the sessions of the console; unset: a new one at each start"
    )
    wrong_keys: int = Field(default=60, ge=1, description="wrong keys that one address may try in a minute")
    allowed_hosts: list[str] = Field(default=[], description="further Host names that are served without a key")
    webhooks: list[str] = Field(
        default=[],
        description="hosts that webhooks may be sent to: example.org, *.example.org, http://10.0.0.7:8080",
    )
    body_bytes: int = Field(default=20 * 1024 * 1024, ge=1024, description="the largest batch, value or transcript")
    import_bytes: int = Field(default=64 * 1024 * 1024, ge=1024, description="the largest import")
    reserve_bytes: int = Field(
        default=16 * 1024 * 1024, ge=0, description="bytes of the disk kept for erasing when it is full; 0: none"
    )
    audit_days: int = Field(
        default=30, ge=0, le=36_500, description="days that the audit is kept: which key did what; 0: there is none"
    )
    connections: int = Field(default=1000, ge=1, description="connections that one process holds at once")
    request_seconds: float = Field(
        default=20, gt=0, description="time for a request to arrive; a larger body brings 256 KiB in each such time"
    )
    shutdown_seconds: int = Field(
        default=30, ge=0, description="time for requests that have begun when the server stops"
    )
    drain_seconds: float = Field(
        default=0.5, ge=0, description="time after SIGTERM in which requests are still taken in, and /readyz says no"
    )
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$", description="what is logged")
    logs: Literal["plain", "json"] | None = Field(
        default=None, description="how it is logged: plain or json; unset: plain on a terminal, json elsewhere"
    )
    traces: bool = Field(
        default=False,
        description="OpenTelemetry traces, to where OTEL_EXPORTER_OTLP_ENDPOINT says; needs the extra otel",
    )
    embedder: str | None = Field(default=None, description="name of the embedder; default: the model in the package")
    extractor: str | None = Field(default=None, description="name of the extractor; default: rules")
    judge: str | None = Field(default=None, description="name of the judge; default: the model in the package")
    redact: Redact = Field(default="on", description="what is done about secrets: on, flag, refuse, off")
    quotas: QuotaSettings = QuotaSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings

    @field_validator("webhooks")
    @classmethod
    def _check_receivers(cls, listed: list[str]) -> list[str]:
        Receivers(listed)
        return listed

    @property
    def has_operators_key(self) -> bool:
        return self.admin_key is not None or self.admin_key_file is not None

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK or self.host.startswith("127.")


def load(config: Path | None = None, **arguments: Any) -> ServerSettings:
    """The settings as they are now; a wrong one fails here, with its name."""
    _refuse_mistyped(os.environ)
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        from_environment = ServerSettings(**given).model_dump(exclude_unset=True)
        from_file = {} if config is None else _file(config)
        return ServerSettings(**_merged(from_file, from_environment))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        problem = first["msg"]
        if first["type"] == "too_short":  # pydantic counts items, whatever they are
            problem = f"it must have at least {first['ctx']['min_length']} characters"
        raise ConfigurationError(f"the setting {name!r} is wrong: {problem}") from None


def _refuse_mistyped(environ: Mapping[str, str]) -> None:
    """A variable that bears our name and means nothing was meant to change something."""
    own = {*ServerSettings.model_fields, *(f"quotas__{name}" for name in QuotaSettings.model_fields)}
    known = {name.removeprefix(_PREFIX) for name in library.names()} | {name.upper() for name in own} | _ELSEWHERE
    for variable in sorted(environ):
        prefix, name = variable[: len(_PREFIX)].upper(), variable[len(_PREFIX) :].upper()
        if prefix != _PREFIX:
            continue
        if name == "PORT" and "://" in environ[variable]:
            problem = f"{variable} is the address of a service that is called truekeep, not a port to listen on"
            raise ConfigurationError(f"{problem}; give the pod enableServiceLinks: false")
        if name not in known and not _OF_A_SERVICE.fullmatch(name):
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {_PREFIX}{near[0]}?" if near else "unset it; docs/reference/settings.md has them all"
            raise ConfigurationError(f"there is no setting {variable}; {hint}")


def shown(settings: ServerSettings) -> ServerSettings:
    """The settings as they may be printed: without the password inside an address. Secrets star themselves out."""
    return settings.model_copy(update={"at": settings.at and without_password(settings.at)})


def as_record(settings: ServerSettings, *, with_secrets: bool = False) -> dict[str, Any]:
    """The settings as JSON; secrets are starred out unless asked for."""
    record = settings.model_dump(mode="json")
    for name in ("admin_key", "session_secret"):
        if with_secrets and (secret := getattr(settings, name)) is not None:
            record[name] = secret.get_secret_value()
    return record


@contextmanager
def handed_over(settings: ServerSettings) -> Iterator[None]:
    """Worker processes that are started meanwhile find the settings in their environment.

    All of them sign sessions with the same secret, so that each knows those that another began, and count in the same
    folder, so that each can tell what all did.
    """
    if settings.session_secret is None:
        settings = settings.model_copy(update={"session_secret": SecretStr(secrets.token_urlsafe(32))})
    with ExitStack() as stack:
        if settings.workers > 1:
            folder = stack.enter_context(TemporaryDirectory(prefix="truekeep-metrics-", ignore_cleanup_errors=True))
            stack.enter_context(_variable(_METRICS, folder))
        stack.enter_context(_variable(_HANDED_OVER, json.dumps(as_record(settings, with_secrets=True))))
        yield


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def metrics_folder() -> str | None:
    """Where the workers of this server put down what they count, for each of them to read; None where there is one."""
    return os.environ.get(_METRICS)


def take_over() -> ServerSettings:
    """The settings that the starting process handed over."""
    given = os.environ.get(_HANDED_OVER)
    return load() if given is None else ServerSettings(**json.loads(given))


def _file(path: Path) -> dict[str, Any]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"the settings in {path} cannot be read: {error}") from error
    if unknown := given.keys() - ServerSettings.model_fields.keys():
        raise ConfigurationError(f"{path} has the unknown setting {sorted(unknown)[0]!r}")
    return given


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Both, nested ones too; where they disagree, `over` is right."""
    merged = {**under, **over}
    for name in under.keys() & over.keys():
        if isinstance(under[name], dict) and isinstance(over[name], dict):
            merged[name] = _merged(under[name], over[name])
    return merged
