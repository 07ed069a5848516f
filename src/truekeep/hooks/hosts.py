"""The coding agents that run hooks: where each keeps its configuration, what it says, and how it is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

Moment: TypeAlias = Literal["start", "prompt", "compaction", "end"]
Json: TypeAlias = dict[str, Any]

# Seconds after which a host gives a hook up. Ours gives up before; these are for a machine that stands still.
PATIENCE: Mapping[Moment, int] = {"start": 10, "prompt": 5, "compaction": 10, "end": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a host told a hook."""

    moment: Moment
    session: str | None = None
    folder: str | None = None  # where the agent works
    prompt: str = ""
    transcript: str | None = None  # the file that the host writes the session to
    is_forgetful: bool = False  # the host has just dropped what it was shown before
    is_unattended: bool = False  # a sub-agent, or a run that nobody reads along with


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One coding agent. `events` are its own names, those of `hear` and `answer` too."""

    name: str
    title: str
    folder: str  # of its configuration: in a project, and below the user's home
    file: str
    variable: str | None = None  # moves the folder of the user
    events: Mapping[str, Moment]
    is_nested: bool = True  # {"hooks": [{"type": "command", ...}]} rather than the command alone
    frame: Json = field(default_factory=dict)  # what a new file holds beside the hooks
    hear: Callable[[Moment, Json], Heard]
    answer: Callable[[str, str], Json]  # event, text → what goes to stdout
    advice: str = ""  # what is left to do after the installation

    def entry(self, event: str, command: str) -> Json:
        """One hook as the configuration has it."""
        one: Json = {"command": command, "timeout": PATIENCE[self.events[event]]}
        return {"hooks": [{"type": "command", **one}]} if self.is_nested else one


def _text(given: Json, *names: str) -> str | None:
    """The first of these that is a text with anything in it."""
    return next((value for name in names if isinstance(value := given.get(name), str) and value.strip()), None)


def _hear(moment: Moment, given: Json) -> Heard:
    return Heard(
        moment=moment,
        session=_text(given, "session_id"),
        folder=_text(given, "cwd"),
        prompt=_text(given, "prompt") or "",
        transcript=_text(given, "transcript_path"),
        is_forgetful=given.get("source") in ("clear", "compact"),
        is_unattended=_text(given, "agent_id") is not None,  # only sub-agents have one
    )


def _answer(event: str, said: str) -> Json:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": said}}


def _hear_cursor(moment: Moment, given: Json) -> Heard:
    roots = given.get("workspace_roots")
    first = next((root for root in roots if isinstance(root, str)), None) if isinstance(roots, list) else None
    return Heard(
        moment=moment,
        session=_text(given, "conversation_id", "session_id"),
        folder=_text(given, "cwd") or first,
        prompt=_text(given, "prompt") or "",
        transcript=_text(given, "transcript_path"),
        is_unattended=given.get("is_background_agent") is True,
    )


def _answer_cursor(event: str, said: str) -> Json:
    """At a prompt Cursor documents no field for it; its client takes that of the start (docs/reference/hooks.md)."""
    told: Json = {"additional_context": said}
    return {"continue": True, **told} if event == "beforeSubmitPrompt" else told


CLAUDE_CODE = Host(
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
    hear=_hear,
    answer=_answer,
)
CODEX = replace(
    CLAUDE_CODE,
    name="codex",
    title="Codex",
    folder=".codex",
    file="hooks.json",
    variable="CODEX_HOME",
    advice="Codex runs new hooks only after you have trusted them: look at /hooks once",
)
CURSOR = Host(
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
    hear=_hear_cursor,
    answer=_answer_cursor,
)
HOSTS = {host.name: host for host in (CLAUDE_CODE, CODEX, CURSOR)}
