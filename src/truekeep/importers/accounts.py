"""What one can export from an account: the conversations of ChatGPT and of Claude."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truekeep.errors import InvalidInput

from .fields import text_of
from .files import json_of, whole_text
from .records import Found, LeftOut, Raw, message

_NAMED = "conversations*.json"  # large exports come in several files
_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # of exports; what others raise depends on Python's build
# What `zipfile` raises where an archive is damaged or encrypted.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, UnicodeDecodeError)
_MOST = 4 * 1024**3  # bytes of a file in an archive; what unpacks to more is none of an account


def chatgpt(path: Path) -> Iterator[Raw]:
    """Each message of the branch that is shown; a conversation whose answer was made anew has several."""
    for where, talk in _conversations(path):
        nodes = talk.get("mapping")
        if not isinstance(nodes, Mapping):
            yield LeftOut(where=where, reason="has no messages: is it an export of ChatGPT?")
            continue
        session = _name(talk, "conversation_id", "id")
        for one in _shown(nodes, talk.get("current_node")):
            author, content = one.get("author"), one.get("content")
            role = author.get("role") if isinstance(author, Mapping) else None
            parts = content.get("parts") if isinstance(content, Mapping) else None
            texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
            if found := _found(where, "\n".join(texts), role, one.get("create_time"), session, one.get("id")):
                yield found


def claude(path: Path) -> Iterator[Raw]:
    """Each message of the account's conversations, in order."""
    for where, talk in _conversations(path):
        messages = talk.get("chat_messages")
        if not isinstance(messages, list):
            yield LeftOut(where=where, reason="has no chat_messages: is it an export of Claude?")
            continue
        session = _name(talk, "uuid")
        for one in messages:
            if not isinstance(one, Mapping):
                continue
            parts = one.get("content")
            said = text_of([part for part in parts if _is_text(part)] if isinstance(parts, list) else None)
            text = said if isinstance(said, str) else one.get("text")
            if found := _found(where, text, one.get("sender"), one.get("created_at"), session, one.get("uuid")):
                yield found


def _shown(nodes: Mapping[str, Any], last: object) -> list[Mapping[str, Any]]:
    """The messages from the first one to the last that is shown."""
    branch: dict[object, Mapping[str, Any]] = {}
    node = nodes.get(last) if isinstance(last, str) else None
    while isinstance(node, Mapping) and last not in branch:
        branch[last] = node
        last = node.get("parent")
        node = nodes.get(last) if isinstance(last, str) else None
    ordered = [*reversed(branch.values())] or [one for one in nodes.values() if isinstance(one, Mapping)]
    return [one["message"] for one in ordered if isinstance(one.get("message"), Mapping)]


def _found(where: str, text: object, role: object, when: object, session: str | None, id: object) -> Found | None:
    """None for what a tool or the service itself put there, and for pictures."""
    ours = _ROLES.get(role) if isinstance(role, str) else None
    if ours is None or not isinstance(text, str) or not text.strip() or not isinstance(id, str):
        return None
    return message(where, text, role=ours, id=id, session=session, when=when)


def _is_text(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type", "text") == "text"


def _name(talk: Mapping[str, Any], *names: str) -> str | None:
    return next((talk[name] for name in names if isinstance(talk.get(name), str)), None)


def _conversations(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, text in _texts(path):
        try:
            talks = json_of(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput("path", f"{name} is not JSON") from error
        if not isinstance(talks, list):
            raise InvalidInput("path", f"{name} is no list of conversations")
        for number, talk in enumerate(talks, start=1):
            if isinstance(talk, Mapping):
                yield f"conversation {number} of {name}", talk


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """The files with conversations: in the archive as it was downloaded, in its folder, or one of them itself."""
    if path.is_file() and zipfile.is_zipfile(path):
        yield from _archived(path)
        return
    files = sorted(path.rglob(_NAMED)) if path.is_dir() else [path]
    if not files:
        raise InvalidInput("path", f"{path} holds no conversations.json: is it the export of an account?")
    for file in files:
        yield file.name, whole_text(file)


def _archived(path: Path) -> Iterator[tuple[str, str]]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if Path(one.filename).match(_NAMED) and one.file_size <= _MOST]
            if not members:
                raise InvalidInput("path", f"{path} holds no conversations.json: is it the export of an account?")
            for member in members:
                if member.compress_type not in _METHODS:
                    raise zipfile.BadZipFile("it is packed as no account's export is")
                yield member.filename, archive.read(member).decode()
    except _UNREADABLE as error:
        raise InvalidInput("path", f"{path} cannot be read; unpack it, and name its folder") from error
