"""The coding agents that run hooks: where each keeps its configuration, what it says, and how it is answered."""

from __future__ import annotations

from . import claude_code, codex, cursor
from .host import Heard, Host, Moment

__all__ = ["HOSTS", "Heard", "Host", "Moment"]

HOSTS = {host.name: host for host in (claude_code.HOST, codex.HOST, cursor.HOST)}
