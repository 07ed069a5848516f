"""Codex: the words of Claude Code, in a file of its own."""

from __future__ import annotations

from . import claude_code
from .host import Host

HOST = Host(
    name="codex",
    title="Codex",
    folder=".codex",
    file="hooks.json",
    variable="CODEX_HOME",
    events=claude_code.HOST.events,
    hear=claude_code.hear,
    answer=claude_code.answer,
    advice="Codex runs new hooks only after you have trusted them: look at /hooks once",
)
