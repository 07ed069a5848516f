"""The example and the page of the docs do what they say, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent.parent
EXAMPLE = ROOT / "examples" / "classic_autogen" / "remember_across_processes.py"
PAGE = ROOT / "docs" / "how-to" / "classic-autogen.md"


def run(folder: Path, *command: object) -> str:
    environment = {**os.environ, "TRUEKEEP_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_a_fresh_process_has_what_the_one_before_learned(tmp_path: Path) -> None:
    first = run(tmp_path, EXAMPLE, "tell", "--at", tmp_path / "memory.db")
    second = run(tmp_path, EXAMPLE, "ask", "--at", tmp_path / "memory.db")

    assert "I remember" not in first
    assert "I prefer TypeScript over JavaScript, and our team deploys on Thursdays." in second
    assert "0 failures" in first + second


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    run(tmp_path, ROOT / "tests" / "docs" / "run_page.py", PAGE)


def test_importing_truekeep_imports_no_framework(tmp_path: Path) -> None:
    script = "import sys, truekeep, truekeep.adapters.common; print('autogen' in sys.modules)"

    assert run(tmp_path, "-c", script).strip() == "False"


def test_what_is_said_in_an_async_chat_survives_the_end_of_its_process(tmp_path: Path) -> None:
    script = """
import asyncio
from pathlib import Path
from truekeep.adapters.classic_autogen import PersistentGroupChat, attach
from tests.frameworks.classic.parts import bot, give_model, group, person, spaces

agent, user, coder = bot(), person(), bot("coder")
attach(agent, spaces(Path("."), "bot"))
give_model(agent, "The last words of this agent.")
give_model(coder, "The last words of the group.")
groupchat, manager = group(user, coder, rounds=2, cls=PersistentGroupChat, memory=spaces(Path("."), "group"))

async def main():
    await user.a_initiate_chat(agent, message="A question at the very end.", max_turns=1, silent=True)
    await user.a_initiate_chat(manager, message="A question to the group.", silent=True)

asyncio.run(main())
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True, timeout=120)
    from tests.frameworks.classic.parts import contents, kept, opened

    assert [item.content for item in kept(tmp_path)] == ["A question at the very end.", "The last words of this agent."]
    with opened(tmp_path, "group") as memory:
        assert contents(memory.get("messages")) == ["A question to the group.", "The last words of the group."]
