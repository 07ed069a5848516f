"""Which space a folder belongs to: one for each repository, whatever clone or worktree of it one is in."""

from __future__ import annotations

import configparser
import getpass
import hashlib
import os
import platform
import re
from pathlib import Path

USER = "user"  # the space of the one who types, in a file of their own; see `user_space`
_REMOTE = re.compile(
    r"(?:[a-z+]+://)?(?:[^/]*@)?(?P<host>\[[^\]]+\]|[^/:]+)(?::\d+(?=/))?[:/]+(?P<path>.+)", re.IGNORECASE
)
_LONGEST = 200  # characters of a name; a space may have 256


def space_of(folder: Path) -> str:
    """`repo:github.com/acme/shop` where there is a remote, otherwise the name of the root and a hash of its path."""
    place = folder.expanduser().resolve()
    git = next((found for one in (place, *place.parents) if (found := one / ".git").exists()), None)
    if git is None:
        return _named(place)
    common = _common(git)
    return _of_remote(common / "config") or _named(common.parent if common.name == ".git" else common)


def user_space(at: str | None) -> str:
    """The space of the one who types, read in every repository and written only by hand.

    `user:ana` where others may have theirs, too: on a server, in PostgreSQL.
    """
    if at is None or "://" not in at or at.startswith("sqlite:"):
        return USER
    try:
        login = getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container, mostly: whoever has no name is known by the machine's
        login = platform.node()
    return f"{USER}:{_printable(login)[:_LONGEST]}"


def _common(git: Path) -> Path:
    """The folder that all worktrees of a repository share."""
    if git.is_dir():
        return git
    try:
        pointed = os.fsdecode(git.read_bytes()).partition("gitdir:")[2].strip()
        private = (git.parent / pointed).resolve()
        shared = private / "commondir"
        return (private / os.fsdecode(shared.read_bytes()).strip()).resolve() if shared.is_file() else private
    except (OSError, ValueError):  # it cannot be read, or points to what is no path
        return git


def _of_remote(config: Path) -> str | None:
    """The remote's host and path: the same for https, ssh and git addresses, and never with a password."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string("\n".join(line.lstrip() for line in config.read_text().splitlines()))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return None
    remotes = {name: parser.get(name, "url", fallback=None) for name in parser.sections() if name.startswith("remote ")}
    url = remotes.get('remote "origin"') or next(filter(None, remotes.values()), None)
    found = _REMOTE.fullmatch(url.strip()) if url else None
    if found is None or found["host"] in (".", "..", "file") or len(found["host"]) == 1:
        return None  # another folder of this machine, on a drive perhaps
    path = found["path"].strip("/").removesuffix(".git").strip("/")
    return f"repo:{found['host']}/{path}".lower()[:_LONGEST]


def _named(root: Path) -> str:
    digest = hashlib.blake2b(str(root).encode(errors="surrogateescape"), digest_size=6).hexdigest()
    return f"repo:{(_printable(root.name) or 'root')[:_LONGEST]}@{digest}"


def _printable(name: str) -> str:
    """As much of it as the name of a space may have."""
    return "".join(character for character in name if character.isprintable())
