"""`Recorder`: keeps what was said in a conversation, each message once, however often a framework replays it."""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2b
from itertools import islice
from typing import Any, Literal, TypeVar
from uuid import uuid4

from truekeep.errors import ConfigurationError, Conflict, InvalidInput
from truekeep.memory import Memory
from truekeep.model import ROLE_TRUST, Message, Source

from .speech import SILENT, heard

log = logging.getLogger(__name__)

MOST_PENDING = 1_000  # messages that wait while the store is out of reach; the oldest go first
MOST_KNOWN = 100_000  # messages of which this process knows that they are kept; of others the store knows
_BATCH = 500

Mode = Literal["messages", "extract"]
_K = TypeVar("_K")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What of a conversation is kept.

    Args:
        mode: "messages" keeps each of them; "extract" keeps what is durable in them; None keeps nothing.
        every: in mode "extract", so many messages are read together.
        longer_than: in mode "messages", shorter ones (in characters) are left out.
        kind: the kind of recorded messages.
        tags: their tags.
        ttl: after this time (a timedelta, or seconds) they are gone.
        skip: roles that are left out.
    """

    mode: Mode | None = "messages"
    every: int = 10
    longer_than: int = 0
    kind: str = "interaction"
    tags: Collection[str] = ()
    ttl: timedelta | float | None = None
    skip: Collection[str] = SILENT

    def __post_init__(self) -> None:
        if self.mode not in ("messages", "extract", None):
            raise ConfigurationError(f"messages are recorded as 'messages', 'extract' or None, not {self.mode!r}")
        if self.every < 1:
            raise ConfigurationError(f"every must be 1 or more, not {self.every}")


class Recorder:
    """Records one conversation into one memory. Blocks, raises what `Memory` raises, and is safe in several threads.

    A message is the same when it has the same id and text. Without an id it is the first, second, ... time that this
    speaker says this text in the conversation, so replaying the history records nothing, in this process or another.
    What could not be kept waits, and goes with the next call.

    Args:
        memory: where to; or a function that opens it when it is needed.
        conversation: its name, which is also the session of what is kept; without one it is a new conversation.
        recording: what is kept.
    """

    def __init__(
        self,
        memory: Memory | Callable[[], Memory],
        *,
        conversation: str | None = None,
        recording: Recording | None = None,
    ) -> None:
        self.conversation = conversation or uuid4().hex
        self.recording = recording or Recording()
        self._open = memory if callable(memory) else lambda: memory
        self._lock = threading.Lock()
        self._times: Counter[tuple[str | None, str]] = Counter()  # who said what how often so far
        self._known: dict[str, None] = {}  # keys of what is kept, or waits for it
        self._waiting: dict[str, Message] = {}
        self._under_way: set[str] = set()

    @property
    def waiting(self) -> int:
        """How many messages are not kept yet."""
        return len(self._waiting)

    @property
    def is_sending(self) -> bool:
        """Whether some of them are under way to the memory."""
        return bool(self._under_way)

    @property
    def is_due(self) -> bool:
        """Whether there is enough to send."""
        ready = len(self._waiting) - len(self._under_way)
        return ready >= (self.recording.every if self.recording.mode == "extract" else 1)

    def note(
        self, message: object, *, speaker: str | None = None, role: str | None = None, id: str | None = None
    ) -> bool:
        """Record the next message of the conversation; whether it is a new one.

        Args:
            message: text, a mapping like those of OpenAI and AutoGen, a list of parts, or None.
            speaker: who really said it, where the message does not know.
            role: in which role, where that of the message is only how others see it.
            id: what identifies it, if the framework has such a thing; also for what is certainly new.
        """
        taken = self.take(message, speaker=speaker, role=role, id=id)
        self.send()
        return taken

    def record(self, messages: Iterable[object]) -> int:
        """Record a history from its beginning, as far as it is not recorded yet; how many messages were new."""
        taken = self.take_all(messages)
        self.send()
        return taken

    def rewind(self) -> None:
        """The conversation is about to be replayed to `note` from its beginning."""
        with self._lock:
            self._times.clear()

    def flush(self) -> None:
        """Keep also what would otherwise wait for more messages."""
        self.send(rest=True)

    def take(
        self, message: object, *, speaker: str | None = None, role: str | None = None, id: str | None = None
    ) -> bool:
        """As `note`, but only remembers to send it; never blocks, never raises."""
        said = self._said(message, speaker, role, id)
        if said is None:
            return False
        with self._lock:
            return self._queue(said, self._times)

    def take_all(self, messages: Iterable[object]) -> int:
        """As `record`, but only remembers to send them; never blocks, never raises."""
        said = [one for message in messages if (one := self._said(message, None, None, None)) is not None]
        with self._lock:
            times: Counter[tuple[str | None, str]] = Counter()
            taken = sum(self._queue(one, times) for one in said)
            self._times |= times  # what comes next goes on from there
        return taken

    def send(self, *, rest: bool = False) -> None:
        """Keep what waits, in whole batches; with `rest` the last one need not be full."""
        problem: InvalidInput | None = None
        while batch := self._batch(rest):
            try:
                problem = self._keep(batch) or problem
            except BaseException:
                self._settle(batch, kept=False)
                raise
            self._settle(batch, kept=True)
        if problem is not None:
            raise problem

    def _said(self, message: object, speaker: str | None, role: str | None, id: str | None) -> Message | None:
        if self.recording.mode is None:
            return None
        said = heard(message, speaker=speaker, role=role, skip=self.recording.skip)
        if said is None or (self.recording.mode == "messages" and len(said.content) <= self.recording.longer_than):
            return None
        return said if id is None else replace(said, id=id)

    def _queue(self, said: Message, times: Counter[tuple[str | None, str]]) -> bool:
        digest = _digest(said.content)
        place: object = said.id
        if said.id is None:
            times[said.speaker, digest] += 1
            place = [said.speaker, times[said.speaker, digest]]
        key = _digest(self.conversation, place, digest)
        if key in self._known:
            return False
        self._known[key] = None
        self._waiting[key] = replace(said, id=said.id or key)
        _trim(self._known, MOST_KNOWN)
        _trim(self._times, MOST_KNOWN)
        for lost in _trim(self._waiting, MOST_PENDING):
            self._known.pop(lost, None)  # a replay may bring it again
            log.warning("a message was not recorded: %d others wait for the memory already", MOST_PENDING)
        return True

    def _batch(self, rest: bool) -> dict[str, Message]:
        """The next messages that nobody is sending yet, in order."""
        extracting = self.recording.mode == "extract"
        most = self.recording.every if extracting else _BATCH
        with self._lock:
            free = [key for key in self._waiting if key not in self._under_way][:most]
            if extracting and not rest and len(free) < most:
                return {}
            self._under_way.update(free)
            return {key: self._waiting[key] for key in free}

    def _settle(self, batch: Collection[str], *, kept: bool) -> None:
        with self._lock:
            self._under_way.difference_update(batch)
            for key in batch if kept else ():
                self._waiting.pop(key, None)

    def _keep(self, batch: dict[str, Message]) -> InvalidInput | None:
        """Keep a batch; a message that can never be kept does not hold up the others, and is told about."""
        memory = self._open()
        keep = self._extract if self.recording.mode == "extract" else self._remember
        try:
            keep(memory, batch)
        except Conflict:  # one of them was recorded before, under another name or role
            if len(batch) == 1:
                return None
        except InvalidInput as error:
            if len(batch) == 1:
                return error
        else:
            return None
        problems = [self._keep({key: message}) for key, message in batch.items()]
        return next((problem for problem in problems if problem is not None), None)

    def _remember(self, memory: Memory, batch: dict[str, Message]) -> None:
        memory.remember_many(
            {
                "content": message.content,
                "kind": self.recording.kind,
                "tags": self.recording.tags,
                "ttl": self.recording.ttl,
                "when": message.when,
                "source": self._source(message),
                "idempotency_key": f"recorded:{key}",
                "derived": True,
            }
            for key, message in batch.items()
        )

    def _extract(self, memory: Memory, batch: dict[str, Message]) -> None:
        key = f"recorded:{_digest(*batch)}"
        memory.extract([*batch.values()], session=self.conversation, wait=False, idempotency_key=key)

    def _source(self, message: Message) -> Source:
        return Source(
            speaker=message.speaker,
            role=message.role,
            session=self.conversation,
            message=message.id,
            trust=ROLE_TRUST.get((message.role or "").lower(), "unknown"),
        )


def _digest(*parts: object) -> str:
    text = json.dumps(parts, ensure_ascii=True)  # escapes what is no Unicode, too
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _trim(kept: dict[_K, Any], most: int) -> list[_K]:
    """Drop the oldest beyond so many; which."""
    dropped = [*islice(kept, max(0, len(kept) - most))]
    for key in dropped:
        del kept[key]
    return dropped
