"""What hooks leave on the disk beside the store: what waits to be kept, what failed, what the last prompt got."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False  # as `typing` has it, which takes longer to import than a hook may
if TYPE_CHECKING:
    from typing import Any

FOLDER = "hooks"  # in TRUEKEEP_HOME
_LONGEST_WAIT = 30 * 24 * 3600  # seconds; hosts delete their transcripts about then
_MOST_LOG = 256 * 1024  # bytes; then the older half is dropped


def folder(home: str) -> str:
    """Ours alone to read: prompts are personal data."""
    place = f"{home}/{FOLDER}"
    if not os.path.isdir(f"{place}/waiting"):
        os.makedirs(home, exist_ok=True)
        for one in (place, f"{place}/waiting"):  # one by one: `makedirs` gives the mode to the last alone
            try:
                os.mkdir(one, 0o700)
            except FileExistsError:
                pass
    return place


def put_by(home: str, said: bytes) -> None:
    """A session whose transcript is to be read: on the disk first, so that nobody has to wait for who reads it."""
    keep(f"{folder(home)}/waiting/{time.time_ns()}-{os.getpid()}", said)


def waiting(home: str) -> list[str]:
    """What was put by, the oldest first; whoever has dealt with one takes it away."""
    place = f"{folder(home)}/waiting"
    return sorted(f"{place}/{name}" for name in os.listdir(place) if not name.endswith(".tmp"))


def is_stale(place: str) -> bool:
    """Whether it has waited for so long that its place will hardly come back."""
    try:
        return time.time() - os.stat(place).st_mtime > _LONGEST_WAIT
    except FileNotFoundError:
        return False  # dealt with meanwhile


def complain(home: str, about: str, what: str) -> None:
    """One line of the log: times, names and durations, never text. A disk that is full is no reason to fail."""
    try:
        place = f"{folder(home)}/log"
        if os.path.exists(place) and os.stat(place).st_size > _MOST_LOG:
            with open(place, "rb") as log:
                keep(place, log.read()[-_MOST_LOG // 2 :])
        with open(place, "a", opener=_private) as log:
            log.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {about}: {what}\n")
    except OSError:
        pass


def complaints(home: str, most: int) -> list[str]:
    """The latest lines of the log."""
    try:
        with open(f"{home}/{FOLDER}/log", errors="replace") as log:
            return log.read().splitlines()[-most:]
    except OSError:
        return []


def note_prompt(home: str, told: dict[str, Any]) -> None:
    """What the last prompt got, for `explain`: ids instead of what they say, so that what is forgotten stays so."""
    import json

    try:
        keep(f"{folder(home)}/last.json", json.dumps(told).encode())
    except OSError:
        pass


def last_prompt(home: str) -> dict[str, Any] | None:
    import json

    try:
        with open(f"{home}/{FOLDER}/last.json") as file:
            told: dict[str, Any] = json.load(file)
            return told
    except (OSError, ValueError):
        return None


def keep(place: str, said: bytes) -> None:
    """The whole file or nothing of it."""
    draft = f"{place}.{os.getpid()}.{time.monotonic_ns()}.tmp"
    with open(draft, "wb", opener=_private) as file:
        file.write(said)
    os.replace(draft, place)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
