"""Requests made out of the arguments of a call, each argument admitted by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, get_args

from truekeep.errors import InvalidInput
from truekeep.hints import meant
from truekeep.index.tokens import STOP_WORDS, query_terms
from truekeep.model import (
    AUDIT_VERBS,
    TRUST_LEVELS,
    AuditFilters,
    Checkpoint,
    Draft,
    Filters,
    Keep,
    Message,
    Order,
    Query,
    Source,
    Suspicion,
)

from . import admit
from .asked import is_question
from .messages import messages_of

_EVERYTHING = Filters()
_NOBODY = Source()
_SOURCE = Source.__dataclass_fields__
_ORDERS: tuple[Order, ...] = get_args(Order)
_KEEPS: tuple[Keep, ...] = get_args(Keep)
MIN_ANSWERABLE = 0.09  # below it a context stays empty: less than one in fifty questions that have an answer
_BYTES = 4  # of a character, at most
Check = Callable[[Any, admit.Limits], Any]


def _name(argument: str) -> Check:
    return lambda value, limits: None if value is None else admit.name(value, argument, limits)


def _moment(argument: str) -> Check:
    return lambda value, limits: admit.moment(value, argument)


def _flag(argument: str) -> Check:
    return lambda value, limits: admit.flag(value, argument)


def _kinds(value: object, limits: admit.Limits) -> frozenset[str]:
    if isinstance(value, str) or not isinstance(value, Collection):
        raise InvalidInput("kinds", "must be a collection of kinds, such as ['preference'] or ['-interaction']")
    if len(value) > 64:
        raise InvalidInput("kinds", f"has {len(value):,} entries; at most 64 are accepted")
    for entry in value:
        admit.kind(admit.plain_text(entry, "kinds").removeprefix("-"), "kinds")
    return frozenset(value)


# How each argument is admitted, wherever it comes from: those of `remember`, but for what makes a source,
DRAFT: Mapping[str, Check] = {
    "content": admit.content,
    "kind": lambda value, limits: None if value is None else admit.kind(value),
    "tags": admit.tags,
    "metadata": admit.metadata,
    "key": _name("key"),
    "ttl": lambda value, limits: admit.ttl(value),
    "pinned": _flag("pinned"),
    "when": _moment("when"),
    "idempotency_key": _name("idempotency_key"),
    "derived": _flag("derived"),
    "judged": lambda value, limits: admit.judged(value),
}
_REMEMBER_ARGUMENTS = (*DRAFT, "session", "speaker", "source")
_EDITS = ("content", "kind", "tags", "metadata", "pinned")  # `correct` changes these,
_FILTERS: Mapping[str, Check] = {  # and which items may answer. Nobody recalls what is locked away.
    "kinds": _kinds,
    "tags": lambda value, limits: frozenset(admit.tags(value, limits)) or None,
    **{field: _name(field) for field in ("session", "speaker", "source")},
    **{field: _moment(field) for field in ("since", "until", "before", "as_of", "known_at")},
    "min_trust": lambda value, limits: admit.choice(value, "min_trust", TRUST_LEVELS),
    "include_superseded": _flag("include_superseded"),
}


def source(value: object, *, session: object, speaker: object, limits: admit.Limits) -> Source:
    """A source from what the caller gave: a Source, the name of one, or nothing."""
    if value is None and session is None and speaker is None:
        return _NOBODY
    if value is None or isinstance(value, str):
        given = Source(name=None if value is None else admit.name(value, "source", limits))
    elif isinstance(value, Mapping):
        given = _source_of(value)
    elif isinstance(value, Source):
        given = value
    else:
        raise InvalidInput("source", "must be a Source or its name")
    if given.trust not in TRUST_LEVELS:
        raise InvalidInput("source", f"has the unknown trust {given.trust!r}; one of {', '.join(TRUST_LEVELS)}")
    texts = {field: getattr(given, field) for field in _SOURCE if field != "trust"}
    texts["session"] = session if session is not None else given.session
    texts["speaker"] = speaker if speaker is not None else given.speaker
    checked = {
        field: _name(field if field in ("session", "speaker") else "source")(text, limits)
        for field, text in texts.items()
    }
    return Source(**checked, trust=given.trust)


def _source_of(value: Mapping[Any, Any]) -> Source:
    unknown = set(value) - _SOURCE.keys()
    if unknown:
        raise InvalidInput("source", f"has unknown fields: {', '.join(sorted(map(str, unknown)))}")
    return Source(**value)


def draft(limits: admit.Limits, **given: Any) -> Draft:
    """A draft from the arguments of `remember`."""
    return Draft(
        **{name: check(given[name], limits) for name, check in DRAFT.items() if name in given},
        source=source(given.get("source"), session=given.get("session"), speaker=given.get("speaker"), limits=limits),
    )


def filters(limits: admit.Limits, **given: Any) -> Filters:
    """Filters from keyword arguments; an unknown one is named."""
    if not given.keys() <= _FILTERS.keys():
        unknown = next(field for field in given if field not in _FILTERS)
        raise InvalidInput(unknown, f"is not a filter; there are {', '.join(sorted(_FILTERS))}")
    wanted = {field: value for field, value in given.items() if value is not None or field == "include_superseded"}
    chosen = {field: _FILTERS[field](value, limits) for field, value in wanted.items()}
    return Filters(**chosen) if any(chosen.values()) else _EVERYTHING


def query(
    text: object,
    limits: admit.Limits,
    *,
    limit: object,
    min_similarity: object,
    order: object,
    min_answerable: object = None,
    **given: Any,
) -> Query:
    checked = admit.plain_text(text, "query")
    if not checked.strip():
        raise InvalidInput("query", "is empty; say what to look for")
    if len(checked.encode()) > limits.query_bytes:
        raise InvalidInput("query", f"is longer than {limits.query_bytes:,} bytes")
    return Query(
        text=checked,
        order=admit.choice(order, "order", _ORDERS),
        limit=admit.whole(limit, "limit", 1, limits.results),
        filters=filters(limits, **given),
        min_similarity=_share(min_similarity, "min_similarity"),
        min_answerable=0.0 if min_answerable is None else _share(min_answerable, "min_answerable"),
    )


def _share(value: object, argument: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(argument, "must be a number")
    if not 0 <= value <= 1:  # NaN is not in there either
        raise InvalidInput(argument, "must be between 0 and 1")
    return float(value)


def drafts(items: object, limits: admit.Limits) -> list[Draft]:
    """Drafts from the argument of `remember_many`."""
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise InvalidInput("items", "must be a list of strings or of mappings with the arguments of remember")
    checked = []
    for number, item in enumerate(items):
        if number >= limits.batch:
            raise InvalidInput("items", f"has more than {limits.batch:,} entries; send them in several calls")
        checked.append(_one_of_many(item, number, limits))
    return checked


def _one_of_many(item: object, number: int, limits: admit.Limits) -> Draft:
    given = {"content": item} if isinstance(item, str) else item
    if not isinstance(given, Mapping):
        raise InvalidInput(f"items[{number}]", "must be a string or a mapping")
    unknown = [str(field) for field in given if field not in _REMEMBER_ARGUMENTS]
    if unknown:
        hint = meant(unknown[0], _REMEMBER_ARGUMENTS)
        raise InvalidInput(f"items[{number}]", f"has the unknown argument {unknown[0]!r}{f': {hint}' if hint else ''}")
    if "content" not in given:
        raise InvalidInput(f"items[{number}]", "has no content")
    try:
        return draft(limits, **{name: value for name, value in given.items() if value is not None or name == "content"})
    except InvalidInput as error:
        raise InvalidInput(f"items[{number}].{error.argument}", error.problem) from error


def messages(conversation: object, limits: admit.Limits) -> list[Message]:
    """The messages of a conversation, admitted now: a job that cannot be kept or done would fail out of sight."""
    found = messages_of(conversation)  # type: ignore[arg-type]  # it refuses what it cannot read
    for number, message in enumerate(found):
        try:
            admit.plain_text(message.content, "content")
            for field in ("role", "speaker", "id"):
                if text := getattr(message, field):
                    admit.name(text, field, limits)
            admit.moment(message.when, "when")
        except InvalidInput as error:
            raise InvalidInput("messages", f"[{number}].{error.argument} {error.problem}") from error
    size = sum(len(message.content.encode()) for message in found)
    if size > limits.transcript_bytes:
        raise InvalidInput("messages", f"have {size:,} bytes; at most {limits.transcript_bytes:,} are accepted")
    longest = limits.content_bytes // _BYTES
    if all(len(message.content) <= longest for message in found):
        return found
    return [part for place, message in enumerate(found) for part in _windows(message, place, longest)]


def _windows(message: Message, place: int, longest: int) -> Iterator[Message]:
    """A message cut where a line ends, or a word: what reads one text at a time lets nobody else run meanwhile.

    Each part is cited by the message that it is from, and so are the messages behind it.
    """
    id = str(place) if message.id is None else message.id
    text = message.content
    while len(text) > longest:
        end = max(text.rfind("\n", 0, longest), 0) or max(text.rfind(" ", 0, longest), 0) or longest
        yield replace(message, id=id, content=text[:end])
        text = text[end:]
    yield replace(message, id=id, content=text)


def context_query(text: object, limits: admit.Limits, *, limit: object, **given: Any) -> tuple[Query | None, Filters]:
    """The query of a context and its filters; there is no query when the text is empty."""
    options = {"min_similarity": given.pop("min_similarity", 0.0), "order": given.pop("order", "best")}
    is_empty = isinstance(text, str) and not text.strip()
    made = query("anything" if is_empty else text, limits, limit=limit, **options, **given)  # checks all the rest too
    if given.get("min_answerable") is None:
        made = replace(made, min_answerable=floor(text))
    return None if is_empty else made, made.filters


def floor(text: object) -> float:
    """The usual `min_answerable`; 0 for a word, a short task ("draft an email"), "what do you know about me?"."""
    if not isinstance(text, str):
        return 0.0
    least = 1 if is_question(text) else 2
    return MIN_ANSWERABLE if sum(term.label not in STOP_WORDS for term in query_terms(text)) > least else 0.0


def token_counter(given: object) -> Callable[[str], int]:
    """The caller's tokeniser, whose answers are checked, too."""
    if not callable(given):
        raise InvalidInput("count_tokens", "must be a callable from text to a number")

    def count(text: str) -> int:
        tokens = given(text)
        if isinstance(tokens, bool) or not isinstance(tokens, int):
            raise InvalidInput("count_tokens", f"returned {type(tokens).__name__} instead of a whole number")
        return tokens

    return count


