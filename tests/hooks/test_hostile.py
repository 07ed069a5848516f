"""The real command where nothing is as it should be: it ends with 0, in time, and never speaks out of turn."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from truekeep.hooks import front, line, notebook

from .desk import PROGRAM, Desk

EVENTS = [
    ("claude-code", "SessionStart"),
    ("claude-code", "UserPromptSubmit"),
    ("codex", "PreCompact"),
    ("cursor", "sessionEnd"),
]
KNOWN = "The orders service uses PostgreSQL."
QUESTION = "which database does the orders service use?"
MOST = max(front.DEADLINES.values()) + 20  # seconds; the machine may be busy, and a hang takes for ever


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def in_a_shell(command: str, environment: dict[str, str], given: bytes = b"{}") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["sh", "-c", command], input=given, env=environment, capture_output=True, timeout=MOST)


def spelled(host: str, event: str) -> str:
    return shlex.join([*PROGRAM, "run", host, event])


@pytest.mark.parametrize(("host", "event"), EVENTS)
def test_without_home_and_without_anything_else(host: str, event: str, tmp_path: Path) -> None:
    environment = {"XDG_DATA_HOME": "/proc/nowhere"}  # without HOME, the platform's folder is that of the account

    assert silent(in_a_shell(f"cd {tmp_path}; {spelled(host, event)}", environment))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="wants a folder that not even root can write to")
@pytest.mark.parametrize(("host", "event"), EVENTS)
def test_where_the_disk_is_read_only(host: str, event: str) -> None:
    given = json.dumps({"session_id": "s1", "prompt": QUESTION, "transcript_path": "/proc/nothing"}).encode()

    assert silent(in_a_shell(spelled(host, event), {"TRUEKEEP_HOME": "/proc/truekeep"}, given))


@pytest.mark.parametrize(("host", "event"), EVENTS)
def test_with_stdin_and_stdout_closed(desk: Desk, host: str, event: str) -> None:
    closed = [in_a_shell(f"{spelled(host, event)} {how}", desk.environment) for how in ("<&-", ">&-", "<&- >&- 2>&-")]

    assert all(map(silent, closed))


@pytest.mark.parametrize("given", [b"", b"null", b"[1]", b'{"prompt": ', b"\xff\xfe", b"[" * 100_000, b'{"prompt": 7}'])
def test_what_is_no_payload_is_met_with_silence(desk: Desk, given: bytes) -> None:
    desk.environment["TRUEKEEP_HOME"] = "/proc/truekeep"

    assert silent(in_a_shell(spelled("claude-code", "UserPromptSubmit"), desk.environment, given))


def test_a_wrong_event_is_told_to_people_and_breaks_nothing(desk: Desk) -> None:
    done = in_a_shell(spelled("claude-code", "Elsewhere"), desk.environment)

    assert (done.returncode, done.stdout) == (0, b"")
    assert b"usage: truekeep hooks run" in done.stderr


def test_a_prompt_of_ten_megabytes_is_answered(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember(KNOWN)
    desk.warm()

    told = desk.told("UserPromptSubmit", session_id="s1", prompt=f"{QUESTION} " + "the log says nothing. " * 500_000)

    assert KNOWN in told


def test_two_hosts_at_once_share_one_helper(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember(KNOWN, pinned=True)
    events = [("claude-code", "SessionStart"), ("codex", "SessionStart"), ("cursor", "sessionStart")] * 2

    running = [(desk.started(host, event), event) for host, event in events]
    said = [
        one.communicate(desk.given(event, session_id=f"s{n}"), timeout=MOST) for n, (one, event) in enumerate(running)
    ]
    late = len(desk.log())  # the machine may be busy, and the helper had to be started
    desk.warm()
    told = desk.told("UserPromptSubmit", session_id="s9", prompt=QUESTION)

    assert {err for _, err in said} == {b""}
    assert sum(KNOWN.encode() in out for out, _ in said) == len(events) - late
    assert KNOWN in told


def test_what_was_handed_over_survives_a_helper_that_is_killed(desk: Desk) -> None:
    said = [("user", f"We decided to ship part {number} on day {number}.") for number in range(60)]
    payload = {"session_id": "s1", "transcript_path": desk.transcript(*said)}
    desk.warm()
    first = desk.helper()
    assert first is not None

    desk.told("PreCompact", **payload)
    os.kill(first, signal.SIGKILL)
    desk.told("SessionStart", session_id="s2")
    kept = desk.kept(at_least=40, within=270)  # whoever was killed may have had the job, for three minutes

    assert desk.helper() != first
    assert len(kept) >= 40
    assert len(kept) == len({*kept})


def test_a_hook_that_is_killed_leaves_the_next_one_unharmed(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember(KNOWN)
    for pause in (0.0, 0.05, 0.2):
        killed = desk.started("claude-code", "UserPromptSubmit")
        time.sleep(pause)
        killed.kill()
        killed.communicate(timeout=MOST)

    desk.warm()

    assert KNOWN in desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)


def listening(desk: Desk, answer: bytes | None) -> tuple[socket.socket, list[bytes]]:
    """Somebody else on the port that the helper once had, or one who knows its word; and what is said to them."""
    listener, address = line.listen(str(desk.home))
    heard: list[bytes] = []

    def hear() -> None:
        with listener.accept()[0] as caller:
            caller.sendall(f"{address.split()[-1]}\n".encode() if answer is None else answer)
            while read := caller.recv(65536):
                heard.append(read)

    threading.Thread(target=hear, daemon=True).start()
    return listener, heard


def test_one_that_never_answers_costs_the_deadline_and_a_line_in_the_log(desk: Desk) -> None:
    listener, _ = listening(desk, None)

    with listener:
        assert desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION) == ""

    [complaint] = desk.log()
    assert complaint.endswith(f"claude-code UserPromptSubmit: gave up after {front.DEADLINES['UserPromptSubmit']} s")


def test_a_stranger_on_the_port_of_the_helper_hears_no_prompt(desk: Desk) -> None:
    listener, heard = listening(desk, b"a guess\n")

    with listener, pytest.raises(line.NoHelper):
        line.ask(str(desk.home), QUESTION.encode(), timeout=MOST, deliver=lambda answer: None)

    assert QUESTION.encode() not in b"".join(heard)


def test_a_silent_stranger_on_the_port_of_the_helper_is_left_for_a_new_one(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember(KNOWN)
    listener, _ = line.listen(str(desk.home))

    with listener:
        desk.told("UserPromptSubmit", session_id="s1", prompt=QUESTION)
        until = time.monotonic() + MOST
        while desk.helper() == os.getpid() and time.monotonic() < until:
            time.sleep(0.05)

        assert desk.helper() != os.getpid()
        desk.warm()
        assert KNOWN in desk.told("UserPromptSubmit", session_id="s2", prompt=QUESTION)


def test_what_was_never_delivered_is_shown_the_next_time(desk: Desk) -> None:
    with desk.memory() as memory:
        memory.remember(KNOWN)
    desk.warm()
    asked = {"session_id": "s1", "prompt": QUESTION}

    lost = in_a_shell(
        f"{spelled('claude-code', 'UserPromptSubmit')} >&-", desk.environment, desk.given("UserPromptSubmit", **asked)
    )

    assert silent(lost)
    assert KNOWN in desk.told("UserPromptSubmit", **asked)
    assert desk.told("UserPromptSubmit", **asked) == ""


def test_nobody_else_can_read_what_hooks_leave_on_the_disk(desk: Desk) -> None:
    umask = os.umask(0)
    try:
        desk.warm()
        desk.told("SessionEnd", session_id="s1", transcript_path=desk.transcript(("user", "I prefer tea.")))
        notebook.put_by(str(desk.home), b"x\n")
        notebook.complain(str(desk.home), "a test", "nothing")
        left = [desk.home / "hooks", *(desk.home / "hooks").rglob("*")]
    finally:
        os.umask(umask)

    assert {"helper", "last.json", "log", "waiting"} <= {one.name for one in left}
    assert [one.name for one in left if one.stat().st_mode & 0o077] == []


def test_a_helper_ends_when_nobody_asks_any_more(desk: Desk) -> None:
    mark = Path(notebook.folder(str(desk.home))) / "starting"
    mark.touch()
    code = "from truekeep.hooks import helper; helper.IDLE = 0.1; helper.main()"

    done = subprocess.run([sys.executable, "-W", "error", "-c", code, str(mark)], env=desk.environment, timeout=60)

    assert done.returncode == 0
    assert [one.name for one in (desk.home / "hooks").iterdir()] == ["waiting"]


def test_a_session_whose_transcript_is_gone_is_given_up(desk: Desk) -> None:
    desk.told("SessionEnd", session_id="s1", transcript_path=str(desk.folder / "gone.jsonl"))

    until = time.monotonic() + MOST
    while notebook.waiting(str(desk.home)) and time.monotonic() < until:
        time.sleep(0.05)

    assert desk.log()[0].endswith("helper: gave a session up: InvalidInput")
    assert notebook.waiting(str(desk.home)) == []
