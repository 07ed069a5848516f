"""Runs an example that starts several processes, and tells what each of them printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent.parent


def run_example(name: str, folder: Path) -> list[str]:
    command = [sys.executable, str(ROOT / "examples" / name), "--at", str(folder / "memory.db")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TRUEKEEP_HOME": str(folder)}

    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return re.split(r"^\S+ process$", done.stdout, flags=re.MULTILINE)[1:]
