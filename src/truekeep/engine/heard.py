"""Which messages were read before: a conversation that is extracted again, or has grown, is not learned twice.

A message is known by its session, its id and its text; without a session or an id there is nothing to know it by. What
was read is noted among the idempotency answers, as hashes, and for as long as those are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from truekeep.errors import Conflict
from truekeep.model import Draft, MemoryItem, Message, Remembered, SpaceId
from truekeep.ports import Answer, Change, Items, Moved

from .decide import Rounds, request_hash
from .parts import Parts

_NOTHING = "nothing"  # what a mark that no request stands behind has in place of its hash


def marks_of(messages: Sequence[Message], *, session: str | None, reader: str) -> list[str | None]:
    """A name for each message that this reader can know again; None for the others."""
    if session is None:
        return [None] * len(messages)
    return [
        None if message.id is None else "read:" + _hash(reader, session, message.id, message.content)
        for message in messages
    ]


def run_mark(once: str) -> str:
    return "run:" + _hash(once)


def request_of(messages: Sequence[Message], session: str | None) -> str:
    return request_hash(session, *messages)


def claim(
    once: str, messages: Sequence[Message], session: str | None, *, parts: Parts, space: SpaceId, now: datetime
) -> None:
    """Take an idempotency key for a job. Raises Conflict when another conversation has it."""
    request, mark = request_of(messages, session), "job:" + _hash(once)
    rounds = Rounds()
    while True:
        with rounds:
            known = parts.store.look(space, answers={mark, run_mark(once)}).answers
            _is_of(known.values(), request)
            if mark not in known:
                change = Change(answers={mark: Answer(request, "", "added", ())}, at=now)
                parts.store.apply(space, change, based_on=0, charge=parts.charge(), job=parts.job)
            return


def earlier_run(answer: Answer, request: str, items: Items, space: SpaceId) -> list[Remembered]:
    """What an earlier run under the same name kept, as far as it is still there. Raises Conflict."""
    _is_of([answer], request)
    return [Remembered(item=item, outcome="added", replayed=True) for item in items.get(space, answer.superseded)]


def _is_of(answers: Iterable[Answer], request: str) -> None:
    if any(answer.request != request for answer in answers):
        raise Conflict("the idempotency_key was used for another conversation")


def note(marks: Iterable[str], run: tuple[str, Answer] | None, *, parts: Parts, space: SpaceId, now: datetime) -> None:
    """Note what was read, and what a named run kept. Somebody who noted it meanwhile has done the same."""
    answers = {mark: Answer(_NOTHING, "", "added", ()) for mark in marks}
    if run is not None:
        answers[run[0]] = run[1]
    known = parts.store.look(space, answers=answers.keys()).answers
    answers = {mark: answer for mark, answer in answers.items() if mark not in known}
    if not answers:
        return
    try:
        parts.store.apply(space, Change(answers=answers, at=now), based_on=0, charge=parts.charge(), job=parts.job)
    except Moved:
        return


def unread(
    drafts: Sequence[Draft], messages: Sequence[Message], settled: Collection[int], earlier: Sequence[MemoryItem]
) -> list[Draft]:
    """The drafts without those of messages that are settled, and those whose words an earlier item has already."""
    places = range(len(messages))
    fresh = {_cited_as(messages[place], place) for place in places if place not in settled}
    gone = {_cited_as(messages[place], place) for place in settled} - fresh
    named = {message.id for message in messages if message.id is not None}
    taken: dict[str, list[str]] = {}
    for item in earlier:
        if item.source.message in named:
            taken.setdefault(item.source.message or "", []).append(_words(item.metadata, item.content))
    return [draft for draft in drafts if draft.source.message not in gone and not _is_taken(draft, taken)]


def _is_taken(draft: Draft, taken: Mapping[str, Sequence[str]]) -> bool:
    """Whether the same words of the same message are remembered already, in whatever wording."""
    if "quote" not in draft.metadata:
        return False
    words = _words(draft.metadata, draft.content)
    return any(words in other or other in words for other in taken.get(draft.source.message or "", ()))


def _words(metadata: Mapping[str, object], content: str) -> str:
    quote = metadata.get("quote")
    return " ".join((quote if isinstance(quote, str) else content).casefold().split())


def _cited_as(message: Message, place: int) -> str:
    return str(place) if message.id is None else message.id


def _hash(*parts: object) -> str:
    return hashlib.blake2b(json.dumps(parts, default=str).encode(), digest_size=16).hexdigest()
