"""Cursor: conversations instead of sessions, and flat entries."""

from __future__ import annotations

from .host import Heard, Host, Json, Moment, text


def hear(moment: Moment, given: Json) -> Heard:
    roots = given.get("workspace_roots")
    first = next((root for root in roots if isinstance(root, str)), None) if isinstance(roots, list) else None
    return Heard(
        moment=moment,
        session=text(given, "conversation_id", "session_id"),
        folder=text(given, "cwd") or first,
        prompt=text(given, "prompt") or "",
        transcript=text(given, "transcript_path"),
        is_unattended=given.get("is_background_agent") is True,
    )


def answer(event: str, said: str) -> Json:
    """At a prompt Cursor documents no field for it; its client takes that of the start (docs/reference/hooks.md)."""
    told: Json = {"additional_context": said}
    return {"continue": True, **told} if event == "beforeSubmitPrompt" else told


HOST = Host(
    name="cursor",
    title="Cursor",
    folder=".cursor",
    file="hooks.json",
    events={
        "sessionStart": "start",
        "beforeSubmitPrompt": "prompt",
        "preCompact": "compaction",
        "sessionEnd": "end",
    },
    is_nested=False,
    frame={"version": 1},
    hear=hear,
    answer=answer,
)
