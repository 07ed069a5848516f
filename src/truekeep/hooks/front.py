"""What a host runs: it hands the event to the helper and passes its answer on, or says nothing in time. It never fails.

A host waits for it at every prompt, so it imports next to nothing; all that is known of hosts, memories and JSON is in
the helper.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from truekeep import surroundings

from . import line, notebook

# Seconds until a hook has answered, whatever happens. A session begins once, and may have to start the helper.
DEADLINES = {
    "SessionStart": 5.0,
    "sessionStart": 5.0,
    "UserPromptSubmit": 2.0,
    "beforeSubmitPrompt": 2.0,
    "PreCompact": 2.0,
    "preCompact": 2.0,
    "SessionEnd": 2.0,
    "sessionEnd": 2.0,
}
KEEPING = ("PreCompact", "preCompact", "SessionEnd", "sessionEnd")  # the transcript is read after these
UNATTENDED = "--unattended"
_USAGE = "usage: truekeep hooks run HOST EVENT [--unattended], as `truekeep hooks install` writes it\n"
_STARTS_WITHIN = 15.0  # seconds; a helper that took longer has died on the way
_POLL = 0.02
_LAST_WORDS = 0.5  # seconds for the line in the log


def main(arguments: list[str]) -> None:
    """Run a hook, and end this process with 0."""
    try:
        run(arguments)
    except BaseException:  # nothing that goes wrong here may reach the agent
        pass
    os._exit(0)  # no thread and no exit handler has anything to do here


def run(arguments: list[str]) -> None:
    """Hear the event on stdin, and answer on stdout."""
    words = [word for word in arguments if word != UNATTENDED]
    if len(words) != 2 or words[1] not in DEADLINES:
        os.write(2, _USAGE.encode())
        return
    host, event = words
    home, until = surroundings.home(), time.monotonic() + DEADLINES[event]
    _thread.start_new_thread(_end, (until, home, f"{host} {event}"))
    try:
        _answer(home, host, event, keeps=UNATTENDED in arguments, until=until)
    except Exception as error:  # a hook fails open, and tells the log
        notebook.complain(home, f"{host} {event}", type(error).__name__)


def _end(until: float, home: str, about: str) -> None:
    """End the process when time is up: nothing that hangs can keep the agent waiting."""
    time.sleep(max(0.0, until - time.monotonic()))
    told: list[bool] = []
    _thread.start_new_thread(_complain, (home, about, told))
    while not told and time.monotonic() < until + _LAST_WORDS:  # a disk that hangs is not waited for
        time.sleep(_POLL)
    os._exit(0)


def _complain(home: str, about: str, told: list[bool]) -> None:
    notebook.complain(home, about, f"gave up after {DEADLINES[about.split()[-1]]} s")
    told.append(True)


def _answer(home: str, host: str, event: str, *, keeps: bool, until: float) -> None:
    at, key = surroundings.place()
    is_driven = "driven" if surroundings.is_unattended() else ""
    words = [host, event, "keeps" if keeps else is_driven, _folder()]
    payload = _payload()
    if not payload:
        return
    if event not in KEEPING:
        _ask(home, line.message([*words, at, key], payload), until=until)
        return
    notebook.put_by(home, line.message([*words, surroundings.without_password(at), ""], payload))
    try:  # what opens the place is told and never written down
        line.ask(home, line.message([*words, at, key], b""), timeout=_patience(until), deliver=_deliver)
    except line.NoHelper:
        _start(home)  # it looks at what was put by before all else


def _folder() -> str:
    """Where the host started us, for one that does not tell; empty where that is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _payload() -> bytes:
    """What the host says on stdin; empty where that is closed."""
    parts = []
    try:
        while part := os.read(0, 1 << 20):
            parts.append(part)
    except OSError:
        return b""
    return b"".join(parts)


def _ask(home: str, message: bytes, *, until: float) -> None:
    """Pass the helper's answer on; one that is not there is started."""
    while True:
        try:
            return line.ask(home, message, timeout=_patience(until), deliver=_deliver)
        except line.NoHelper:
            _start(home)
            time.sleep(_POLL)


def _deliver(answer: bytes) -> None:
    if answer:
        os.write(1, answer)


def _patience(until: float) -> float:
    """Longer than there is time: who ends the process at the deadline says why."""
    return max(0.0, until - time.monotonic()) + 1.0


def _start(home: str) -> None:
    """Start the helper, unless another hook has just done so."""
    folder = notebook.folder(home)
    mark = f"{folder}/starting"
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        try:
            if time.time() - os.stat(mark).st_mtime > _STARTS_WITHIN:
                os.unlink(mark)
        except FileNotFoundError:
            pass  # it has begun to listen meanwhile
        return
    if line.is_there(home):  # it came while we looked for it
        os.unlink(mark)
        return
    import subprocess  # here and not above: a helper that is there needs no start

    helper = subprocess.Popen(
        [sys.executable, "-P", "-m", "truekeep.hooks.helper", mark],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # it outlives the host, which ends its hooks with itself
    )
    helper.returncode = 0  # we do not wait for it, and do not want to be warned about that
