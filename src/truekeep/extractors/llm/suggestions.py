"""What of a model's answer may be kept: pure checks. The answer is a suggestion; the conversation is the evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from truekeep.model import ROLE_TRUST, Draft, Source, Trust

from .prompt import KINDS, UNHEARD, Failing, Line

MOST_ITEMS = 64  # of one answer
LONGEST = 1_000  # characters of a quote or a content
SHORTEST = 4  # characters of a quote: less is found anywhere
LONGEST_SENTENCE = 400

_FENCE = "```"
_WORD = re.compile(r"[^\W_]+")
_ENDS = re.compile(r"[.!?…。！？](?=\s|$)")  # noqa: RUF001  # full-width marks end sentences too
_QUOTATION = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})  # models even them out


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that tie a sentence together; all others of a content must have been said.
_GLUE = _set(
    "a an and are as at be because been being but by did do does for from had has have he her his i in into is it its"
    " my of on or our she since so that the their them then there these they this those to was we were when which while"
    " who will with you your"
)
_NEGATIONS = _set(
    "not no never none nothing nobody neither nor without cannot t ne pas non jamais sans nicht kein keine keinen nie"
    " nunca sin não sem ikke inte aldrig ei niet geen nooit bez"
)


class Suggestion(NamedTuple):
    place: int
    quote: str
    content: str
    kind: str


def items_of(answer: str) -> list[Any]:
    """The items of an answer. Raises Failing when it is not the JSON that was asked for."""
    try:
        items = json.loads(_unfenced(answer.strip()))["items"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Failing("the answer is not the JSON that was asked for") from None
    if not isinstance(items, list):
        raise Failing("the answer is not the JSON that was asked for")
    return items


def _unfenced(answer: str) -> str:
    """Models like to set JSON as code."""
    if not (answer.startswith(_FENCE) and answer.endswith(_FENCE)):
        return answer
    return answer[len(_FENCE) : -len(_FENCE)].removeprefix("json")


def drafts_of(items: Sequence[Any], lines: Sequence[Line], *, known: set[tuple[int, str]]) -> list[Draft]:
    """Drafts of those items that are cited. What is `known` already is left out, and what is new is added to it."""
    drafts = []
    for item in items[:MOST_ITEMS]:
        suggestion = _suggestion(item)
        found = _cited(suggestion, lines) if suggestion else None
        if suggestion is None or found is None:
            continue
        line, quote, sentence = found
        content = suggestion.content if is_supported(suggestion.content, sentence, line) else sentence
        says = (line.place, content.casefold())
        if says not in known:
            known.add(says)
            drafts.append(_draft(line, suggestion.kind, content, quote))
    return drafts


def is_supported(content: str, sentence: str, line: Line) -> bool:
    """Whether the content adds no word to what was said, and does not turn it into its opposite."""
    said = {*_words(line.text), *_words(line.message.speaker or "")}
    stems = {word[:4] for word in said if len(word) > 4}
    added = [word for word in _words(content) if word not in said | _GLUE and not (len(word) > 4 and word[:4] in stems)]
    return not added and _negated(content) == _negated(sentence)


def _suggestion(item: object) -> Suggestion | None:
    if not isinstance(item, Mapping):
        return None
    place, kind = item.get("message"), item.get("kind")
    quote, content = (_collapsed(item.get(name)) for name in ("quote", "content"))
    if isinstance(place, bool) or not isinstance(place, int) or kind not in KINDS or quote is None or content is None:
        return None
    is_fit = len(quote.replace(" ", "")) >= SHORTEST and len(quote) <= LONGEST and 0 < len(content) <= LONGEST
    return Suggestion(place, quote, content, kind) if is_fit and content.isprintable() else None


def _cited(suggestion: Suggestion, lines: Sequence[Line]) -> tuple[Line, str, str] | None:
    """The line that holds the quote, the quote as it stands there, and the sentence around it."""
    sought = suggestion.quote.translate(_QUOTATION)
    for line in lines:
        if line.place != suggestion.place or line.is_settled:
            continue
        text = " ".join(line.text.split())
        start = text.translate(_QUOTATION).find(sought)
        if start >= 0:
            end = start + len(sought)
            sentence = _sentence(text, start, end)
            return None if sentence.endswith("?") else (line, text[start:end], sentence)
    return None


def _sentence(text: str, start: int, end: int) -> str:
    """All of the sentence, or sentences, that the quote is taken from; the quote alone where that is very long."""
    before = [mark.end() for mark in _ENDS.finditer(text, 0, start)]
    after = _ENDS.search(text, max(start, end - 1))
    whole = text[before[-1] if before else 0 : after.end() if after else len(text)].strip()
    return whole if len(whole) <= LONGEST_SENTENCE else text[start:end]


def _draft(line: Line, kind: str, content: str, quote: str) -> Draft:
    message = line.message
    role = (message.role or "").lower()
    trust: Trust = "tool" if role in UNHEARD else ROLE_TRUST.get(role, "unknown")
    id = message.id if message.id is not None else str(line.place)
    source = Source(speaker=message.speaker, role=message.role, message=id, trust=trust)
    return Draft(content=content, kind=kind, source=source, when=message.when, metadata={"quote": quote}, derived=True)


def _collapsed(value: object) -> str | None:
    return " ".join(value.split()) if isinstance(value, str) else None


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _negated(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(_words(text))
