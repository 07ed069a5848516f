"""The example for plain chat clients."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples" / "chat_client" / "remember_across_processes.py"


def test_what_one_process_is_told_the_model_of_another_is_shown(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLE), "--at", str(tmp_path / "memory.db")]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    first, second = re.split(r"^\S+ process$", done.stdout, flags=re.MULTILINE)[1:]
    assert "the model was shown: You are a cook.\n" in first
    assert "I am allergic to peanuts, and I love Thai food." in second.partition("the model was shown:")[2]
