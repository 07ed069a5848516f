"""The words that stand for choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
Trust = Literal["unknown", "tool", "agent", "user"]
Outcome = Literal["added", "reinforced", "superseded", "refused"]
Judged = bool | Literal["now"]
Order = Literal["best", "confidence", "newest"]
JobState = Literal["waiting", "running", "done", "failed"]
Scope = Literal["read", "write", "admin", "metrics"]
Keep = Literal["newer", "older", "both"]
Redact = Literal["on", "flag", "refuse", "off"]  # what is done about secrets in what is said

KINDS = ("preference", "decision", "fact", "lesson", "context", "interaction", "temporary")
TRUST_LEVELS: tuple[Trust, ...] = ("unknown", "tool", "agent", "user")  # least first

ROLE_TRUST: Mapping[str, Trust] = MappingProxyType(
    {
        "user": "user",
        "human": "user",
        "assistant": "agent",
        "ai": "agent",
        "bot": "agent",
        "agent": "agent",
        "system": "agent",
        "developer": "agent",
        "tool": "tool",
        "function": "tool",
    }
)
