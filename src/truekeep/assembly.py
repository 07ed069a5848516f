"""Builds a memory out of its parts: the only module that knows them all."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args
from weakref import WeakSet
from zipfile import is_zipfile

from . import settings
from .engine import admit
from .engine.guarded_embedder import Guarded
from .engine.guarded_judge import GuardedJudge
from .engine.parts import Accesses, Clock, Parts
from .engine.runtime.local import Local
from .engine.runtime.opened import Opened
from .errors import ConfigurationError, DamagedStore, InvalidInput
from .extras import to_install
from .index.cache import Foreign, IndexCache
from .model import Redact, SpaceId
from .ports import Embedder, Extractor, Judge, Store
from .stores.files import identity

if TYPE_CHECKING:
    from .remote import Remote

LOCAL_TENANT = "local"
_MEMORY = ":memory:"
_HOST_AND_PORT = re.compile(r"(?P<host>[\w.-]{2,}|\[[0-9A-Fa-f:.]+\]):\d{1,5}(?:/.*)?")  # one letter is a drive
_THIS_MACHINE = re.compile(r"localhost|127\..*|\[::1\]|0\.0\.0\.0")


@dataclass(eq=False)
class _Shared:
    """What all handles on one store in this process have in common."""

    store: Store
    file: tuple[int, int] | None  # which one it is, where it is one
    accesses: Accesses = field(default_factory=Accesses)
    indexes: dict[str, IndexCache] = field(default_factory=dict)
    users: int = 0


_shared: dict[str, _Shared] = {}
_all_shared: WeakSet[_Shared] = WeakSet()  # those in memory too, which nobody can open twice
_lock = threading.Lock()


def open_memory(
    space: str,
    *,
    at: str | os.PathLike[str] | None,
    key: str | None,
    embedder: Embedder | str | None,
    extractor: Extractor | str | None,
    judge: Judge | str | None,
    clock: Clock | None,
    background: bool,
    limits: admit.Limits | None,
    redact: Redact | None,
) -> Local | Remote:
    """The engine behind one handle."""
    if isinstance(at, str) and is_served(at):
        given: dict[str, object] = {"embedder": embedder, "extractor": extractor, "judge": judge}
        given |= {"clock": clock, "limits": limits, "redact": redact}
        return _remote(space, at, key, [name for name, value in given.items() if value is not None])
    if key is not None:
        raise ConfigurationError("key= is for a served memory (at='https://...'); a local file needs none")
    limits = _limits(limits, settings.read())
    name = admit.name(space, "space", limits)  # before anything is opened
    opened = open_parts(
        at=at,
        embedder=embedder,
        extractor=extractor,
        judge=judge,
        clock=clock,
        background=background,
        limits=limits,
        redact=redact,
    )
    return Local(opened, SpaceId(LOCAL_TENANT, name), owns=True)


def _remote(space: str, at: str, key: str | None, misplaced: list[str]) -> Remote:
    if misplaced:
        raise ConfigurationError(f"{misplaced[0]}= belongs to the server at {at.split('@')[-1]}; it is set there")
    from .remote import Remote

    return Remote(space, at=at, key=key)


def open_parts(
    *,
    at: str | os.PathLike[str] | None = None,
    embedder: Embedder | str | None = None,
    extractor: Extractor | str | None = None,
    judge: Judge | str | None = None,
    clock: Clock | None = None,
    background: bool = True,
    limits: admit.Limits | None = None,
    redact: Redact | None = None,
) -> Opened:
    """A store with all that serves its spaces."""
    environment = settings.read()
    limits = _limits(limits, environment)
    mode: Redact = environment.redact if redact is None else admit.choice(redact, "redact", get_args(Redact))
    chosen = _embedder(embedder, environment)
    guarded = Guarded(chosen)
    foreign, multilingual = _multilingual(chosen)
    referee = GuardedJudge(_judge(judge, environment))
    reader = _extractor(extractor, environment, referee)
    name, dimension = guarded.name, guarded.dimension  # may ask a remote embedder: not under the lock
    address = _address(at, environment)
    with _lock:
        shared = _open_store(address)
        indexes = shared.indexes.get(name)
        if indexes is None:
            indexes = shared.indexes[name] = IndexCache(
                shared.store, embedder=name, dimension=dimension, foreign=foreign, budget=environment.index_bytes
            )
    parts = Parts(
        store=shared.store,
        indexes=indexes,
        embedder=guarded,
        multilingual=multilingual,
        knows_english_only=foreign is not None,
        extractor=reader,
        judge=referee,
        accesses=shared.accesses,
        limits=limits,
        clock=_utc(clock) if clock else _now,
        redact=mode,
        exit_limit=environment.exit_limit,
    )
    return Opened(parts, background=background, release=lambda: _release(address, shared))


@contextmanager
def open_store(at: str | os.PathLike[str] | None = None) -> Iterator[Store]:
    """The store alone, for those who look after it: its keys, its spaces, its health."""
    address = _address(at, settings.read())
    with _lock:
        shared = _open_store(address)
    try:
        yield shared.store
    finally:
        _release(address, shared)


def restore_backup(backup: Path, to: str | os.PathLike[str]) -> None:
    """Put a backup where no store is yet, or into a database that is empty, and read all of it.

    Raises:
        InvalidInput: there is something already, or the backup is of the other kind.
        DamagedStore: it is not what was written.
    """
    file, is_of_a_database = file_of(to), is_zipfile(backup)
    if file is not None and not is_of_a_database:
        from .stores.sqlite import load_backup

        load_backup(file, backup)
    elif file is None and is_of_a_database:
        _load_into_database(_address(to, settings.read()), backup)
    elif is_of_a_database:
        raise InvalidInput("to", "must be an empty database (postgresql://...): this is the backup of one")
    else:
        raise InvalidInput(
            "to", "must be a file: this is the backup of one; `truekeep migrate` copies it into a database"
        )


def _load_into_database(address: str, backup: Path) -> None:
    from .stores.postgres import load_backup

    load_backup(address, backup)
    with open_store(address) as store:
        if problems := store.check():
            raise DamagedStore(f"{store.location} holds what was in {backup}, and that is damaged: {problems[0]}")


def _limits(given: admit.Limits | None, environment: settings.Settings) -> admit.Limits:
    limits = given or admit.Limits(content_bytes=environment.content_bytes)
    if not isinstance(limits, admit.Limits):
        raise InvalidInput("limits", "must be Limits(...)")
    return limits


def _open_store(address: str) -> _Shared:
    shared = _shared.get(address)
    file = Path(address)
    if shared is None or shared.file != identity(file):  # another file of the same name is another store
        shared = _Shared(_store(address), identity(file))
        _all_shared.add(shared)
        if address != _MEMORY:
            _shared[address] = shared
    shared.users += 1
    return shared


def _release(address: str, shared: _Shared) -> None:
    with _lock:
        shared.users -= 1
        if shared.users:
            return
        if _shared.get(address) is shared:
            del _shared[address]
    shared.store.close()


def _store(address: str) -> Store:
    scheme = address.partition("://")[0] if "://" in address else "sqlite"
    if scheme == "sqlite":
        from .stores.sqlite import SqliteStore

        return SqliteStore(None if address == _MEMORY else Path(address))
    if scheme == "postgresql":
        return _postgres(address)
    if scheme in ("http", "https"):
        raise ConfigurationError("at: is the address of a server; what is to be opened here is a file or a database")
    return cast(Store, _plugin("truekeep.stores", scheme, f"no driver for {scheme!r}")(address))


def _postgres(address: str) -> Store:
    try:
        from .stores.postgres import PostgresStore
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("psycopg"):
            raise
        raise ConfigurationError(f"no driver for 'postgresql'; {to_install('postgres')}") from error
    return PostgresStore(address)


def _address(at: str | os.PathLike[str] | None, environment: settings.Settings) -> str:
    """One spelling for one place, so that all handles on it share a store."""
    if at is None:
        return str(environment.file.resolve())
    text = os.fspath(at) if isinstance(at, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\x00" in text:
        raise InvalidInput("at", "must be a path or a URL such as 'notes.db' or 'sqlite:///notes.db'")
    if isinstance(at, str):
        _refuse_bare_address(at)
    if text.startswith("sqlite:"):
        text = text.removeprefix("sqlite:").removeprefix("//").removeprefix("/") or _MEMORY
    elif text.startswith("postgres://"):
        return text.replace("postgres", "postgresql", 1)
    elif "://" in text:
        return text
    return text if text == _MEMORY else str(Path(text).expanduser().resolve())


def is_served(at: str) -> bool:
    """Whether a place is the address of a server."""
    _refuse_bare_address(at)
    return at.startswith(("http://", "https://"))


def _refuse_bare_address(at: str) -> None:
    """`localhost:8420` would make a file of that name, and nobody would find out that no server was asked."""
    if found := _HOST_AND_PORT.fullmatch(at):
        scheme = "http" if _THIS_MACHINE.fullmatch(found["host"]) else "https"
        raise ConfigurationError(f"at: did you mean '{scheme}://{at}'? A file of that name would be './{at}'")


def file_of(at: str | os.PathLike[str] | None) -> Path | None:
    """The file that a store is in; None when it is in no file of its own."""
    address = _address(at, settings.read())
    return None if address == _MEMORY or "://" in address else Path(address)


def _part(kind: str, given: object, ours: Mapping[str, Callable[[], Any]], needed: Sequence[str]) -> Any:
    """A part by its name, first among ours, or as it was handed in, once it was seen to be one."""
    if isinstance(given, str):
        return (ours.get(given) or _plugin(f"truekeep.{kind}s", given, f"no {kind} is called {given!r}"))()
    missing = [name for name in needed if not hasattr(given, name)]
    if missing:
        raise InvalidInput(kind, f"is no {kind}: it has no {missing[0]}; see truekeep.ports.{kind.capitalize()}")
    return given


def _embedder(given: Embedder | str | None, environment: settings.Settings) -> Embedder:
    def minilm() -> Embedder:
        from .embedders.minilm import MiniLM

        return MiniLM(threads=environment.threads or None)

    needed = ("name", "dimension", "in_process", "passages", "embed")
    return cast(Embedder, _part("embedder", "minilm" if given is None else given, {"minilm": minilm}, needed))


def _multilingual(embedder: Embedder) -> tuple[Foreign | None, Guarded | None]:
    """What takes the texts whose language MiniLM does not know, where the extra is installed; others know their own."""
    from .embedders.minilm import MiniLM
    from .embedders.multilingual import Multilingual, is_installed

    if not isinstance(embedder, MiniLM):
        return None, None
    is_here = is_installed()
    return Foreign(Multilingual.name, is_here), Guarded(Multilingual()) if is_here else None


def _extractor(given: Extractor | str | None, environment: settings.Settings, judge: GuardedJudge) -> Extractor:
    from .extractors.rules import RulesExtractor

    rules = RulesExtractor(judge=judge.sentences)
    ours = {"rules": lambda: rules, "llm": lambda: _model_extractor(environment.llm, fallback=rules)}
    chosen = (environment.extractor or "rules") if given is None else given
    return cast(Extractor, _part("extractor", chosen, ours, ("extract",)))


def _judge(given: Judge | str | None, environment: settings.Settings) -> Judge | None:
    """None: rules alone."""

    def learned() -> Judge:
        from .judges.learned import LearnedJudge

        return LearnedJudge(threads=environment.threads or None)

    ours = {"rules": lambda: None, "minilm": learned}
    chosen = (environment.judge or "minilm") if given is None else given
    return cast("Judge | None", _part("judge", chosen, ours, ("name", "relations", "relevance", "sentences")))


def _model_extractor(chosen: settings.ModelSettings, *, fallback: Extractor) -> Extractor:
    if chosen.base_url is None or chosen.model is None:
        missing = "TRUEKEEP_LLM_MODEL" if chosen.base_url else "TRUEKEEP_LLM_BASE_URL"
        raise ConfigurationError(f"the extractor 'llm' needs to know its model: set {missing}")
    from .extractors.llm import Budget, LLMExtractor

    budget = Budget(calls=chosen.calls_per_month, tokens=chosen.tokens_per_month)
    return LLMExtractor(
        chosen.base_url, chosen.model, key=chosen.key, timeout=chosen.timeout, budget=budget, fallback=fallback
    )


def _plugin(group: str, name: str, problem: str) -> Callable[..., Any]:
    """A part out of somebody else's package, found by its entry point."""
    from importlib.metadata import entry_points  # here and not above: it loads the email package

    for entry in entry_points(group=group, name=name):
        return cast(Callable[..., Any], entry.load())
    raise ConfigurationError(f"{problem}; a package that brings it declares the entry point {group!r}")


def _now() -> datetime:
    return datetime.now(UTC)


def _utc(clock: Clock) -> Clock:
    def now() -> datetime:
        moment = admit.moment(clock(), "clock")
        if moment is None:
            raise InvalidInput("clock", "returned nothing; it must return a datetime with a time zone")
        return moment

    return now


def _reset_after_fork() -> None:
    """In the child: locks that another thread may have held are made anew; the parent flushes its own counts."""
    global _lock
    _lock = threading.Lock()
    for shared in _all_shared:
        shared.accesses.reset_after_fork()
        for indexes in shared.indexes.values():
            indexes.reset_after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_reset_after_fork)
