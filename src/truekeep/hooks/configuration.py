"""A host's own configuration, with our hooks in it or without them: merged, never overwritten."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from truekeep.errors import BackendError, InvalidInput

from .hosts import Host, Json

BACKUP = ".before-truekeep"  # behind the name of the file: what stood there before our first change
_INDENT = re.compile(r"\n([ \t]+)\S")


def install(host: Host, file: Path, command: Callable[[str], str]) -> bool:
    """Bring our hooks into the file; whether that changed anything. `command`: what an event of the host runs."""
    text = _read(file)
    given = dict(host.frame) if text is None else _parsed(text, file)
    wanted = merged(given, host, command)
    if wanted == given:
        return False
    if text is not None and without(given, host) == given:
        _write(_backup(file), text, like=file)
    _write(file, _printed(wanted, text))
    return True


def uninstall(host: Host, file: Path) -> bool:
    """Take our hooks out; whether there were any. A file that nobody else has changed is as it was before."""
    text = _read(file)
    if text is None:
        return False
    given = _parsed(text, file)
    rest = without(given, host)
    if rest == given:
        return False
    backup = _backup(file)
    before = _read(backup)
    if before is not None and _passed(_parsed(before, backup), host) == rest:
        _write(file, before)
        backup.unlink()
    elif before is None and rest == host.frame:
        file.resolve().unlink()  # we made it
    else:
        _write(file, _printed(rest, text))
    return True


def installed(host: Host, file: Path) -> list[str]:
    """The events of the host at which the file runs us."""
    text = _read(file)
    hooks = {} if text is None else _hooks(_parsed(text, file), str(file))
    return [event for event in host.events if any(_is_ours(one, host) for one in hooks.get(event, ()))]


def merged(given: Json, host: Host, command: Callable[[str], str]) -> Json:
    """The configuration with each of our hooks in it once, behind those of others."""
    hooks = _hooks(given, host.file)
    wanted = {event: host.entry(event, command(event)) for event in host.events}
    if all([one for one in hooks.get(event, ()) if _is_ours(one, host)] == [wanted[event]] for event in wanted):
        return given
    rest = without(given, host)
    hooks = _hooks(rest, host.file)
    return {**rest, "hooks": {**hooks, **{event: [*hooks.get(event, ()), wanted[event]] for event in wanted}}}


def without(given: Json, host: Host) -> Json:
    """The configuration without our hooks, and without what only held them."""
    hooks = _hooks(given, host.file)
    kept = {event: _others(entries, host) if event in host.events else entries for event, entries in hooks.items()}
    kept = {event: entries for event, entries in kept.items() if entries or not hooks[event]}
    if kept == hooks:
        return given
    return {name: kept if name == "hooks" else value for name, value in given.items() if kept or name != "hooks"}


def _passed(before: Json, host: Host) -> Json:
    """What is left once our hooks have come and gone: lists that were empty before have held them, and go with them."""
    return without(merged(before, host, lambda event: f"truekeep hooks run {host.name} {event}"), host)


def _others(entries: list[Any], host: Host) -> list[Any]:
    if not host.is_nested:
        return [one for one in entries if not _is_ours(one, host)]
    kept = []
    for group in entries:
        if not _is_ours(group, host):
            kept.append(group)
        elif others := [one for one in group["hooks"] if not _runs_us(one, host)]:
            kept.append({**group, "hooks": others})
    return kept


def _is_ours(entry: object, host: Host) -> bool:
    """Whether it runs us; where entries are groups, whether one of the group does."""
    group = entry.get("hooks") if host.is_nested and isinstance(entry, Mapping) else [entry]
    return isinstance(group, list) and any(_runs_us(one, host) for one in group)


def _runs_us(one: object, host: Host) -> bool:
    command = one.get("command") if isinstance(one, Mapping) else None
    return isinstance(command, str) and "truekeep" in command and f" hooks run {host.name} " in f"{command} "


def _hooks(given: Json, where: str) -> dict[str, list[Any]]:
    hooks = given.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        raise InvalidInput("hooks", f"in {where} is not what the host documents; nothing was changed")
    return hooks


def _parsed(text: str, file: Path) -> Json:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(str(file), "is not JSON; nothing was changed") from error
    if not isinstance(given, dict):
        raise InvalidInput(str(file), "is not a JSON object; nothing was changed")
    return given


def _printed(given: Json, like: str | None) -> str:
    """As the file was printed before, so that a change shows as what it is."""
    indent = _INDENT.search(like or "")
    end = "\n" if like is None or like.endswith("\n") else ""
    return json.dumps(given, indent=indent[1] if indent else 2, ensure_ascii=False) + end


def _backup(file: Path) -> Path:
    return file.with_name(file.name + BACKUP)


def _read(file: Path) -> str | None:
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            str(file), f"cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
        ) from error


def _write(file: Path, text: str, *, like: Path | None = None) -> None:
    """The whole file or nothing of it; through a link, as dotfiles are kept. Who may read `like` may read it."""
    place, model = file.resolve(), like or file
    draft = place.with_name(f"{place.name}.{os.getpid()}.tmp")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.touch(mode=0o600 if model.exists() else 0o666, exist_ok=False)
        draft.write_bytes(text.encode())
        if model.exists():
            draft.chmod(model.stat().st_mode & 0o777)
        draft.replace(place)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise BackendError(f"{file} cannot be written: {error.strerror}; nothing was changed") from error
