"""What a session is told and what is kept of it: the moments of a hook, on the memory of its repository."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeAlias

from truekeep import assembly, surroundings
from truekeep.adapters.common import Scopes, Spaces
from truekeep.adapters.common.speech import readable, says_nothing
from truekeep.engine import hygiene
from truekeep.engine.admit import Limits
from truekeep.engine.tokens import estimate
from truekeep.engine.verbs.context import Entry, Material, packed
from truekeep.model import MemoryItem, Source

from . import line, notebook, transcript
from .hosts import HOSTS, Heard, Host
from .repository import space_of, user_space

START_TOKENS, PROMPT_TOKENS = 800, 500
_MOST_ITEMS = 12
_OF_LAST_SESSION = 6
OUTCOME = "outcome"  # the tag, and with the repository the claim key, of how the last session ended
_OUTCOME_LIVES = timedelta(days=90)
_LONGEST_PROMPT = 16 * 1024  # characters that are asked with: who pastes a log asks with what stands before it
_LONGEST_SESSION = Limits().name_chars
_NOTED = 2_000  # characters of the prompt that `explain` shows
_NOTHING = "nothing that anybody has said"  # asked only to have the model at hand

_Told: TypeAlias = tuple[str, Collection[str]]  # a text, and the ids of what is in it
_SILENCE: _Told = "", ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a hook asks: what its host told it, and where memories live."""

    host: Host
    event: str
    heard: Heard
    keeps_unattended: bool = False  # asked for by whoever installed the hooks
    at: str | None = None
    key: str | None = None

    @classmethod
    def of(cls, said: bytes) -> Asked | None:
        """None where it says nothing that a host would say."""
        (name, event, manner, folder, at, key), payload = line.parted(said)
        host = HOSTS[name]
        try:
            given = json.loads(payload)
        except (ValueError, RecursionError):
            return None
        if not isinstance(given, dict):
            return None
        heard = host.hear(host.events[event], given)
        heard = replace(
            heard,
            folder=heard.folder or folder,
            prompt=readable(heard.prompt[:_LONGEST_PROMPT]),
            session=readable(heard.session)[:_LONGEST_SESSION] if heard.session else None,
            is_unattended=heard.is_unattended or manner == "driven",
        )
        return cls(
            host=host, event=event, heard=heard, keeps_unattended=manner == "keeps", at=at or None, key=key or None
        )

    @property
    def scopes(self) -> Scopes:
        space = space_of(Path(self.heard.folder or "."))
        return Scopes([space, user_space(self.at)], space)


