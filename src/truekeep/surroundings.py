"""What a hook has to know of its environment, read without importing anything: a coding agent waits for it.

All the rest is read by `settings.py`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as `typing` has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping


def home(given: Mapping[str, str] = os.environ) -> str:
    """The folder of the default file and of the hooks: TRUEKEEP_HOME, or where programs keep a user's data here."""
    if chosen := given.get("TRUEKEEP_HOME"):
        return _absolute(chosen)
    if sys.platform == "win32":
        return _absolute(given.get("LOCALAPPDATA") or _of_user("AppData", "Local"), "truekeep")
    if sys.platform == "darwin":
        return _of_user("Library", "Application Support", "truekeep")
    return _absolute(given.get("XDG_DATA_HOME") or _of_user(".local", "share"), "truekeep")


def settle(home: str) -> None:
    """Have this process at home there: a relative path in its environment was meant from another folder."""
    os.environ["TRUEKEEP_HOME"] = home


def place(given: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """TRUEKEEP_AT and TRUEKEEP_KEY: where the memories of hooks live, and what opens them; empty where unset.

    The path of a file is absolute: who opens it works in another folder.
    """
    at, key = given.get("TRUEKEEP_AT", "").strip(), given.get("TRUEKEEP_KEY", "").strip()
    path = at.removeprefix("sqlite:").removeprefix("//").removeprefix("/") if at.startswith("sqlite:") else at
    return at if not path or ":" in path else _absolute(path), key


def servers(at: str) -> list[str]:
    """The addresses in a place that names servers of one store, separated by commas. A path may hold a comma, too."""
    found: list[str] = []
    for piece in at.split(","):
        if found and not piece.lstrip().startswith(("http://", "https://")):
            found[-1] += f",{piece}"
        else:
            found.append(piece)
    return [address.strip() for address in found]


def without_password(at: str) -> str:
    """A place as it may lie on the disk. What opens it is kept by this name."""
    return ",".join(map(_without_password, servers(at)))


def _without_password(at: str) -> str:
    scheme, mark, rest = at.partition("://")
    authority, slash, path = rest.partition("/")
    user, sign, host = authority.rpartition("@")
    if scheme.lower() in ("http", "https"):  # a key may stand there without a name before it
        return f"{scheme}{mark}{host}{slash}{path}"
    address, question, parameters = f"{user.partition(':')[0]}{sign}{host}{slash}{path}".partition("?")
    open_ones = [one for one in parameters.split("&") if "password" not in one.partition("=")[0].lower()]
    return f"{scheme}{mark}{address}{question}{'&'.join(open_ones)}"


def is_unattended(given: Mapping[str, str] = os.environ) -> bool:
    """Whether nobody reads along: a pipeline, or a host that a program drives."""
    return bool(given.get("CI")) or given.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")


def folder_of_host(name: str, variable: str | None) -> str:
    """Where a coding agent keeps a user's configuration; `variable` is the one that moves it."""
    moved = os.environ.get(variable, "").strip() if variable else ""
    return os.path.expanduser(moved) if moved else _of_user(name)


def _absolute(*names: str) -> str:
    return os.path.abspath(os.path.expanduser(os.path.join(*names)))


def _of_user(*names: str) -> str:
    user = os.path.expanduser("~")
    if user == "~":
        raise RuntimeError("this user has no home; set TRUEKEEP_HOME")
    return os.path.join(user, *names)
