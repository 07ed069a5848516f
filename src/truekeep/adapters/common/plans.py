"""What each verb of `Remembering` does, and what stands in for it when the memory fails: said once for both doors."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, NoReturn, Protocol, TypeVar
from uuid import uuid4

from truekeep.engine.tokens import CountTokens
from truekeep.engine.verbs.context import Material
from truekeep.memory import Memory
from truekeep.model import MemoryItem, Recall

from .block import HEADING, REACH, Shown, Steady, nothing_new, shown_block, steadied
from .recorder import Recorder, Recording
from .spaces import Scopes, Spaces
from .speech import is_mere_question, last_said, query_of, says_nothing, text_of

_T = TypeVar("_T")

MOST_SEEN = 200  # records looked past because the model has them before its eyes
MOST_LOOKED_AT = 500  # items, to find some that are worth showing
_BEGINNING = 200  # characters that tell a conversation from others
MOST_CONVERSATIONS = 1_000  # recorders kept; one that is needed again after that is made again


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalling:
    """What of the memory enters a prompt.

    Args:
        max_tokens: the budget of the block, its heading included.
        limit: at most this many items of each space.
        heading: the line above the block; it may be empty.
        count_tokens: your model's tokeniser; the default errs on the safe side.
        filters: those of `Memory.recall`, such as `{"kinds": ["-interaction"]}`.
        questions: whether recorded messages that only ask something are shown, too.
    """

    max_tokens: int = 1000
    limit: int = 20
    heading: str = HEADING
    count_tokens: CountTokens | None = None
    filters: Mapping[str, Any] = field(default_factory=dict)
    questions: bool = False


@dataclass(frozen=True, slots=True)
class Plan(Generic[_T]):
    """Work that blocks and may raise, and what to return if it fails; or if there is none to be done."""

    work: Callable[[], _T] | None
    default: _T
    deadline: float | None = None  # seconds; None: as long as any call may take


NOTHING: Plan[None] = Plan(None, None)


class Outbox(Protocol):
    """Something else that waits for a memory, or for those of several users."""

    @property
    def waiting(self) -> int: ...

    def flush(self, spaces: Spaces) -> None: ...


class Plans:
    """Made in the caller's thread, where a function for scopes finds its request; carried out in another."""

    def __init__(
        self,
        spaces: Spaces,
        *,
        recalling: Recalling,
        recording: Recording,
        conversation: str | None,
        prepare: Callable[[], None],
    ) -> None:
        self.spaces = spaces
        self.recalling = recalling
        self.recording = recording
        self.conversation = conversation or uuid4().hex
        self._prepare = prepare
        self.outboxes: list[Outbox] = []
        self._steady = Steady()
        self._recorders: OrderedDict[tuple[str, str], Recorder] = OrderedDict()
        self._lock = threading.Lock()

    def scoped(self, verb: Callable[[Scopes], _T], default: _T) -> Plan[_T]:
        try:
            return Plan(partial(verb, self.spaces.scopes()), default)
        except Exception as error:  # the host's own function: it may raise anything, and then nothing is read
            return Plan(partial(_fail, error), default)

    def block(self, query: object, *, seen: Iterable[object] = (), conversation: str | None = None) -> Plan[str]:
        """What the memory has to say about a message, fenced, under its heading; empty when it has nothing.

        From turn to turn of a conversation it changes little: what is still good enough stays. A message that says
        nothing ("ok", "/compact") recalls nothing new.

        Args:
            query: what the agent is about to answer: text, or a message of any shape.
            seen: messages that are in the prompt already; their record is not repeated.
            conversation: its name; without one, the messages that are seen tell which one it is.
        """
        asked, before = query_of(query), [*seen]
        texts = [text_of(message) for message in (query, *before)]
        # A framework that does not tell conversations apart repeats how this one began.
        name = conversation or last_said(before[::-1])[:_BEGINNING] or self.conversation

        def verb(scopes: Scopes) -> str:
            place, how = (scopes.read, name), self.recalling
            last, is_idle = self._steady.last(place), says_nothing(asked)
            if not conversation and last.query not in map(query_of, texts):
                last = Shown()  # that of another conversation, which began alike
            wanted = last.query if is_idle else asked
            best = (nothing_new if is_idle else steadied)(self._found(wanted, scopes, texts), last.ids)
            best = replace(best, entries=best.entries[: how.limit * len(scopes.read)])
            block, ids = shown_block(
                best, max_tokens=how.max_tokens, heading=how.heading, count_tokens=how.count_tokens
            )
            self._steady.keep(place, Shown(wanted, ids))
            return block

        return self.scoped(verb, "")

    def _found(self, asked: str, scopes: Scopes, seen: Sequence[str]) -> Material:
        """What is worth showing, and some more to choose from. The record of a long conversation is the best match for
        its next message, and so are earlier questions for a question: they must not crowd out the rest."""
        how, wanted = self.recalling, REACH * self.recalling.limit * len(scopes.read)
        enough = max(how.limit, min(REACH * how.limit + min(len(seen), MOST_SEEN), MOST_LOOKED_AT))
        # A turn of a chat is seldom a question for one scope alone: silence is for those who ask for it.
        filters = {"min_answerable": 0.0, **how.filters}
        while True:
            found = self.spaces.material(asked, scopes, limit=enough, **filters)
            best = _worth_showing(found, seen=seen, questions=how.questions)
            if len(best.entries) >= wanted or len(found.entries) < enough or enough >= MOST_LOOKED_AT:
                return best
            enough = min(enough * 4, MOST_LOOKED_AT)

    def recall(self, /, query: object, *, limit: int = 5, **filters: Any) -> Plan[Recall]:
        """What the read scopes know about it; empty when the memory fails. Filters as for `Memory.recall`."""
        asked = query_of(query)

        def verb(scopes: Scopes) -> Recall:
            return self.spaces.recall(asked, scopes, limit=limit, **filters) if asked.strip() else Recall()

        return self.scoped(verb, Recall())

    def on_memory(self, verb: Callable[[Memory], _T], default: _T) -> Plan[_T]:
        """What `verb` makes of the memory that is written to; the default when it fails, or when there is none."""

        def on_it(scopes: Scopes) -> _T:
            return default if scopes.write is None else verb(self.spaces.memory(scopes.write))

        return self.scoped(on_it, default)

    def note(
        self,
        message: object,
        *,
        speaker: str | None = None,
        role: str | None = None,
        id: str | None = None,
        conversation: str | None = None,
    ) -> Plan[None]:
        """Record the next message of a conversation; see `Recorder.note`."""
        return self._recorded(conversation, lambda it: it.take(message, speaker=speaker, role=role, id=id))

    def record(self, messages: Sequence[object], *, conversation: str | None = None) -> Plan[None]:
        """Record a history from its beginning, as far as it is not recorded yet."""
        return self._recorded(conversation, lambda it: it.take_all(messages))

    def rewind(self, conversation: str | None = None) -> Plan[None]:
        """The framework is about to replay the conversation to `note` from its beginning."""
        return self._recorded(conversation, lambda it: it.rewind())

    def _recorded(self, conversation: str | None, take: Callable[[Recorder], object]) -> Plan[None]:
        """What is said is taken down here and now, in order; only keeping it may take a while."""
        if self.recording.mode is None:
            return NOTHING
        try:
            name = self.spaces.scopes().write
        except Exception as error:  # as in `scoped`
            return Plan(partial(_fail, error), None)
        if name is None:
            return NOTHING
        recorder = self._recorder(name, conversation or self.conversation)
        take(recorder)
        if recorder.is_due:
            return Plan(recorder.send, None)
        if self.recording.mode == "extract":
            self._prepare()  # what waits for more messages is sent when the process ends
        return NOTHING

    def _recorder(self, space: str, conversation: str) -> Recorder:
        with self._lock:
            place = (space, conversation)
            if place not in self._recorders:
                opened = partial(self.spaces.memory, space)
                self._recorders[place] = Recorder(opened, conversation=conversation, recording=self.recording)
            self._recorders.move_to_end(place)
            if len(self._recorders) > MOST_CONVERSATIONS:
                idle = next((old for old, recorder in self._recorders.items() if not recorder.waiting), place)
                if idle != place:
                    del self._recorders[idle]
            return self._recorders[place]

    @property
    def waiting(self) -> int:
        """How many messages are not kept yet."""
        with self._lock:
            boxes: list[Recorder | Outbox] = [*self._recorders.values(), *self.outboxes]
            return sum(box.waiting for box in boxes)

    def flush(self, limit: float = 10.0) -> Plan[bool]:
        """Keep what is not kept yet and finish the waiting work; whether all is done within so many seconds."""
        return Plan(partial(self._flush, limit), False, limit)

    def close(self, limit: float, *, release: bool) -> Plan[bool]:
        """Flush, and release the spaces if they are ours."""

        def work() -> bool:
            try:
                return self._flush(limit)
            finally:
                if release:
                    self.spaces.close()

        return Plan(work, False, limit)

    def _flush(self, limit: float) -> bool:
        until = time.monotonic() + limit
        with self._lock:
            recorders = [recorder for recorder in self._recorders.values() if recorder.waiting]
        for recorder in recorders:
            recorder.flush()
        while any(recorder.is_sending for recorder in recorders) and time.monotonic() < until:
            time.sleep(0.005)  # another thread has begun to send them
        for outbox in [box for box in self.outboxes if box.waiting]:
            outbox.flush(self.spaces)
        return all([memory.flush(limit) for memory in self.spaces.opened()]) and not self.waiting


def _worth_showing(material: Material, *, seen: Iterable[str], questions: bool) -> Material:
    """Without the record of what the model has before its eyes anyway and, unless wanted, of mere questions."""
    texts = {text.strip() for text in seen}

    def is_worth_it(item: MemoryItem) -> bool:
        is_seen = item.kind == "interaction" and item.content.strip() in texts
        return not is_seen and (questions or not is_mere_question(item))

    return replace(material, entries=[entry for entry in material.entries if is_worth_it(entry.item)])


def _fail(error: Exception) -> NoReturn:
    raise error
