"""How much of a prompt a cache can keep, with each framework that is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .measure import Check, Result
from .prompts.chat import KNOWN, Figures
from .workbench import Workbench

_ROOT = Path(__file__).parent.parent
_PLAYED = (  # by which module, in which environment
    ("chat_client", None),
    ("classic", "classic"),
    ("classic", "classic-0.2"),
    ("autogen", "modern"),
    ("ag2", "modern"),
    ("agent_framework", "modern"),
    ("langgraph", "agents"),
    ("openai_agents", "agents"),
    ("pydantic_ai", "pydantic-ai"),
    ("google_adk", "google-adk"),
    ("llama_index", "llama-index"),
    ("strands", "strands"),
)


def prompts(bench: Workbench) -> Iterator[Result]:
    """A chat of twenty turns: which bytes before the last message come again, and which lines of the block."""
    del bench
    for name, environment in _PLAYED:
        is_told = environment in (None, name, name.replace("_", "-"))
        case = f"prompts, {name}" if is_told else f"prompts, {name} ({environment})"
        python = Path(sys.executable)
        if environment is not None:
            python = _ROOT / ".venv-frameworks" / environment / "bin" / "python"
        if not python.exists():
            yield Result(case=case, items=KNOWN, note=f"not installed: make .venv-frameworks/{environment}/.ready")
            continue
        figures = _played(python, name)
        checks = (Check(100 * figures.prefix, 100, " %", at_least=True), Check(100 * figures.lines, 31, " %", True))
        yield Result(case=case, items=KNOWN, checks=checks)


def _played(python: Path, name: str) -> Figures:
    command = [str(python), "-m", "benchmarks.prompts", name]
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return Figures(**json.loads(done.stdout.splitlines()[-1]))  # some frameworks talk before that
