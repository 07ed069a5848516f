"""A developer's desk: a home, a repository, and a shell in which hosts run our hooks."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from truekeep import Memory
from truekeep.hooks import line

PROGRAM = [sys.executable, "-P", "-W", "error", "-m", "truekeep.cli.main", "hooks"]
SPACE = "repo:git.example/acme/shop"


class Desk:
    """Hooks are run by a real shell, as hosts do; the helper that they start is ended with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "memories"
        self.repository = folder / "shop"
        (self.repository / ".git").mkdir(parents=True)
        (self.repository / ".git" / "config").write_text('[remote "origin"]\n\turl = git@git.example:Acme/shop.git\n')
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TRUEKEEP_HOME": str(self.home),
            "TRUEKEEP_THREADS": "1",
        }

    def warm(self) -> None:
        """Have a helper that answers in time, however busy the machine is."""
        asked = {"session_id": "warm", "prompt": "is anybody there?"}
        complaints = -1
        while complaints != len(self.log()) or not line.is_there(str(self.home)):
            complaints = len(self.log())
            self.hook("claude-code", "UserPromptSubmit", **asked)
        (self.home / "hooks" / "log").unlink(missing_ok=True)

    def hook(self, host: str, event: str, *more: str, **payload: Any) -> str:
        """What a hook printed; it has ended with 0 and complained nowhere."""
        running = self.started(host, event, *more)
        out, err = running.communicate(self.given(event, **payload), timeout=60)
        assert (running.returncode, err) == (0, b""), (running.returncode, err)
        return out.decode()

    def given(self, event: str, **payload: Any) -> bytes:
        return json.dumps({"hook_event_name": event, "cwd": str(self.repository), **payload}).encode()

    def started(self, host: str, event: str, *more: str, redirect: str = "") -> subprocess.Popen[bytes]:
        command = f"exec {shlex.join([*PROGRAM, 'run', host, event, *more])} {redirect}"
        pipe = subprocess.PIPE
        return subprocess.Popen(
            ["sh", "-c", command], stdin=pipe, stdout=pipe, stderr=pipe, env=self.environment, cwd=self.repository
        )

    def told(self, event: str, **payload: Any) -> str:
        """What Claude Code would tell its model; empty when nothing."""
        out = self.hook("claude-code", event, **payload)
        if not out:
            return ""
        answer = json.loads(out)["hookSpecificOutput"]
        assert answer["hookEventName"] == event
        text: str = answer["additionalContext"]
        return text

    def command(self, *words: str) -> Any:
        """What another command of ours says as JSON."""
        done = subprocess.run(
            [*PROGRAM, *words, "--json"], env=self.environment, cwd=self.repository, capture_output=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def transcript(self, *said: tuple[str, str], session: str = "s1", **more: Any) -> str:
        """A session of Claude Code, as it writes one."""
        lines = [
            {"type": role, "uuid": f"{session}-{number}", "sessionId": session, "isSidechain": False, **more}
            | {"message": {"role": role, "content": text}, "timestamp": f"2026-11-01T10:{number:02}:00.000Z"}
            for number, (role, text) in enumerate(said)
        ]
        file = self.folder / f"{session}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in lines))
        return str(file)

    def memory(self, space: str = SPACE) -> Memory:
        return Memory(space, at=self.home / "truekeep.db")

    def kept(self, *, at_least: int, within: float = 60) -> list[str]:
        """What the repository's space holds, once the helper has done its job."""
        until = time.monotonic() + within
        with self.memory() as memory:
            while len(items := memory.items()) < at_least and time.monotonic() < until:
                time.sleep(0.1)
        return [item.content for item in items]

    def log(self) -> list[str]:
        file = self.home / "hooks" / "log"
        return file.read_text().splitlines() if file.exists() else []

    def helper(self) -> int | None:
        return line.running(str(self.home))

    def close(self) -> None:
        until = time.monotonic() + 30
        while (self.home / "hooks" / "starting").exists() and time.monotonic() < until:
            time.sleep(0.05)  # a helper on its way has no address yet
        pid = self.helper()
        if pid is not None and pid != os.getpid():  # a test may have listened itself
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
