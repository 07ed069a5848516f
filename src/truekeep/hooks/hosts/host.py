"""What there is to know of a host, and what its events say in our words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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


def text(given: Json, *names: str) -> str | None:
    """The first of these that is a text with anything in it."""
    return next((value for name in names if isinstance(value := given.get(name), str) and value.strip()), None)
