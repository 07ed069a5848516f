"""Conversations that others kept: sessions of coding agents, and what one can export from an account.

Only what somebody said is read: no tools, no thoughts, nothing that a sub-agent or the host itself put there.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from truekeep.errors import InvalidInput
from truekeep.fence import without_recalled

from .fields import text_of
from .files import json_of, opened, whole_text
from .records import Found, LeftOut, Raw, message

_SPEAKERS = ("user", "assistant")
_TEXTS = ("text", "input_text", "output_text")
_ENOUGH = 50  # lines at the beginning that tell what kind of session it is
_DRIVEN, _SPAWNED = ("exec", "mcp"), ("subagent", "internal")  # what Codex calls its sources that nobody types into
_QUERY, _REMINDER = "user_query", "system-reminder"
_OF_HOST = re.compile(r"<[a-z][\w-]*>|# AGENTS\.md instructions|\[Request interrupted")
_NAMED = "conversations*.json"  # large exports come in several files
_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # of exports; what others raise depends on Python's build
# What `zipfile` raises where an archive is damaged or encrypted.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, UnicodeDecodeError)
_MOST = 4 * 1024**3  # bytes of a file in an archive; what unpacks to more is none of an account


def claude_code(path: Path) -> Iterator[Raw]:
    """Sessions of Claude Code, and those that Cursor writes in the same manner: a file, or a folder of them."""
    seen: set[str] = set()  # a session that was resumed repeats what came before
    for file in _files(path):
        for number, record in _lines(file):
            if record is None:
                yield LeftOut(where=f"{file.name}, line {number}", reason="is not a JSON object")
                continue
            found = None if record.get("isSidechain") or record.get("isMeta") else _of_claude_code(file, number, record)
            if found is not None and found.id is not None and found.id not in seen:
                seen.add(found.id)
                yield found


def codex(path: Path) -> Iterator[Raw]:
    """Sessions of Codex ("rollouts"): a file, or a folder of them."""
    for file in _files(path):
        session = file.stem
        for number, record in _lines(file):
            if record is None:
                yield LeftOut(where=f"{file.name}, line {number}", reason="is not a JSON object")
                continue
            payload = record.get("payload")
            if not isinstance(payload, Mapping):
                continue
            if record.get("type") == "session_meta":
                session = str(payload.get("id") or session)
            elif record.get("type") == "response_item" and payload.get("type") == "message":
                id = f"{session}:{number}"
                if found := _in_session(file, number, payload, session=session, id=id, when=record.get("timestamp")):
                    yield found


READERS: Mapping[str, Callable[[Path], Iterator[Raw]]] = {"claude-code": claude_code, "codex": codex}


def is_unattended(path: Path) -> bool:
    """Whether a session is a sub-agent's, or was run by a program: nobody typed what its user says."""
    records = [record for _, record in islice(_lines(path), _ENOUGH) if record is not None]
    first = next((record for record in records if record.get("type") in _SPEAKERS), None)
    is_of_sub_agent = first is not None and first.get("isSidechain") is True  # later ones are asides of a session
    return is_of_sub_agent or any(map(_tells_so, records))


def _tells_so(record: Mapping[str, Any]) -> bool:
    if record.get("type") != "session_meta":
        return str(record.get("entrypoint", "")).startswith("sdk")
    payload = record.get("payload")
    told: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {}
    source = told.get("source")
    is_driven = bool(source.keys() & _SPAWNED) if isinstance(source, Mapping) else source in _DRIVEN
    return is_driven or told.get("thread_source") not in (None, "user")


def _of_claude_code(file: Path, number: int, record: Mapping[str, Any]) -> Found | None:
    said = record.get("message")
    role = record.get("type") or record.get("role")
    if role not in _SPEAKERS or not isinstance(said, Mapping) or record.get("isCompactSummary"):
        return None
    session = str(record.get("sessionId") or file.stem)
    id = str(record.get("uuid") or f"{session}:{number}")
    return _in_session(file, number, {**said, "role": role}, session=session, id=id, when=record.get("timestamp"))


def _in_session(
    file: Path, number: int, said: Mapping[str, Any], *, session: str, id: str, when: object
) -> Found | None:
    role = said.get("role")
    text = own_words(_texts_of(said.get("content"))) if role in _SPEAKERS else ""
    if not text:
        return None
    return message(f"{file.name}, line {number}", text, role=str(role), id=id, session=session, when=when)


def own_words(text: str) -> str:
    """What the speaker said, without what the host and we ourselves put around it; empty if that is all there is."""
    queries, _ = _parted(text, _QUERY)
    _, others = _parted("\n".join(queries) if queries else text, _REMINDER)
    text = without_recalled("".join(others)).strip()
    return "" if _OF_HOST.match(text) else text


def _parted(text: str, tag: str) -> tuple[list[str], list[str]]:
    """What stands inside of such tags, and what around them. In linear time, as no pattern would do it."""
    begins, ends = f"<{tag}>", f"</{tag}>"
    inside, around, place = [], [], 0
    while (start := text.find(begins, place)) >= 0 and (end := text.find(ends, start)) >= 0:
        inside.append(text[start + len(begins) : end])
        around.append(text[place:start])
        place = end + len(ends)
    return inside, [*around, text[place:]]


def _texts_of(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") in _TEXTS]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*.jsonl") if file.is_file() and not _is_of_sub_agent(file))
    if not files:
        raise InvalidInput("path", f"{path} holds no sessions: no file there ends in .jsonl")
    return files


def _is_of_sub_agent(file: Path) -> bool:
    return file.name.startswith("agent-") or file.parent.name == "subagents"


def _lines(file: Path) -> Iterator[tuple[int, Mapping[str, Any] | None]]:
    """Every line that is whole, None where it is no JSON object: the host may be writing the last one."""
    with opened(file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                if line.endswith(b"\n"):
                    yield number, None
                continue
            yield number, record if isinstance(record, dict) else None


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
            if found := _in_account(where, "\n".join(texts), role, one.get("create_time"), session, one.get("id")):
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
            if found := _in_account(where, text, one.get("sender"), one.get("created_at"), session, one.get("uuid")):
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


def _in_account(where: str, text: object, role: object, when: object, session: str | None, id: object) -> Found | None:
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