def doubt(given: object, limits: admit.Limits) -> tuple[str, str]:
    """The ids of the older and the newer item of a suspicion, given as such or by its id."""
    id = given.id if isinstance(given, Suspicion) else admit.name(given, "suspicion", limits)
    older, colon, newer = id.partition(":")
    if not (older and colon and newer):
        raise InvalidInput("suspicion", "must be one of those that `review` lists, or its id")
    return older, newer


def checkpoint(given: object, argument: str, limits: admit.Limits) -> str:
    """The name of a checkpoint, given as such or by its name."""
    return given.name if isinstance(given, Checkpoint) else admit.name(given, argument, limits)


def positions(given: object, limits: admit.Limits) -> dict[str, int]:
    """How far a reader has come, by space."""
    if not isinstance(given, Mapping):
        raise InvalidInput("positions", "must be those of a feed: numbers by the names of spaces")
    return {
        admit.name(space, "positions", limits): admit.whole(at, "positions", 0, 2**53) for space, at in given.items()
    }


def keep(given: object) -> Keep:
    return admit.choice(given, "keep", _KEEPS)


def edits(limits: admit.Limits, **given: Any) -> dict[str, Any]:
    """What `correct` changes: fields of an item."""
    checked = {name: DRAFT[name](given[name], limits) for name in _EDITS if given[name] is not None}
    if not checked and given["ttl"] is None:
        raise InvalidInput("content", "say what to correct: content, kind, tags, metadata, pinned or ttl")
    return checked


def audited(asked: AuditFilters, limits: admit.Limits) -> AuditFilters:
    """Which entries of the audit. A verb that there is none of would find nothing, and look as if nothing was done."""
    for argument in ("item", "key", "request", "space", "verb"):
        _name(argument)(getattr(asked, argument), limits)
    if asked.verb is not None:
        admit.choice(asked.verb, "verb", AUDIT_VERBS)
    return asked
