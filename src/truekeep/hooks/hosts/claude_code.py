"""Claude Code, and what Codex has in common with it."""

from __future__ import annotations

from .host import Heard, Host, Json, Moment, text


def hear(moment: Moment, given: Json) -> Heard:
    return Heard(
        moment=moment,
        session=text(given, "session_id"),
        folder=text(given, "cwd"),
        prompt=text(given, "prompt") or "",
        transcript=text(given, "transcript_path"),
        is_forgetful=given.get("source") in ("clear", "compact"),
        is_unattended=text(given, "agent_id") is not None,  # only sub-agents have one
    )


def answer(event: str, said: str) -> Json:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": said}}


HOST = Host(
    name="claude-code",
    title="Claude Code",
    folder=".claude",
    file="settings.json",
    variable="CLAUDE_CONFIG_DIR",
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreCompact": "compaction",
        "SessionEnd": "end",
    },
    hear=hear,
    answer=answer,
)
