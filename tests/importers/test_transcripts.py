"""Sessions of coding agents and conversations of accounts: what was said, each message once."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from truekeep import InvalidInput, Memory
from truekeep.importers import BroughtIn, bring_in, read
from truekeep.importers.transcripts import is_unattended
from truekeep.testing.fakes import FakeEmbedder

from . import sessions
from .looking import contents, left_out, statements

formats = pytest.mark.parametrize("format", sessions.WRITERS)


@formats
def test_only_what_somebody_said_is_read_in_order_with_who_and_when(format: str, tmp_path: Path) -> None:
    path = sessions.WRITERS[format](tmp_path / "export", 1)

    found = statements(format, path)

    assert [one["content"] for one in found] == [text.format(n=0) for _, text in sessions.SAID]
    assert [one["source"].role for one in found] == [role for role, _ in sessions.SAID]
    assert {one["kind"] for one in found} == {"interaction"}
    assert len({one["source"].session for one in found}) == 1
    assert len({one["source"].message for one in found}) == len(found)
    assert all(isinstance(one["when"], datetime) and one["when"].tzinfo is UTC for one in found)


@pytest.mark.long
@formats
def test_a_thousand_sessions_come_in_once_however_often_they_are_brought(format: str, tmp_path: Path) -> None:
    path = sessions.WRITERS[format](tmp_path / "export", 1_000)
    messages = 1_000 * len(sessions.SAID)

    with Memory("bot", at=tmp_path / "memory.db", embedder=FakeEmbedder(), background=False) as memory:
        begun = bring_in(memory, islice(read(format, path), messages // 3))  # as if it had been interrupted
        resumed = bring_in(memory, read(format, path))
        again = bring_in(memory, read(format, path))
        by_session = Counter(session.name for session in memory.sessions())
        first = memory.items(session=memory.sessions()[0].name)

    assert begun == BroughtIn(added=messages // 3)
    assert resumed == BroughtIn(added=messages - messages // 3, unchanged=messages // 3)
    assert again == BroughtIn(unchanged=messages)
    assert len(by_session) == 1_000
    assert len(first) == len(sessions.SAID)


def test_a_session_that_was_resumed_repeats_nothing(tmp_path: Path) -> None:
    folder = sessions.claude_code(tmp_path / "projects", 1) / "-shop"
    copied = (folder / "cc-0000.jsonl").read_text().replace('"sessionId": "cc-0"', '"sessionId": "cc-1"')
    (folder / "cc-0001.jsonl").write_text(copied)

    assert len(contents("claude-code", tmp_path / "projects")) == len(sessions.SAID)


def test_a_line_that_is_being_written_waits_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    file = sessions.claude_code(tmp_path, 1) / "-shop" / "cc-0000.jsonl"
    whole = file.read_text()
    file.write_text("{damaged\n7\n" + whole + whole.splitlines()[1][:40])

    assert left_out("claude-code", file) == [
        ("cc-0000.jsonl, line 1", "is not a JSON object", True),
        ("cc-0000.jsonl, line 2", "is not a JSON object", True),
    ]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Fix it.<system-reminder>Be brief.</system-reminder>", "Fix it."),
        ("<attached_files>\na\n</attached_files>\n<user_query>\nFix it.\n</user_query>", "Fix it."),
        ("<user_query>Fix it.</user_query>a<user_query>Now.</user_query><user_query>b", "Fix it.\nNow."),
        ("<user_query></user_query>Fix it.", None),
        ('Fix it.\n<recalled-memory note="x">\n- Old news.\n</recalled-memory>', "Fix it."),
        ("# AGENTS.md instructions for /shop\nBe brief.", None),
        ("<system-reminder>Nobody closes this", None),
        ("Is a < b?", "Is a < b?"),
    ],
)
def test_what_the_host_and_we_put_around_it_is_left_out(text: str, own: str | None, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"role": "user", "message": {"content": [{"type": "text", "text": text}]}}) + "\n")

    assert contents("claude-code", file) == ([] if own is None else [own])


def test_runs_that_nobody_typed_are_told_apart(tmp_path: Path) -> None:
    told = {
        "typed": {"type": "user", "isSidechain": False, "entrypoint": "cli"},
        "driven": {"type": "user", "entrypoint": "sdk-py"},
        "sub-agent": {"type": "user", "isSidechain": True},
        "codex": {"type": "session_meta", "payload": {"source": "vscode", "thread_source": "user"}},
        "app": {"type": "session_meta", "payload": {"source": {"custom": "desktop"}}},
        "exec": {"type": "session_meta", "payload": {"source": "exec"}},
        "spawned": {"type": "session_meta", "payload": {"source": {"subagent": "review"}}},
        "automation": {"type": "session_meta", "payload": {"source": "vscode", "thread_source": "automation"}},
    }
    for name, record in told.items():
        (tmp_path / name).write_text(json.dumps(record) + "\n")

    assert [name for name in told if not is_unattended(tmp_path / name)] == ["typed", "codex", "app"]


def test_an_aside_of_a_sub_agent_makes_no_session_unattended(tmp_path: Path) -> None:
    typed, aside = ({"type": "user", "isSidechain": is_aside} for is_aside in (False, True))
    told = {"typed": [{"type": "summary"}, typed, aside], "sub-agent": [{"type": "summary"}, aside, typed]}
    for name, records in told.items():
        (tmp_path / name).write_text("".join(json.dumps(record) + "\n" for record in records))

    assert [name for name in told if is_unattended(tmp_path / name)] == ["sub-agent"]


@pytest.mark.parametrize("nodes", [{}, {"a": {"parent": "b"}, "b": {"parent": "a"}}, {"a": 1}, {"a": {"message": 7}}])
def test_a_tree_that_is_odd_has_no_messages_and_no_end_is_waited_for(nodes: object, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"id": "x", "mapping": nodes, "current_node": "a"}]))

    assert statements("chatgpt", file) == []


@pytest.mark.parametrize(
    ("format", "text", "problem"),
    [
        ("chatgpt", "{", "is not JSON"),
        ("claude", "{}", "is no list of conversations"),
    ],
)
def test_what_is_no_export_is_refused(format: str, text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_text(text)

    with pytest.raises(InvalidInput, match=problem):
        statements(format, tmp_path)


@pytest.mark.parametrize("content", [5, True, {"type": "text"}, "Fix it.", [5], None])
def test_content_that_is_odd_is_passed_over(content: object, tmp_path: Path) -> None:
    message = {"uuid": "1", "sender": "human", "text": "Fix it.", "content": content}
    (tmp_path / "conversations.json").write_text(json.dumps([{"uuid": "c", "chat_messages": [message]}]))

    assert contents("claude", tmp_path) == ["Fix it."]


def packed(path: Path, method: int) -> bytes:
    with zipfile.ZipFile(path, "w", compression=method) as archive:
        archive.writestr("conversations.json", json.dumps([{"uuid": str(number)} for number in range(200)]))
    return path.read_bytes()


@pytest.mark.parametrize("format", ["claude", "chatgpt"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("damage", ["encrypted", "unknown method", "cut", "garbled", "no archive"])
def test_an_archive_that_cannot_be_read_is_refused(format: str, method: int, damage: str, tmp_path: Path) -> None:
    file = tmp_path / "export.zip"
    data = bytearray(packed(file, method))
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    match damage:
        case "encrypted":
            data[local + 6] |= 1
            data[central + 8] |= 1
        case "unknown method":
            data[local + 8] = data[central + 10] = 97
        case "cut":
            del data[central - 40 : central]
        case "garbled":
            data[local + 60 : local + 90] = bytes(range(200, 230))
        case "no archive":
            data[central] = 0
    file.write_bytes(data)

    with pytest.raises(InvalidInput, match="cannot be read; unpack it"):
        statements(format, file)


@formats
def test_a_folder_that_holds_none_is_refused(format: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no"):
        statements(format, tmp_path)


def test_the_export_of_another_account_is_told(tmp_path: Path) -> None:
    path = sessions.claude(tmp_path / "export", 1)

    assert [one[1:] for one in left_out("chatgpt", path)] == [("has no messages: is it an export of ChatGPT?", True)]
