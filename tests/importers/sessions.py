"""Writes sessions as coding agents and accounts keep them, after what their makers document; nobody said any of it.

Each session has as many messages as `SAID`, and noise around them: tools, thoughts, sub-agents, and what the host says.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SAID = (
    ("user", "Please look at part {n} of the shop."),
    ("assistant", "Part {n} computes prices in cents."),
    ("user", "Keep it that way. Part {n} never uses floats."),
)


def claude_code(folder: Path, sessions: int) -> Path:
    """`projects/<folder>/<session>.jsonl`."""
    for n in range(sessions):
        common = {
            "sessionId": f"cc-{n}",
            "cwd": "/shop",
            "version": "2.1.0",
            "isSidechain": False,
            "userType": "external",
        }
        lines: list[Mapping[str, Any]] = [{"type": "summary", "summary": "Prices", "leafUuid": f"cc-{n}-2"}]
        for number, (role, text) in enumerate(SAID):
            said: Any = text.format(n=n)
            if role == "assistant":
                said = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": said}, _TOOL]
            lines.append({**common, "type": role, "uuid": f"cc-{n}-{number}", "timestamp": _time(n, number)}
                         | {"message": {"role": role, "content": said}})  # fmt: skip
        for extra in ({"isMeta": True}, {"isSidechain": True}):
            lines.append({**lines[1], **extra, "uuid": f"cc-{n}-noise"})
        for text in ("<command-name>/clear</command-name>", "[Request interrupted by user]"):
            lines.append({**lines[1], "uuid": f"cc-{n}-{text[:9]}", "message": {"role": "user", "content": text}})
        result = [{"type": "tool_result", "tool_use_id": "t1", "content": "a file"}]
        lines.append({**lines[1], "uuid": f"cc-{n}-tool", "message": {"role": "user", "content": result}})
        _write(folder / "-shop" / f"cc-{n:04}.jsonl", lines)
    _write(folder / "-shop" / "cc-0000" / "subagents" / "agent-1.jsonl", [{**lines[1], "uuid": "agent"}])
    return folder


def codex(folder: Path, sessions: int) -> Path:
    """`sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`."""
    for n in range(sessions):
        meta = {"id": f"cx-{n}", "timestamp": _time(n, 0), "cwd": "/shop", "originator": "cli", "source": "cli"}
        lines = [{"timestamp": _time(n, 0), "type": "session_meta", "payload": meta}]
        for role, text in (
            ("developer", "Be brief."),
            ("user", "<environment_context>\n</environment_context>"),
            *SAID,
        ):
            kind = "output_text" if role == "assistant" else "input_text"
            content = [{"type": kind, "text": text.format(n=n)}]
            payload = {"type": "message", "role": role, "content": content}
            lines.append({"timestamp": _time(n, len(lines)), "type": "response_item", "payload": payload})
        call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
        lines.append({"timestamp": _time(n, 9), "type": "response_item", "payload": call})
        lines.append({"timestamp": _time(n, 9), "type": "event_msg", "payload": {"type": "token_count"}})
        _write(folder / "2026" / "11" / f"{n % 28 + 1:02}" / f"rollout-2026-11-{n:04}.jsonl", lines)
    return folder


def chatgpt(folder: Path, sessions: int) -> Path:
    """`conversations.json` in the archive that one downloads: a tree of messages, and which of them is shown last."""
    talks = []
    for n in range(sessions):
        nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
        system = {
            "id": f"cg-{n}-system",
            "author": {"role": "system"},
            "content": {"content_type": "text", "parts": [""]},
        }
        nodes["system"] = {"id": "system", "message": system, "parent": "root", "children": []}
        parent = "system"
        for number, (role, text) in enumerate(SAID):
            for branch in ("old", "") if role == "assistant" else ("",):
                id = f"cg-{n}-{number}{branch}"
                content = {"content_type": "text", "parts": [f"{branch}{text.format(n=n)}"]}
                message = {"id": id, "author": {"role": role}, "create_time": 1_760_000_000.5 + n, "content": content}
                nodes[id] = {"id": id, "message": message, "parent": parent, "children": []}
            parent = id
        talks.append({"id": f"cg-{n}", "title": "Prices", "mapping": nodes, "current_node": parent})
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(talks))
        archive.writestr("user.json", "{}")
    return folder / "export.zip"


def claude(folder: Path, sessions: int) -> Path:
    """`conversations.json` in the folder that one unpacks."""
    talks = []
    for n in range(sessions):
        messages = [
            {"uuid": f"cl-{n}-{number}", "sender": "human" if role == "user" else role, "created_at": _time(n, number)}
            | {"text": text.format(n=n), "content": [{"type": "text", "text": text.format(n=n)}], "files": []}
            for number, (role, text) in enumerate(SAID)
        ]
        talks.append({"uuid": f"cl-{n}", "name": "Prices", "created_at": _time(n, 0), "chat_messages": messages})
    folder.mkdir(parents=True)
    (folder / "conversations.json").write_text(json.dumps(talks))
    (folder / "users.json").write_text("[]")
    return folder


WRITERS: Mapping[str, Callable[[Path, int], Path]] = {
    "claude-code": claude_code,
    "codex": codex,
    "chatgpt": chatgpt,
    "claude": claude,
}
_TOOL = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/shop/prices.py"}}


def _time(session: int, number: int) -> str:
    return f"2026-{session % 12 + 1:02}-01T10:{number:02}:00.000Z"


def _write(file: Path, lines: list[Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