class Answering:
    """Answers hooks, from several threads."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._places: dict[tuple[str | None, str | None], Spaces] = {}
        self._shown: defaultdict[str | None, set[str]] = defaultdict(set)  # by session, what it was told already
        self._cold: Asked | None = None
        self._openings: dict[str, tuple[str, str]] = {}  # by place, its address with the password, and its key
        self._learn(*surroundings.place())
        self._lock, self._catching_up = threading.Lock(), threading.Lock()

    def answer(self, said: bytes) -> tuple[bytes, Callable[[], None]]:
        """What the host reads, empty where there is nothing to tell; and what to do once it has arrived."""
        self._learn(*line.parted(said)[0][-2:])
        asked = Asked.of(said)
        text, ids = self._told(asked) if asked is not None else _SILENCE
        if asked is None or not text:
            return b"", lambda: None
        reply = f"{json.dumps(asked.host.answer(asked.event, text))}\n".encode()
        return reply, partial(self._shown[asked.heard.session].update, ids)

    def finish(self) -> None:
        """What has time until a hook is answered: the model for the first prompt, and what was put by."""
        asked, self._cold = self._cold, None
        if asked is not None:
            self._spaces(asked).recall(_NOTHING, asked.scopes, limit=1, min_answerable=1.0)
        self.catch_up()

    def catch_up(self) -> None:
        """Hand over what hooks put by. What cannot be read is given up; where a place fails, it waits for better."""
        with self._catching_up:
            failing: set[str | None] = set()
            for file in notebook.waiting(self._home):
                is_done = self._hand_over(Path(file), failing)
                if not is_done and notebook.is_stale(file):
                    notebook.complain(self._home, "helper", "gave a session up: it has waited too long")
                    is_done = True
                if is_done:
                    Path(file).unlink(missing_ok=True)

    def close(self) -> None:
        for spaces in self._places.values():
            spaces.close()

    def _hand_over(self, file: Path, failing: set[str | None]) -> bool:
        """Whether a file need not wait any longer. Nothing is asked twice of a place that fails."""
        place = None
        try:
            asked = Asked.of(file.read_bytes())
            if asked is not None:
                place = asked.at
                opening = self._opening(place)
                if place in failing or opening is None:
                    return False
                at, key = opening
                self._keep(replace(asked, at=at, key=key))
        except (ValueError, KeyError, FileNotFoundError) as error:  # it will never be any better
            notebook.complain(self._home, "helper", f"gave a session up: {type(error).__name__}")
        except Exception as error:  # whatever a place may do: those of others shall not wait for it
            notebook.complain(self._home, "helper", f"{type(error).__name__}; tried again later")
            failing.add(place)
            return False
        return True

    def _learn(self, at: str, key: str) -> None:
        """Keep what opens a place, in memory alone; one who knows nothing of it takes nothing away."""
        place = surroundings.without_password(at)
        if key or at != place or place not in self._openings:
            self._openings[place] = at, key

    def _opening(self, place: str | None) -> tuple[str | None, str | None] | None:
        """The address and the key; None where nobody has told them yet. A file needs neither."""
        if place is None or "://" not in place:
            return place, None
        at, key = self._openings.get(place, (None, None))
        return None if at is None else (at, key or None)

    def _told(self, asked: Asked) -> _Told:
        moment = asked.heard.moment
        return self._begin(asked) if moment == "start" else self._recall(asked) if moment == "prompt" else _SILENCE

    def _begin(self, asked: Asked) -> _Told:
        """The profile, which is what is pinned, and what the last session left."""
        self._cold = asked
        if asked.heard.is_forgetful:
            self._shown.pop(asked.heard.session, None)
        spaces, scopes = self._spaces(asked), asked.scopes
        newest = spaces.material("", scopes, limit=_MOST_ITEMS)
        pinned = {one.item.id: one for one in (*newest.lessons, *newest.entries) if one.item.pinned}
        last = {item.id: Entry(item=item) for item in self._last_session(spaces, scopes.read[0])}
        chosen = (last | pinned).values()
        profile = Material(
            entries=[entry for entry in chosen if entry.item.kind != "lesson"],
            lessons=[entry for entry in chosen if entry.item.kind == "lesson"],
        )
        return _packed(profile, START_TOKENS)

    def _last_session(self, spaces: Spaces, space: str) -> list[MemoryItem]:
        memory = spaces.memory(space)
        outcome = memory.items(tags=[OUTCOME], limit=1)
        if not outcome or outcome[0].source.session is None:
            return outcome
        others = memory.items(session=outcome[0].source.session, kinds=["-interaction"], limit=_OF_LAST_SESSION)
        return [*outcome, *(item for item in others if item.id != outcome[0].id)]

    def _recall(self, asked: Asked) -> _Told:
        """What is known of the prompt and was not shown in this session yet."""
        begun = time.monotonic()
        before = frozenset(self._shown[asked.heard.session])
        found = Material(entries=[])
        if not says_nothing(asked.heard.prompt):
            found = self._spaces(asked).material(asked.heard.prompt, asked.scopes, limit=_MOST_ITEMS)
        text, shown = _packed(_without(found, before), PROMPT_TOKENS)
        self._note(asked, found, before, shown, timedelta(seconds=time.monotonic() - begun))
        return text, shown

    def _note(
        self, asked: Asked, found: Material, before: Collection[str], shown: Collection[str], took: timedelta
    ) -> None:
        ids = [entry.item.id for entry in (*found.lessons, *found.entries)]
        told = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "host": asked.host.name,
            "session": asked.heard.session,
            "spaces": list(asked.scopes.read),
            "prompt": hygiene.redacted(asked.heard.prompt).text[:_NOTED],
            "shown": [id for id in ids if id in shown],
            "shown_before": [id for id in ids if id in before],
            "left_out": [id for id in ids if id not in shown and id not in before],
            "milliseconds": round(took / timedelta(milliseconds=1)),
        }
        notebook.note_prompt(self._home, told)

    def _keep(self, asked: Asked) -> None:
        """Hand the transcript over to durable jobs, which keep what is durable in it under the session's name."""
        heard = asked.heard
        self._shown.pop(heard.session, None)  # a compacted session has forgotten, one that ended asks no more
        is_wanted = asked.keeps_unattended or not heard.is_unattended
        if not is_wanted or heard.transcript is None or heard.session is None:
            return
        session = transcript.read(asked.host.name, Path(heard.transcript))
        if not session.messages or (session.is_unattended and not asked.keeps_unattended):
            return
        memory = self._spaces(asked).memory(asked.scopes.read[0])
        for part in session.parts():
            memory.extract(part, session=heard.session, wait=False)
        if heard.moment == "end" and (outcome := session.outcome()):
            memory.remember(
                outcome,
                kind="context",
                key=OUTCOME,
                tags=[OUTCOME],
                source=Source(name=f"hooks:{asked.host.name}", role="assistant", session=heard.session),
                ttl=_OUTCOME_LIVES,
                derived=True,
                judged=False,  # a report of what was said is no claim that others could contradict
            )

    def _spaces(self, asked: Asked) -> Spaces:
        with self._lock:
            place = (asked.at, asked.key)
            if place not in self._places:
                # A key may stand in the environment for good, and files have no use for one.
                is_served = asked.at is not None and assembly.is_served(asked.at)
                self._places[place] = Spaces(asked.scopes, at=asked.at, key=asked.key if is_served else None)
            return self._places[place]


def _packed(material: Material, max_tokens: int) -> _Told:
    return packed(material, template="default", max_tokens=max_tokens, count_tokens=estimate)


def _without(material: Material, ids: Collection[str]) -> Material:
    return Material(
        entries=[entry for entry in material.entries if entry.item.id not in ids],
        lessons=[entry for entry in material.lessons if entry.item.id not in ids],
    )
