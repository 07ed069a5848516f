"""Sessions of coding agents, as they write them themselves: a line of JSON for everything that happens.

Only what somebody said is read: no tools, no thoughts, nothing that a sub-agent or the host itself put there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from truekeep.errors import InvalidInput
from truekeep.fence import without_recalled

from .files import opened
from .records import Found, LeftOut, Raw, message

_SPEAKERS = ("user", "assistant")
_TEXTS = ("text", "input_text", "output_text")
_ENOUGH = 50  # lines at the beginning that tell what kind of session it is
_DRIVEN, _SPAWNED = ("exec", "mcp"), ("subagent", "internal")  # what Codex calls its sources that nobody types into
_QUERY, _REMINDER = "user_query", "system-reminder"
_OF_HOST = re.compile(r"<[a-z][\w-]*>|# AGENTS\.md instructions|\[Request interrupted")


class _Line(NamedTuple):
    number: int
    record: Mapping[str, Any] | None  # None: it is no JSON object


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
                if found := _found(file, number, payload, session=session, id=id, when=record.get("timestamp")):
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
    return _found(file, number, {**said, "role": role}, session=session, id=id, when=record.get("timestamp"))


def _found(file: Path, number: int, said: Mapping[str, Any], *, session: str, id: str, when: object) -> Found | None:
    role = said.get("role")
    text = own_words(_text(said.get("content"))) if role in _SPEAKERS else ""
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


def _text(content: object) -> str:
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


def _lines(file: Path) -> Iterator[_Line]:
    """Every line that is whole: the host may be writing the last one."""
    with opened(file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                if line.endswith(b"\n"):
                    yield _Line(number, None)
                continue
            yield _Line(number, record if isinstance(record, dict) else None)
